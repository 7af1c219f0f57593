-- Since when a session waits, which a session that goes on does not begin anew, and when its last attempt failed.
ALTER TABLE twofold.inbox ADD COLUMN IF NOT EXISTS waiting_since timestamptz;  -- NULL: since it was accepted
ALTER TABLE twofold.inbox ADD COLUMN IF NOT EXISTS failed_at timestamptz;      -- NULL: unknown
