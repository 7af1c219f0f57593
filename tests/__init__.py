"""The promises of twofold, each with a test that fails when it is broken."""
