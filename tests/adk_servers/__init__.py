"""ADK's own servers with the example agents, as processes."""
