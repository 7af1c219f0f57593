-- When what a change rests on was said: a fact that comes back after a rewind is as old as it was.
ALTER TABLE twofold.audit ADD COLUMN IF NOT EXISTS said_at timestamptz;  -- NULL: about when it was recorded
