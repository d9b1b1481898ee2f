//! Every column of the system catalogs that names a function, or what leads to one, has a line in
//! `references.tsv` that says when a read runs it.

use std::collections::{BTreeMap, BTreeSet};

use tokio_postgres::Client;

use crate::catalog::snapshot::support::{Database, VERSIONS};
use crate::support::sql;

#[tokio::test]
async fn every_reference_to_a_function_has_its_line() {
    let table = table();
    let mut asked = 0;
    for version in VERSIONS {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let admin = database.admin().await;
        let found = columns(&admin, version).await;
        let lines: BTreeSet<&str> = table
            .iter()
            .filter(|(_, since)| **since <= version)
            .map(|(column, _)| *column)
            .collect();
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        let unlisted: Vec<_> = found.difference(&lines).collect();
        assert!(
            unlisted.is_empty(),
            "{version}: without a line: {unlisted:?}"
        );
        // Before 14 a server does not say which columns refer to what, only which are of such
        // types.
        let gone: Vec<_> = lines.difference(&found).collect();
        assert!(version < 14 || gone.is_empty(), "{version}: {gone:?}");
        assert!(found.len() > 35, "{version}: {}", found.len());
        asked += 1;
    }
    assert!(asked > 0);
}

/// By column, the version that it is there since.
fn table() -> BTreeMap<&'static str, u32> {
    let lines = REFERENCES.lines().filter(|line| !line.starts_with('#'));
    let mut table = BTreeMap::new();
    let mut last = "";
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let [column, since, read, why] = fields[..] else {
            panic!("{line}");
        };
        assert!(last < column, "{column} is not in its place");
        assert!(["followed", "never", "believed"].contains(&read), "{line}");
        assert!(!why.is_empty(), "{line}");
        let since = since.strip_suffix('-').unwrap().parse().unwrap();
        table.insert(column, since);
        last = column;
    }
    table
}

async fn columns(admin: &Client, version: u32) -> Vec<String> {
    let mut columns = sql::rows(admin, OF_TYPES).await;
    if version >= 14 {
        columns.extend(sql::rows(admin, OF_KEYS).await);
    }
    columns.into_iter().flatten().collect()
}

/// Columns whose type says that they name a function or an operator, or hold an expression.
const OF_TYPES: &str = "SELECT format('%s.%s', c.relname, a.attname)
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
 WHERE c.relkind = 'r' AND c.oid < 16384 AND c.relnamespace = 'pg_catalog'::regnamespace
   AND a.attnum > 0 AND a.atttypid IN ('regproc'::regtype, 'regprocedure'::regtype,
     'regoper'::regtype, 'regoperator'::regtype, 'pg_node_tree'::regtype)";

/// Columns that refer to functions, and to what has functions of its own.
const OF_KEYS: &str = "SELECT format('%s.%s', k.fktable, f.field)
  FROM pg_get_catalog_foreign_keys() k CROSS JOIN LATERAL unnest(k.fkcols) AS f(field)
 WHERE k.pktable IN ('pg_am'::regclass, 'pg_conversion'::regclass,
   'pg_foreign_data_wrapper'::regclass, 'pg_language'::regclass, 'pg_opclass'::regclass,
   'pg_operator'::regclass, 'pg_opfamily'::regclass, 'pg_proc'::regclass,
   'pg_ts_config'::regclass, 'pg_ts_dict'::regclass, 'pg_ts_parser'::regclass,
   'pg_ts_template'::regclass)";

const REFERENCES: &str = include_str!("../../../../src/gate/effects/graph/references.tsv");
