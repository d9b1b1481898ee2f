#!/bin/sh
# Rewrites catalog.tsv: what a fresh PostgreSQL database contains, for the unit tests of the catalog
# and of what reads it.
#
#   tests/data/catalogs/catalog.sh postgres://…15 > tests/data/catalogs/catalog.tsv
#
# The first column says which catalog a line is from; the others are in the order of the queries.
# Lists are separated by commas, what is NULL is '-'. Of a stored expression only what it names is
# kept: the field of its node tree and the oid, `funcid 870`.
set -eu
url=$1
ask() {
    psql -X -q -A -t -F "$(printf '\t')" -P null=- -v ON_ERROR_STOP=1 "$url"
}
ask <<'SQL'
set search_path = pg_catalog;
create function pg_temp.acl(acl aclitem[]) returns text language sql as $$
  select case when acl is null then '-' else coalesce((
    select string_agg(line, ',' order by line)
    from (select grantee || ':' || string_agg(
                   case privilege_type when 'SELECT' then 's' when 'USAGE' then 'u' else 'x' end, ''
                   order by privilege_type) as line
          from aclexplode(acl)
          where privilege_type in ('SELECT', 'USAGE', 'EXECUTE') group by grantee) grants), '') end
$$;
create function pg_temp.names(tree text) returns text language sql as $$
  select coalesce(string_agg(distinct found[1] || ' ' || found[2], ','), '')
  from regexp_matches(tree,
    ':(funcid|aggfnoid|winfnoid|opno|relid|resulttype|eqop|sortop) ([1-9][0-9]*)', 'g') found
$$;

select 'schema', oid, nspname, nspowner, pg_temp.acl(nspacl) from pg_namespace
where oid < 16384 order by oid;

select 'role', oid, rolname, rolsuper::int from pg_authid where oid < 16384 order by oid;

select 'member', member, roleid from pg_auth_members
where member < 16384 and roleid < 16384 order by 2, 3;

select 'relation', c.oid, relnamespace, relname, relkind, reltype, pg_temp.acl(relacl),
       (select pg_temp.names(ev_action::text) from pg_rewrite r
        where r.ev_class = c.oid and ev_type = '1'),
       (select string_agg(attname || ' ' || atttypid || ' ' || atttypmod || ' ' || attnotnull::int,
                          ',' order by attnum)
        from pg_attribute a where attrelid = c.oid and attnum > 0 and not attisdropped)
from pg_class c where relkind in ('r', 'v', 'c') and c.oid < 16384 order by c.oid;

select 'type', oid, typnamespace, typname, typtype, typcategory, typispreferred::int, typrelid,
       typelem, (typsubscript = 'array_subscript_handler'::regproc)::int, typarray, typbasetype,
       typtypmod,
       (select string_agg(pg_temp.names(conbin::text), ',') from pg_constraint
        where contypid = t.oid and contype = 'c'),
       coalesce((select rngsubtype from pg_range where rngtypid = t.oid),
                (select rngtypid from pg_range where rngmultitypid = t.oid), 0),
       pg_temp.acl(typacl)
from pg_type t where oid < 16384 order by oid;

select 'function', p.oid, pronamespace, proname, prokind, provolatile, prosecdef::int, lanname,
       array_to_string(proargtypes::oid[], ','), array_to_string(proallargtypes, ','),
       array_to_string(proargmodes, ','), array_to_string(proargnames, ','), pronargdefaults,
       provariadic, prorettype, proretset::int,
       (select string_agg(split_part(setting, '=', 1), ',') from unnest(proconfig) setting),
       nullif(concat_ws(',', nullif(pg_temp.names(prosqlbody::text), ''),
                             nullif(pg_temp.names(proargdefaults::text), '')), ''),
       (select string_agg(part::oid::text, ',')
        from unnest(array[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn,
                          aggmtransfn, aggminvtransfn, aggmfinalfn]) part where part <> 0),
       aggsortop, aggkind, aggnumdirectargs, pg_temp.acl(proacl)
from pg_proc p join pg_language l on l.oid = prolang
left join pg_aggregate g on g.aggfnoid = p.oid
where p.oid < 16384 order by p.oid;

select 'operator', o.oid, oprnamespace, oprname, oprleft, oprright, oprresult, oprcode::oid, oprcom,
       oprnegate, (proleakproof and proisstrict and provolatile = 'i' and not proretset)::int
from pg_operator o join pg_proc p on p.oid = oprcode where o.oid < 16384 order by o.oid;

select 'cast', castsource, casttarget, castfunc, castcontext, castmethod
from pg_cast where oid < 16384 order by 2, 3;
SQL
