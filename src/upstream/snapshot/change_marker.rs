//! Tells cheaply whether anything that a snapshot is made of has changed.
//!
//! Every row of a catalog names the transaction that wrote it. A change writes rows, so the number
//! of the rows of a table and the sum of a hash of their transactions change with it. Two markers
//! that are equal mean: nothing has changed. Two that differ may mean nothing (an index was made,
//! say): the version of the new snapshot then says so.
//!
//! Where no transaction at all has ended since the last marker, nothing is counted.
//!
//! Not seen, since no row that everybody may read changes:
//! * the server's own search_path, when its configuration file is read again
//! * a library that is replaced under a function written in C
//!
//! <https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT>

use tokio_postgres::{Client, SimpleQueryMessage, SimpleQueryRow};

use super::error::{CatalogPart, LoadError};

/// What the catalogs were like at one moment. Equal markers mean equal catalogs.
#[derive(Clone, Debug)]
pub struct ChangeMarker {
    moment: TransactionSnapshot,
    tables: Vec<String>,
}

/// `pg_current_snapshot()`: which transactions had ended.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TransactionSnapshot(String);

/// Which rows of a table count: all but those that belong to what a session makes for itself.
#[derive(Clone, Copy)]
enum LastingRows {
    All,
    Where(&'static str),
    /// Those whose relation, in this column, is lasting.
    Of(&'static str),
    /// Those whose schema, in this column, is lasting.
    In(&'static str),
}

/// Looks. May be cancelled: the connection reads the answer away.
///
/// # Errors
/// The connection is lost, or the server refuses or says something else than a marker.
pub async fn marker(client: &Client) -> Result<ChangeMarker, LoadError> {
    let said = ask(client, &text()).await?;
    let moment = field(&said, 0)?;
    let tables = (1..said.len()).map(|place| Ok(field(&said, place)?.to_owned()));
    Ok(ChangeMarker {
        moment: TransactionSnapshot(moment.to_owned()),
        tables: tables.collect::<Result<_, _>>()?,
    })
}

impl ChangeMarker {
    /// Looks again: first whether any transaction has ended since this marker, and at the catalogs
    /// only then.
    ///
    /// May be cancelled: the connection reads the answer away.
    ///
    /// # Errors
    /// The same as of [`marker`].
    pub async fn again(&self, client: &Client) -> Result<Self, LoadError> {
        let said = ask(client, MOMENT).await?;
        let now = field(&said, 0)?;
        if self.moment.is_certain() && self.moment.0 == now {
            return Ok(self.clone());
        }
        marker(client).await
    }
}

impl PartialEq for ChangeMarker {
    /// Whenever it was made.
    fn eq(&self, other: &Self) -> bool {
        self.tables == other.tables
    }
}

impl Eq for ChangeMarker {}

impl TransactionSnapshot {
    /// Whether the same text means that no transaction has ended.
    ///
    /// `xmin:xmax:list`: all transactions from xmin up to xmax have ended, but those of the list. A
    /// standby keeps its list elsewhere and shows an empty one: there something under way can end
    /// without a trace.
    fn is_certain(&self) -> bool {
        let mut parts = self.0.split(':');
        let (Some(oldest), Some(next), Some(list)) = (parts.next(), parts.next(), parts.next())
        else {
            return false;
        };
        !list.is_empty() || oldest == next
    }
}

impl LastingRows {
    /// The first test of the two costs next to nothing, and mostly there is nothing temporary.
    fn condition(self) -> String {
        let lasting = |column, temporary| {
            format!(
                " WHERE (NOT EXISTS (SELECT FROM {temporary}) \
                 OR {column} NOT IN (SELECT oid FROM {temporary}))"
            )
        };
        match self {
            Self::All => String::new(),
            Self::Where(condition) => format!(" WHERE {condition}"),
            Self::Of(relation) => lasting(relation, "own_relations"),
            Self::In(schema) => lasting(schema, "own_schemas"),
        }
    }
}

async fn ask(client: &Client, text: &str) -> Result<SimpleQueryRow, LoadError> {
    // One message is one transaction, whatever the session's settings are.
    let text = format!("SET LOCAL search_path TO pg_catalog; {text}");
    let said = client.simple_query(&text).await;
    let said = said.map_err(|error| LoadError::of(CatalogPart::Marker, &error))?;
    let row = said.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    row.ok_or(LoadError::Unreadable(CatalogPart::Marker))
}

fn field(row: &SimpleQueryRow, place: usize) -> Result<&str, LoadError> {
    let value = row.try_get(place).ok().flatten();
    value.ok_or(LoadError::Unreadable(CatalogPart::Marker))
}

/// One query with one column for each table, all of one moment.
fn text() -> String {
    let sums = TABLES.iter().map(|(table, lasting)| {
        let rows = format!("SELECT age(xmin) FROM {table}{}", lasting.condition());
        format!(", (SELECT {SUM} FROM ({rows}) AS t(age))")
    });
    format!("{OWN} {MOMENT}{}, ({ROLES})", sums.collect::<String>())
}

/// Only the moment.
const MOMENT: &str = "SELECT pg_current_snapshot()::text";

/// The rows of a table as one text: how many, and the sum of a hash of their transactions' numbers.
/// A plain sum would not do: a transaction may be older than one that has ended before it, and two
/// rows of 9 and 11 are as much as two rows of 10.
///
/// A number is told from its distance to that of the oldest ordinary transaction, 3: the server has
/// no other way from a transaction's number to one that can be counted. When numbers begin again at
/// 3, two thousand million transactions later, markers differ once without need. Rows that came
/// with the server have the greatest age that there is and only count.
const SUM: &str = "concat_ws('/', count(*), \
    sum(hashint8((SELECT age('3'::xid)::int8) - nullif(age, 2147483647))))";

/// What sessions make for themselves: it comes and goes all the time, and nobody else reaches it.
const OWN: &str = "WITH own_relations AS MATERIALIZED \
      (SELECT oid FROM pg_class WHERE relpersistence = 't'), \
    own_schemas AS MATERIALIZED \
      (SELECT oid FROM pg_namespace WHERE nspname LIKE 'pg\\_temp\\_%')";

/// The tables, and which rows of them. Columns with negative numbers are the server's own, in every
/// table the same.
const TABLES: [(&str, LastingRows); 34] = [
    ("pg_aggregate", LastingRows::All),
    ("pg_am", LastingRows::All),
    ("pg_amop", LastingRows::All),
    ("pg_amproc", LastingRows::All),
    ("pg_attrdef", LastingRows::Of("adrelid")),
    (
        "(SELECT xmin, attrelid FROM pg_attribute WHERE attnum > 0) AS a",
        LastingRows::Of("attrelid"),
    ),
    ("pg_auth_members", LastingRows::All),
    ("pg_cast", LastingRows::All),
    ("pg_class", LastingRows::Where("relpersistence <> 't'")),
    ("pg_constraint", LastingRows::In("connamespace")),
    ("pg_conversion", LastingRows::All),
    (
        "pg_database",
        LastingRows::Where("datname = current_database()"),
    ),
    (
        "pg_db_role_setting",
        LastingRows::Where(
            "setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))",
        ),
    ),
    (
        "pg_depend",
        LastingRows::Where("classid = 'pg_proc'::regclass AND deptype = 'e'"),
    ),
    ("pg_extension", LastingRows::All),
    ("pg_foreign_data_wrapper", LastingRows::All),
    ("pg_foreign_server", LastingRows::All),
    ("pg_foreign_table", LastingRows::All),
    ("pg_index", LastingRows::Of("indrelid")),
    ("pg_inherits", LastingRows::Of("inhrelid")),
    ("pg_language", LastingRows::All),
    ("pg_namespace", LastingRows::All),
    ("pg_opclass", LastingRows::All),
    ("pg_operator", LastingRows::All),
    ("pg_partitioned_table", LastingRows::Of("partrelid")),
    ("pg_policy", LastingRows::All),
    ("pg_proc", LastingRows::All),
    ("pg_range", LastingRows::All),
    ("pg_rewrite", LastingRows::Of("ev_class")),
    ("pg_statistic_ext", LastingRows::Of("stxrelid")),
    ("pg_transform", LastingRows::All),
    ("pg_ts_parser", LastingRows::All),
    ("pg_ts_template", LastingRows::All),
    ("pg_type", LastingRows::In("typnamespace")),
];

/// Roles as such: not everybody may read their table, so what they say counts.
const ROLES: &str = "SELECT concat_ws('/', count(*), \
    sum(hashtextextended(concat_ws('/', oid, rolname, rolsuper, rolinherit), 0))) FROM pg_roles";
