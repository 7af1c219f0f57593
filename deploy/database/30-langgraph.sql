-- The LangGraph server's own database: its tables and twofold's, both called `store`, must not meet.
CREATE DATABASE langgraph;
