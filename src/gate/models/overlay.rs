//! The models that masks of columns and conditions on rows come to, against a snapshot.
//!
//! What is written here are names in quotes, functions and operators with their schema, and the
//! conditions of the policy: no name in it is looked up where a user could have put another thing.

use super::hashed;
use crate::access;
use crate::access::{AccessTable, RelationOverlay};
use catalog::{Catalog, Column, RelationId};
use policy::model::ModelPiece;
use policy::overlay::ColumnMask;
use policy::{Policy, PolicyModel, PolicyRule, RuleMode};

/// A model of a relation that patterns name.
pub(super) struct OverlayModel {
    /// The relation.
    pub(super) id: RelationId,
    /// The model, under its name.
    pub(super) model: PolicyModel,
    /// Why there is none.
    pub(super) wrong: Option<String>,
    /// The places of the policy's conditions in it.
    pub(super) filters: Vec<usize>,
}

/// All of them.
pub(super) fn all(catalog: &Catalog, policy: &Policy, table: &AccessTable) -> Vec<OverlayModel> {
    let relations = catalog.relations().map(|(id, _)| id);
    let overlay = relations.filter_map(|id| Some((id, table.overlay(id)?)));
    let overlay = overlay.filter(|(id, _)| !table.views_over_overlays().contains(id));
    overlay
        .map(|(id, overlay)| of(catalog, policy, table, id, overlay))
        .collect()
}

fn of(
    catalog: &Catalog,
    policy: &Policy,
    table: &AccessTable,
    id: RelationId,
    overlay: &RelationOverlay,
) -> OverlayModel {
    let (names, relation) = (catalog.names(), catalog.relation(id));
    let schema = names.text(catalog.schema(relation.schema).name);
    let name = names.text(relation.name);
    // What is only watched over is still read.
    let hides = policy.mode_of(PolicyRule::ColumnDenied) == RuleMode::Enforce;
    let columns = catalog.columns_of(id).iter();
    let shown = columns.filter(|column| !hides || !table.hides(id, column.number));
    let mut wrong = overlay.wrong.clone();
    let mut listed = Vec::new();
    for column in shown {
        match read_as(catalog, column, overlay, policy) {
            Ok(text) => listed.push(text),
            Err(what) => wrong = wrong.or(Some(what)),
        }
    }
    let from = format!("{}.{}", in_quotes(schema), in_quotes(name));
    let mut pieces = vec![ModelPiece::Sql(format!(
        "SELECT {} FROM {from}",
        listed.join(", ")
    ))];
    let filters = overlay.filters.iter();
    let filters = filters.filter_map(|place| policy.access().rows.get(*place));
    for (at, filter) in filters.enumerate() {
        let word = if at == 0 { " WHERE (" } else { " AND (" };
        pieces.push(ModelPiece::Sql(word.into()));
        pieces.extend(filter.pieces.iter().cloned());
        pieces.push(ModelPiece::Sql(")".into()));
    }
    OverlayModel {
        id,
        model: PolicyModel {
            schema: schema.into(),
            name: name.into(),
            pieces,
            ..PolicyModel::default()
        },
        wrong,
        filters: overlay.filters.clone(),
    }
}

/// A column as it is read.
fn read_as(
    catalog: &Catalog,
    column: &Column,
    overlay: &RelationOverlay,
    policy: &Policy,
) -> Result<String, String> {
    let name = catalog.names().text(column.name);
    let own = in_quotes(name);
    let mut masks = overlay.masks.iter();
    let Some((_, mask)) = masks.find(|(number, _)| *number == column.number) else {
        return Ok(own);
    };
    let text_type = || {
        let oid = catalog.data_type(column.type_id).oid.0;
        let found = TEXT_TYPES.iter().find(|(own, _)| *own == oid);
        found.map(|(_, name)| *name).ok_or_else(|| {
            let type_name = catalog.type_name(column.type_id);
            format!("its column {name} is of type {type_name}, and the mask {mask} is for text")
        })
    };
    let is_kept = policy.mode_of(access::rule_of_unknown_reads(policy)) == RuleMode::Enforce;
    let masked = match mask {
        // Its type is that of the column. While functions that may read anything are only watched
        // over, one of them could read the session's part of the key: no text may have the other.
        ColumnMask::Hash if !is_kept => {
            text_type()?;
            format!("CASE WHEN false THEN {own} END")
        }
        ColumnMask::Null => format!("CASE WHEN false THEN {own} END"),
        ColumnMask::Partial => {
            let type_name = text_type()?;
            let text = format!("CAST({own} AS pg_catalog.text)");
            shortened(
                &text,
                2,
                &format!("pg_catalog.\"left\"({text}, 1)"),
                type_name,
                true,
            )
        }
        ColumnMask::Last(letters) => {
            let type_name = text_type()?;
            let text = format!("CAST({own} AS pg_catalog.text)");
            let end = format!("pg_catalog.\"right\"({text}, {letters})");
            shortened(&text, 2 * u16::from(*letters), &end, type_name, false)
        }
        ColumnMask::Hash => {
            let type_name = text_type()?;
            let key = policy
                .mask_key()
                .ok_or("the mask hash wants policy.mask_key_file in the settings")?;
            let text = format!("CAST({own} AS pg_catalog.text)");
            let hash = hashed::expression(&text, key);
            format!("CAST({hash} AS pg_catalog.{type_name})")
        }
    };
    Ok(format!("{masked} AS {own}"))
}

/// A text that shows a part of another one, where that is longer than so many letters: of a short
/// one it would be all, or nearly.
fn shortened(text: &str, least: u16, part: &str, type_name: &str, is_first: bool) -> String {
    let stars = "CAST('***' AS pg_catalog.text)";
    let (first, second) = if is_first {
        (part, stars)
    } else {
        (stars, part)
    };
    format!(
        "CAST(CASE WHEN pg_catalog.length({text}) OPERATOR(pg_catalog.>) {least} \
         THEN {first} OPERATOR(pg_catalog.||) {second} \
         WHEN {text} IS NOT NULL THEN {stars} END AS pg_catalog.{type_name})"
    )
}

fn in_quotes(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The types of texts, by their oids.
const TEXT_TYPES: &[(u32, &str)] = &[(25, "text"), (1043, "\"varchar\""), (1042, "bpchar")];

#[cfg(test)]
#[path = "overlay_tests.rs"]
pub(super) mod tests;
