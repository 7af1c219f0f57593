"""The vocabulary of twofold: frozen values, ports, errors and pure rules. Standard library only."""
