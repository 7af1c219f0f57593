"""Kills of a process, a worker and Postgres in every phase of a save: `make soak`, and a short form in the tests."""
