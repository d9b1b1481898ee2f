//! What is told of a database in a grounding and judges nothing: comments, estimates, labels,
//! statistics, indexes.

use std::collections::BTreeMap;

use tokio_postgres::Client;

use super::catalog_query::{CatalogQuery, CatalogReader};
use super::error::{CatalogPart, LoadError};
use super::{ReadTransaction, WantedEncoding};
use crate::catalog::Oid;
use crate::grounding::{CatalogDetails, ColumnStatistics, IndexDetail};

/// Reads it, as one moment shows it. Statistics are values of rows: they are read where they are
/// wanted.
///
/// May be cancelled: the transaction is rolled back before the connection does anything else.
///
/// # Errors
/// The same as of [`super::load`].
pub async fn load_details(
    client: &Client,
    with_statistics: bool,
) -> Result<CatalogDetails, LoadError> {
    let mut transaction = ReadTransaction::begin(client).await?;
    let script = transaction.script(WantedEncoding::Bytes).await?;
    let reader = CatalogReader { client, script };
    let (version, comments, estimates, secured, labels, indexes, statistics) = tokio::try_join!(
        version().run(reader),
        comments().run(reader),
        estimates().run(reader),
        row_security().run(reader),
        labels().run(reader),
        indexes().run(reader),
        statistics(with_statistics).run(reader),
    )?;
    transaction.commit().await?;
    let mut details = CatalogDetails {
        server_version: version.into_iter().next().unwrap_or_default(),
        row_estimates: estimates.into_iter().collect(),
        row_security: secured.into_iter().collect(),
        statistics: statistics.into_iter().collect(),
        ..CatalogDetails::default()
    };
    for comment in comments {
        let (oid, text) = (Oid(comment.object), comment.text);
        match (comment.of_function, i16::try_from(comment.column)) {
            (true, _) => details.function_comments.insert(oid, text),
            (false, Ok(0)) => details.relation_comments.insert(oid, text),
            (false, Ok(number)) => details.column_comments.insert((oid, number), text),
            (false, Err(_)) => None,
        };
    }
    details.enum_labels = lists(labels);
    details.indexes = lists(indexes);
    Ok(details)
}

/// What belongs to each oid, in order.
fn lists<T>(all: Vec<(Oid, T)>) -> BTreeMap<Oid, Vec<T>> {
    let mut lists: BTreeMap<Oid, Vec<T>> = BTreeMap::new();
    for (oid, one) in all {
        lists.entry(oid).or_default().push(one);
    }
    lists
}

struct CommentRow {
    of_function: bool,
    object: u32,
    column: i32,
    text: String,
}

/// As the server says it, without the name of its package: `15.4`.
fn version() -> CatalogQuery<String> {
    CatalogQuery {
        part: CatalogPart::Session,
        text: "SELECT split_part(current_setting('server_version'), ' ', 1)".into(),
        decode: |fields| fields.text(),
    }
}

fn comments() -> CatalogQuery<CommentRow> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT classoid = 'pg_proc'::regclass, objoid, objsubid, description \
             FROM pg_description \
             WHERE classoid IN ('pg_class'::regclass, 'pg_proc'::regclass) \
               AND objoid >= {FIRST_OF_USERS} ORDER BY 1, 2, 3"
        ),
        decode: |fields| {
            Ok(CommentRow {
                of_function: fields.next()?,
                object: fields.next()?,
                column: fields.next()?,
                text: fields.text()?,
            })
        },
    }
}

/// Before 14 nothing tells an empty table from one that was never counted.
fn estimates() -> CatalogQuery<(Oid, u64)> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT oid, reltuples::bigint FROM pg_class \
             WHERE relkind IN ('r', 'p', 'm', 'f') AND oid >= {FIRST_OF_USERS} \
               AND (reltuples > 0 OR reltuples = 0 AND relpages > 0)"
        ),
        decode: |fields| {
            let (oid, rows): (u32, i64) = (fields.next()?, fields.next()?);
            Ok((Oid(oid), u64::try_from(rows).unwrap_or(0)))
        },
    }
}

fn row_security() -> CatalogQuery<Oid> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT oid FROM pg_class WHERE relrowsecurity AND oid >= {FIRST_OF_USERS} ORDER BY 1"
        ),
        decode: |fields| Ok(Oid(fields.next()?)),
    }
}

pub(super) fn labels() -> CatalogQuery<(Oid, String)> {
    CatalogQuery {
        part: CatalogPart::Types,
        text: "SELECT enumtypid, enumlabel FROM pg_enum ORDER BY enumtypid, enumsortorder".into(),
        decode: |fields| Ok((Oid(fields.next()?), fields.text()?)),
    }
}

pub(super) fn indexes() -> CatalogQuery<(Oid, IndexDetail)> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT i.indrelid, c.relname, m.amname, \
               (string_to_array(i.indkey::text, ' ')::smallint[])[1:i.indnkeyatts], \
               i.indisunique, i.indpred IS NOT NULL \
             FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
               JOIN pg_am m ON m.oid = c.relam \
             WHERE i.indisvalid AND i.indrelid >= {FIRST_OF_USERS} ORDER BY i.indrelid, c.relname"
        ),
        decode: |fields| {
            let relation = Oid(fields.next()?);
            let index = IndexDetail {
                name: fields.text()?,
                method: fields.text()?,
                columns: fields.next()?,
                is_unique: fields.next()?,
                is_partial: fields.next()?,
            };
            Ok((relation, index))
        },
    }
}

/// Of columns that the session's own role may read. Long values say little and take much.
fn statistics(wanted: bool) -> CatalogQuery<((Oid, i16), ColumnStatistics)> {
    CatalogQuery {
        part: CatalogPart::Columns,
        text: format!(
            "SELECT a.attrelid, a.attnum, s.null_frac::float8, s.n_distinct::float8, \
               array(SELECT value FROM unnest(s.most_common_vals::text::text[]) \
                     WITH ORDINALITY AS common(value, place) \
                     WHERE length(value) <= {VALUE_LETTERS_MAX} ORDER BY place LIMIT 10) \
             FROM pg_stats s JOIN pg_namespace n ON n.nspname = s.schemaname \
               JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = s.tablename \
               JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = s.attname \
             WHERE {wanted} AND c.oid >= {FIRST_OF_USERS} \
               AND (s.inherited OR NOT EXISTS \
                 (SELECT 1 FROM pg_inherits h WHERE h.inhparent = c.oid)) \
             ORDER BY 1, 2"
        ),
        decode: |fields| {
            let key = (Oid(fields.next()?), fields.next()?);
            let known = ColumnStatistics {
                null_share: fields.next()?,
                distinct: fields.next()?,
                common_values: fields.texts()?,
            };
            Ok((key, known))
        },
    }
}

/// Objects of users have higher oids (FirstNormalObjectId in access/transam.h).
pub(super) const FIRST_OF_USERS: u32 = 16_384;

/// Letters of a common value that is told.
const VALUE_LETTERS_MAX: usize = 64;
