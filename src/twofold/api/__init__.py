"""The edge to HTTP: our routes, who may call them, and what a LangGraph server runs."""
