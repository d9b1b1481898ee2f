//! References to columns that are written with the schema of a model, which has none.

use std::borrow::Cow;
use std::ops::Range;

use super::from_names::StatementNames;
use super::name_span::NonBlankTokens;
use crate::Refusal;
use crate::rules::model;
use catalog::quote::quoted;
use sql::tree::nodes;

/// What is put where: `shop.customers.id` is `customers.id` where `shop.customers` is a SELECT of
/// that name. `names` are those of models without an alias, `own` all names that stand for models.
pub(crate) fn of(
    named: &StatementNames<'_>,
    names: &[(&str, &str)],
    own: &[&nodes::RangeVar],
    written: &NonBlankTokens<'_>,
) -> Result<Vec<(Range<usize>, String)>, Box<Refusal>> {
    let mut puts = Vec::new();
    for column in &named.columns {
        let fields = column.fields();
        let from_end = |back: usize| {
            let at = fields.len().checked_sub(back)?;
            fields.get(at)?.as_str()
        };
        let (Some(schema), Some(name)) = (from_end(3), from_end(2)) else {
            continue;
        };
        if !names.contains(&(schema, name)) {
            continue;
        }
        let is_other = |table: &nodes::RangeVar| {
            let is_own = own.iter().any(|one| std::ptr::eq(*one, table));
            !is_own && table.alias().is_none() && table.relname() == Some(name)
        };
        if named.aliases.contains(&name) || named.tables.iter().any(|table| is_other(table.node)) {
            return Err(model::form(
                "a column is written with the schema of a model, and another table has its name",
                "Give the tables aliases, and write columns with those.",
            ));
        }
        let parts = written.parts(column.location, fields.len());
        let put = parts.and_then(|parts| {
            let table = parts.get(parts.len().checked_sub(2)?)?;
            let from = parts.first()?.start;
            // Behind a dot every word is a name.
            Some(match (written.is_word(table), quoted(name)) {
                (true, Cow::Owned(in_quotes)) => (from..table.end, in_quotes),
                _ => (from..table.start, String::new()),
            })
        });
        puts.push(put.ok_or_else(|| model::not_resolved(Some(name)))?);
    }
    Ok(puts)
}
