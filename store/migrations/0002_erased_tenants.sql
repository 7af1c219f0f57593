-- A tombstone of a whole tenant names no user: it also keeps out those whom nobody here knows.
ALTER TABLE twofold.tombstone ALTER COLUMN user_label DROP NOT NULL;
