"""What `twofold doctor` looks at, a file for each part of an installation. A check changes nothing."""
