#!/bin/sh
# Rewrites src/gate/builtin_names/names.tsv: the names of all relations, columns, types and operators that
# a PostgreSQL server brings along, for every version asked.
#
#   tests/data/catalogs/built_in_names.sh postgres://…13 postgres://…14 … > src/gate/builtin_names/names.tsv
#
# One URL per major version, oldest first, fresh databases without extensions. The columns are: what
# it is, its name (with its schema, unless that is pg_catalog), the versions that have it ('13-' when
# the newest one asked still does), and the columns that it has in any of them: those of relations,
# and those that functions with several of them return. The types of rows have the names of their
# relations and no line of their own.
set -eu
query=$(cat <<'SQL'
set search_path = pg_catalog;
create function pg_temp.named(schema oid, name name) returns text language sql as $$
  select case when schema = 'pg_catalog'::regnamespace then name::text
              else 'information_schema.' || name end
$$;
with named as (
  select 'relation' as what, pg_temp.named(relnamespace, relname) as name,
         coalesce(attname, '') as field
  from pg_class c left join pg_attribute on attrelid = c.oid and not attisdropped
  where relkind in ('r', 'v') and relnamespace in
        ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
  union select 'function', pg_temp.named(pronamespace, proname), out.name
  from pg_proc, unnest(proargnames, proargmodes) as out(name, mode)
  where mode in ('o', 'b', 't') and pronamespace in
        ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
  union select 'type', pg_temp.named(typnamespace, typname), '' from pg_type t
  where typrelid = 0
    and not exists (select from pg_type of where of.oid = t.typelem and of.typrelid <> 0)
    and typnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
  union select 'operator', oprname, '' from pg_operator
  where oprnamespace = 'pg_catalog'::regnamespace)
select what, name, current_setting('server_version_num')::int / 10000, field from named
SQL
)
for url in "$@"; do
    psql -X -q -A -t -F "$(printf '\t')" -v ON_ERROR_STOP=1 -c "$query" "$url"
done | awk -F '\t' -v OFS='\t' '
    { key = $1 OFS $2
      if ($3 > newest) newest = $3
      if (!(key in since) || $3 < since[key]) since[key] = $3
      if (!(key in until) || $3 > until[key]) until[key] = $3
      if ($4 != "" && !((key, $4) in seen)) { seen[key, $4]; fields[key] = fields[key] " " $4 } }
    END { for (key in since)
              print key, since[key] "-" (until[key] == newest ? "" : until[key]), substr(fields[key], 2) }' |
    LC_ALL=C sort
