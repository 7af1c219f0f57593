"""The edge to the LangGraph server."""
