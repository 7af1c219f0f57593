-- The tables of twofold. LangGraph's own (public.store, public.store_vectors) are made by its setup(), before.
-- Every statement may run twice: a process may be killed between a migration and the note that it ran.
-- Ids are labels (memory/scope.py): tenant_label, user_label, session_label. Columns named …_id hold the id as
-- it was given, escaped, for display.

-- Which model made the vectors, and what the schema was last brought up to. One row.
CREATE TABLE IF NOT EXISTS twofold.embedder (
    only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    name        text        NOT NULL,
    dims        integer     NOT NULL CHECK (dims > 0),
    schema_mark text        NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

-- One person in one tenant. Whoever writes anything of a scope locks its row first.
CREATE TABLE IF NOT EXISTS twofold.scope (
    tenant_label text    NOT NULL,
    user_label   text    NOT NULL,
    generation   bigint  NOT NULL DEFAULT 0,          -- raised by every change of the memories
    touched_on   date    NOT NULL,                    -- day on which all of it was last re-dated
    PRIMARY KEY (tenant_label, user_label)
);

-- What LangGraph's rows cannot hold. Rows go with their memory.
CREATE TABLE IF NOT EXISTS twofold.memory (
    prefix      text        NOT NULL,
    key         text        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('semantic', 'episodic')),
    fingerprint text        NOT NULL,
    tokens      text[]      NOT NULL DEFAULT '{}',    -- exact identifiers in the text
    sessions    text[]      NOT NULL DEFAULT '{}',    -- labels of the sessions among its sources
    only_session text GENERATED ALWAYS AS (
        CASE WHEN cardinality(sessions) = 1 THEN sessions[1] END) STORED,
    worded_by   text        NOT NULL,                 -- label of the session that gave it its present words
    event_at    timestamptz NOT NULL,                 -- time of its newest source event
    workflow    text        NOT NULL DEFAULT '',
    PRIMARY KEY (prefix, key),
    FOREIGN KEY (prefix, key) REFERENCES public.store (prefix, key) ON DELETE CASCADE
);
CREATE UNIQUE INDEX IF NOT EXISTS memory_one_fact_per_text
    ON twofold.memory (prefix, fingerprint) WHERE kind = 'semantic';
CREATE INDEX IF NOT EXISTS memory_only_session ON twofold.memory (prefix, only_session);
CREATE INDEX IF NOT EXISTS memory_newest ON twofold.memory (prefix, event_at DESC);

-- Accepted sessions: the durable side of "accepted".
CREATE TABLE IF NOT EXISTS twofold.inbox (
    tenant_label    text        NOT NULL,
    user_label      text        NOT NULL,
    session_label   text        NOT NULL,
    tenant_id       text        NOT NULL,
    user_id         text        NOT NULL,
    session_id      text        NOT NULL,
    revision        integer     NOT NULL DEFAULT 0,
    done_revision   integer     NOT NULL DEFAULT 0,
    failed_revision integer     NOT NULL DEFAULT 0,   -- given up at this revision: a dead letter
    reason          text        NOT NULL DEFAULT '',  -- why there was nothing to store
    error           text        NOT NULL DEFAULT '',  -- why the last attempt failed
    accepted_at     timestamptz NOT NULL,
    expires_at      timestamptz,
    PRIMARY KEY (tenant_label, user_label, session_label)
);
-- Their entries: a session that has grown to hundreds costs no more to accept than what is new of it.
CREATE TABLE IF NOT EXISTS twofold.entry (
    tenant_label  text        NOT NULL,
    user_label    text        NOT NULL,
    session_label text        NOT NULL,
    event_label   text        NOT NULL,
    part          integer     NOT NULL,
    seq           bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,  -- order of arrival
    at            timestamptz NOT NULL,
    entry         jsonb       NOT NULL,
    PRIMARY KEY (tenant_label, user_label, session_label, event_label, part),
    FOREIGN KEY (tenant_label, user_label, session_label) REFERENCES twofold.inbox ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS inbox_not_done ON twofold.inbox (accepted_at) WHERE revision > done_revision;
CREATE INDEX IF NOT EXISTS inbox_expiry ON twofold.inbox (expires_at);

-- Events whose facts are extracted, also for graph runs that came without an inbox row.
CREATE TABLE IF NOT EXISTS twofold.ledger (
    tenant_label  text        NOT NULL,
    user_label    text        NOT NULL,
    session_label text        NOT NULL,
    event_ids     text[]      NOT NULL,
    expires_at    timestamptz,
    PRIMARY KEY (tenant_label, user_label, session_label)
);
CREATE INDEX IF NOT EXISTS ledger_expiry ON twofold.ledger (expires_at);

-- Paid extractions of saves that are not persisted yet.
CREATE TABLE IF NOT EXISTS twofold.kept (
    tenant_label  text        NOT NULL,
    user_label    text        NOT NULL,
    session_label text        NOT NULL,
    part          text        NOT NULL,
    input_hash    text        NOT NULL,
    result        jsonb       NOT NULL,
    kept_at       timestamptz NOT NULL,
    PRIMARY KEY (tenant_label, user_label, session_label, part)
);
CREATE INDEX IF NOT EXISTS kept_age ON twofold.kept (kept_at);

-- What was erased and must not come back. Holds no text.
CREATE TABLE IF NOT EXISTS twofold.tombstone (
    id            bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    tenant_label  text        NOT NULL,
    user_label    text        NOT NULL,
    session_label text,                               -- NULL: every session
    kind          text        CHECK (kind IN ('semantic', 'episodic')),  -- NULL: both
    before        timestamptz,                        -- events up to this time …
    event_ids     text[]      NOT NULL DEFAULT '{}',  -- … and these
    erased_at     timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS tombstone_scope ON twofold.tombstone (tenant_label, user_label);

-- Every change of a memory, with its source. Erasing blanks the texts.
CREATE TABLE IF NOT EXISTS twofold.audit (
    id            bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at            timestamptz NOT NULL,
    tenant_label  text        NOT NULL,
    user_label    text        NOT NULL,
    kind          text        NOT NULL,
    key           text        NOT NULL,
    action        text        NOT NULL CHECK (action IN ('ADD', 'UPDATE', 'DELETE', 'NOOP', 'ERASE')),
    before        text        NOT NULL DEFAULT '',
    after         text        NOT NULL DEFAULT '',
    session_label text        NOT NULL,
    session_id    text        NOT NULL DEFAULT '',
    event_ids     text[]      NOT NULL DEFAULT '{}',
    origin        text        NOT NULL DEFAULT '',
    model         text        NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS audit_memory ON twofold.audit (tenant_label, user_label, key, id);
CREATE INDEX IF NOT EXISTS audit_age ON twofold.audit (at);

-- Which of procrastinate's migrations its tables, in this schema, have had.
CREATE TABLE IF NOT EXISTS twofold.queue_migration (
    name text PRIMARY KEY
);
