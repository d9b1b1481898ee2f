//! What lints know of a database beside its catalog: labels, indexes, and the checks of columns.

use tokio_postgres::Client;

use super::catalog_query::{CatalogQuery, CatalogReader};
use super::details::{FIRST_OF_USERS, indexes, labels};
use super::error::{CatalogPart, LoadError};
use super::{ReadTransaction, WantedEncoding};
use crate::catalog::Oid;
use crate::limits::lints::LINT_CHECK_BYTES_MAX;
use crate::lint::DatabaseFacts;

/// Reads it, as one moment shows it.
///
/// May be cancelled: the transaction is rolled back before the connection does anything else.
///
/// # Errors
/// The same as of [`super::load`].
pub async fn load_lint_facts(client: &Client) -> Result<DatabaseFacts, LoadError> {
    let mut transaction = ReadTransaction::begin(client).await?;
    let script = transaction.script(WantedEncoding::Bytes).await?;
    let reader = CatalogReader { client, script };
    let (labels, indexes, checks) = tokio::try_join!(
        labels().run(reader),
        indexes().run(reader),
        checks().run(reader)
    )?;
    transaction.commit().await?;
    let mut facts = DatabaseFacts::default();
    for (data_type, label) in labels {
        facts.enum_labels.entry(data_type).or_default().push(label);
    }
    for (relation, index) in indexes.into_iter().filter(|(_, index)| !index.is_partial) {
        match index.columns.first() {
            // An expression has no number.
            Some(0) | None => {}
            Some(first) => {
                facts.indexed_columns.insert((relation, *first));
            }
        }
        if index.is_unique && !index.columns.contains(&0) {
            let lists = facts.unique_indexes.entry(relation).or_default();
            lists.push(index.columns);
        }
    }
    for check in checks {
        facts.add_check(check.relation, check.column, &check.expression);
    }
    Ok(facts)
}

struct CheckRow {
    relation: Oid,
    column: i16,
    expression: String,
}

/// Checks of one column that hold for every row.
fn checks() -> CatalogQuery<CheckRow> {
    CatalogQuery {
        part: CatalogPart::Relations,
        text: format!(
            "SELECT conrelid, conkey[1], expression FROM pg_constraint, \
               LATERAL (SELECT coalesce(pg_get_expr(conbin, conrelid), '')) AS own(expression) \
             WHERE contype = 'c' AND convalidated AND cardinality(conkey) = 1 \
               AND conrelid >= {FIRST_OF_USERS} \
               AND octet_length(expression) < {LINT_CHECK_BYTES_MAX} \
             ORDER BY conrelid, conname"
        ),
        decode: |fields| {
            Ok(CheckRow {
                relation: Oid(fields.next()?),
                column: fields.next()?,
                expression: fields.text()?,
            })
        },
    }
}
