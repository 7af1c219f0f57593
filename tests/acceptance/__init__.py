"""The journeys: an ADK session goes in, the next session's request carries what it held."""
