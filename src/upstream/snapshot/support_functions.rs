//! Support functions: what a server runs without being asked for it by name.
//!
//! `references.tsv` of `gate/effects/graph` says of each catalog column that names a function
//! when a read runs it, and which query reads it. Only what users made is read: the server's own
//! support functions are known to do what they should.

use super::catalog_query::{CatalogQuery, CatalogReader, UnreadableColumn};
use super::error::{CatalogPart, LoadError};
use crate::catalog::catalog_rows::{SupportRow, SupportRowOf};

/// Reads them, in no order.
///
/// May be cancelled: the connection reads the answer away.
///
/// # Errors
/// The same as of [`CatalogQuery::run`].
pub async fn read(reader: CatalogReader<'_>, major: u16) -> Result<Vec<SupportRow>, LoadError> {
    supports(major).run(reader).await
}

fn supports(major: u16) -> CatalogQuery<SupportRow> {
    let parts: Vec<String> = PARTS
        .iter()
        .filter(|(since, ..)| major >= *since)
        .map(|(_, of, text)| format!("SELECT '{}', {text}", letter(*of)))
        .collect();
    CatalogQuery {
        part: CatalogPart::Functions,
        text: format!(
            "WITH {FAMILIES} SELECT * FROM ({}) AS supports(part, oid, function)",
            parts.join(" UNION ")
        ),
        decode: |fields| {
            let part = fields.text()?;
            let found = PARTS.iter().find(|(_, of, _)| letter(*of) == part);
            Ok(SupportRow {
                of: found.map(|(_, of, _)| *of).ok_or(UnreadableColumn)?,
                oid: fields.next()?,
                function: fields.next()?,
            })
        },
    }
}

fn letter(of: SupportRowOf) -> &'static str {
    match of {
        SupportRowOf::Relation => "r",
        SupportRowOf::PartitionKey => "k",
        SupportRowOf::Operator => "o",
        SupportRowOf::Function => "f",
        SupportRowOf::TypeModifier => "m",
        SupportRowOf::Printing => "p",
        SupportRowOf::TextSearch => "t",
        SupportRowOf::Conversion => "c",
        SupportRowOf::ForeignDataWrapper => "w",
        SupportRowOf::AccessMethod => "a",
    }
}

/// What users have put into the families of operator classes: support functions, the functions of
/// operators and their estimators. A function of the server counts where a user has put it there.
const FAMILIES: &str = "families(family, function) AS MATERIALIZED ( \
      SELECT amprocfamily, amproc::oid FROM pg_amproc \
      WHERE oid >= 16384 OR amproc::oid >= 16384 \
      UNION SELECT a.amopfamily, f.function \
      FROM pg_amop a JOIN pg_operator o ON o.oid = a.amopopr \
        CROSS JOIN LATERAL unnest(ARRAY[o.oprcode, o.oprrest, o.oprjoin]::oid[]) AS f(function) \
      WHERE f.function >= 16384 OR o.oid >= 16384 AND f.function <> 0)";

/// The parts, each from a version on: the oid of what it is of, and of the function.
///
/// Since 18 the planner asks the handlers of all access methods that have a family with an operator
/// of the statement.
const PARTS: [(u16, SupportRowOf, &str); 13] = [
    (
        13,
        SupportRowOf::Relation,
        "i.indrelid, f.function FROM pg_index i \
           CROSS JOIN LATERAL unnest(i.indclass) AS k(class) \
           JOIN pg_opclass o ON o.oid = k.class JOIN families f ON f.family = o.opcfamily",
    ),
    (
        13,
        SupportRowOf::Relation,
        "i.indrelid, m.amhandler::oid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
           JOIN pg_am m ON m.oid = c.relam WHERE m.amhandler::oid >= 16384",
    ),
    (
        13,
        SupportRowOf::Relation,
        "c.oid, m.amhandler::oid FROM pg_class c JOIN pg_am m ON m.oid = c.relam \
           WHERE m.amhandler::oid >= 16384",
    ),
    (
        13,
        SupportRowOf::PartitionKey,
        "p.partrelid, f.function FROM pg_partitioned_table p \
           CROSS JOIN LATERAL unnest(p.partclass) AS k(class) \
           JOIN pg_opclass o ON o.oid = k.class JOIN families f ON f.family = o.opcfamily",
    ),
    (
        13,
        SupportRowOf::Operator,
        "o.oid, f.function FROM pg_operator o \
           CROSS JOIN LATERAL unnest(ARRAY[o.oprrest, o.oprjoin]::oid[]) AS f(function) \
           WHERE f.function >= 16384",
    ),
    (
        18,
        SupportRowOf::Operator,
        "a.amopopr, m.amhandler::oid FROM pg_amop a JOIN pg_am m ON m.oid = a.amopmethod \
           WHERE m.amhandler::oid >= 16384",
    ),
    (
        13,
        SupportRowOf::Function,
        "oid, prosupport::oid FROM pg_proc WHERE prosupport::oid >= 16384 \
         UNION SELECT 'f', p.oid, f.function FROM pg_transform t \
           JOIN pg_proc p ON p.prolang = t.trflang AND t.trftype = ANY (p.protrftypes) \
           CROSS JOIN LATERAL unnest(ARRAY[t.trffromsql, t.trftosql]::oid[]) AS f(function) \
           WHERE f.function >= 16384",
    ),
    (
        13,
        SupportRowOf::TypeModifier,
        "0::oid, typmodin::oid FROM pg_type WHERE typmodin::oid >= 16384",
    ),
    (
        13,
        SupportRowOf::Printing,
        "0::oid, f.function FROM pg_type t \
           CROSS JOIN LATERAL unnest(ARRAY[t.typoutput, t.typmodout]::oid[]) AS f(function) \
           WHERE f.function >= 16384",
    ),
    (
        13,
        SupportRowOf::TextSearch,
        "0::oid, f.function FROM ( \
             SELECT unnest(ARRAY[tmplinit, tmpllexize]::oid[]) FROM pg_ts_template \
             UNION SELECT unnest( \
               ARRAY[prsstart, prstoken, prsend, prsheadline, prslextype]::oid[]) \
             FROM pg_ts_parser) AS f(function) \
           WHERE f.function >= 16384",
    ),
    (
        13,
        SupportRowOf::Conversion,
        "0::oid, conproc::oid FROM pg_conversion WHERE condefault AND conproc::oid >= 16384",
    ),
    (
        13,
        SupportRowOf::ForeignDataWrapper,
        "0::oid, fdwhandler FROM pg_foreign_data_wrapper WHERE fdwhandler >= 16384",
    ),
    (
        13,
        SupportRowOf::AccessMethod,
        "0::oid, amhandler::oid FROM pg_am WHERE amhandler::oid >= 16384",
    ),
];
