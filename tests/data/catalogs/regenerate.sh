#!/bin/sh
# Rewrites names.tsv: every function name that a PostgreSQL server brings along, for every version
# asked.
#
#   tests/data/catalogs/regenerate.sh postgres://…13 postgres://…14 … > tests/data/catalogs/names.tsv
#
# One URL per major version, fresh databases without extensions. The columns are: schema, name,
# fewest and most arguments ('*' when variadic), volatility (i, s, v; the worst of the overloads),
# kind (f function, a aggregate, w window, p procedure), what it may not do from SQL ('internal'
# when an argument or the result has a pseudo-type that no client can write), first and last version
# it was seen in. A new version of PostgreSQL: run this, then `cargo test -p gate functions::`; it
# names what has no verdict yet.
set -eu
query=$(cat <<'SQL'
select current_setting('server_version_num')::int / 10000, n.nspname, p.proname,
       p.pronargs - p.pronargdefaults - (p.provariadic <> 0)::int,
       case when p.provariadic <> 0 then '*' else p.pronargs::text end,
       p.provolatile, p.prokind,
       case when p.proargtypes::oid[] && array[2281::oid]
              or p.prorettype in ('internal'::regtype, 'trigger'::regtype, 'event_trigger'::regtype,
                                  'language_handler'::regtype, 'fdw_handler'::regtype)
            then 'internal' else '-' end
from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('pg_catalog', 'information_schema')
SQL
)
for url in "$@"; do
    psql -X -q -A -t -F "$(printf '\t')" -c "$query" "$url"
done | awk -F '\t' -v OFS='\t' '
    { key = $2 OFS $3 OFS $4 OFS $5
      if (!(key in since) || $1 < since[key]) since[key] = $1
      if (!(key in until) || $1 > until[key]) until[key] = $1
      if ($6 > worst[key]) worst[key] = $6
      kind[key] = $7
      if (!(key in callable) || $8 == "-") callable[key] = $8 }
    END { for (key in since)
              print key, worst[key], kind[key], callable[key], since[key], until[key] }' |
    LC_ALL=C sort
