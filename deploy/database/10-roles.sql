-- Two roles for one database: `twofold_migrator` makes and changes tables, `twofold_app` uses them and can do no more.
-- Run once by an administrator, in the database that twofold is to use; twice does no harm. Set the passwords after:
-- `\password twofold_migrator`, `\password twofold_app`.

CREATE EXTENSION IF NOT EXISTS vector;  -- needs a superuser, or the provider's list of allowed extensions

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'twofold_migrator') THEN
        CREATE ROLE twofold_migrator LOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'twofold_app') THEN
        CREATE ROLE twofold_app LOGIN;
    END IF;
    EXECUTE format('GRANT CREATE ON DATABASE %I TO twofold_migrator', current_database());
END
$$;

CREATE SCHEMA IF NOT EXISTS twofold;
ALTER SCHEMA twofold OWNER TO twofold_migrator;
GRANT CREATE, USAGE ON SCHEMA public TO twofold_migrator;

GRANT USAGE ON SCHEMA public, twofold TO twofold_app;
ALTER DEFAULT PRIVILEGES FOR ROLE twofold_migrator IN SCHEMA public, twofold
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO twofold_app;
ALTER DEFAULT PRIVILEGES FOR ROLE twofold_migrator IN SCHEMA twofold
    GRANT USAGE ON SEQUENCES TO twofold_app;

-- For a database that one role alone has made and used: first REASSIGN OWNED BY that_role TO twofold_migrator.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA twofold TO twofold_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA twofold TO twofold_app;
DO $$
BEGIN
    IF to_regclass('public.store_vectors') IS NOT NULL THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON public.store, public.store_vectors TO twofold_app;
    END IF;
END
$$;
