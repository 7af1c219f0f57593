"""The memory graphs. Wiring only: which step follows which."""
