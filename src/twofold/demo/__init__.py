"""A story that shows both memories at work, and the small agent, model and recordings it is played with."""
