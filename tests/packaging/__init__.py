"""Promises about the tree and about what it builds."""
