"""Sessions as ADK's own session services stored them: read a part at a time, and never changed.

The one place with SQL outside `store`: these tables are ADK's, and what is known of them is ADK's.
"""
