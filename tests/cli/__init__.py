"""The command line: in this process where that is enough, as the real command where it is not."""
