#!/usr/bin/env bash
# Run once by the image of Postgres, when its volume is empty: the sample shop, and the role that
# pgsieve logs in with, which may read the shop and nothing else.
set -euo pipefail

run() {
  psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 \
    --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" "$@"
}

sample=${SAMPLE:-/sample}
run --file="$sample/schema.sql" --file="$sample/rows.sql" >/dev/null

# The password comes as a variable of psql from a file: no list of processes shows it.
run <<SQL
\set password \`cat "${REPORTING_PASSWORD_FILE:-/run/secrets/reporting_password}"\`
SET password_encryption = 'scram-sha-256';
CREATE ROLE reporting LOGIN PASSWORD :'password' CONNECTION LIMIT 100;
ALTER ROLE reporting SET default_transaction_read_only = on;
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO reporting;
ALTER DATABASE :"DBNAME" SET search_path TO shop, public;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA shop TO reporting;
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO reporting;
SQL
