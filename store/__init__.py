"""PostgreSQL: the only SQL and the only driver."""
