"""A month-end agent with memory."""
