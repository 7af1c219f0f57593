#!/bin/sh
# Gives both roles their passwords, when the database's volume is first made; psql quotes them.
set -eu

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \
  --set=migrator="$TWOFOLD_MIGRATOR_PASSWORD" --set=app="$TWOFOLD_APP_PASSWORD" <<'SQL'
ALTER ROLE twofold_migrator PASSWORD :'migrator';
ALTER ROLE twofold_app PASSWORD :'app';
SQL
