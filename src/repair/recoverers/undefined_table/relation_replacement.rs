//! The right relation in the place of one that does not exist.

use super::missing_relation::{MissingRelation, RelationTarget};
use crate::Confidence;
use crate::names::context::NameRepairContext;
use crate::names::name_repair::{NameFix, NameRepair, NameReplacement};
use crate::names::reference_scopes::PlacedReference;
use catalog::RelationId;
use catalog::quote::quoted;
use sql::edit::TextEdit;
use sql::tree::{Node, nodes};

/// The right name in FROM; where columns are qualified by the old one, it stays as an alias.
pub(super) fn replace_relation(
    name_context: &NameRepairContext<'_>,
    absent: &MissingRelation<'_>,
    target: RelationTarget<'_>,
    confidence: Confidence,
) -> Option<NameFix> {
    let table = absent.table;
    let count =
        1 + usize::from(table.schemaname().is_some()) + usize::from(table.catalogname().is_some());
    let parts = name_context.parts(absent.at, count)?;
    let span = parts.first()?.start..parts.last()?.end;
    let (mut right, name) = match target {
        RelationTarget::Common(name) => (quoted(name).into_owned(), name),
        RelationTarget::Relation(id) => (
            spelled_relation(name_context, id, table),
            name_context.name_of(id),
        ),
    };
    let change = format!("{right} stands for {}", name_context.text(&span));
    let mut beside = Vec::new();
    let qualifies = |place: &PlacedReference<'_>, parts: usize| {
        let fields = place.reference.fields();
        let mut names = fields.iter().filter_map(Node::as_str);
        fields.len() == parts && names.nth(parts.saturating_sub(2)) == Some(absent.name)
    };
    let refs = || name_context.places.refs.iter();
    if table.alias().is_none() {
        if name != absent.name && refs().any(|place| qualifies(place, 2)) {
            right.push_str(" AS ");
            right.push_str(name_context.text(parts.last()?));
        }
        for place in refs().filter(|place| qualifies(place, 3)) {
            // The schema is left out: the name alone says which one it is.
            let parts = name_context.parts(place.at, 3)?;
            let [schema, own, _] = parts.as_slice() else {
                return None;
            };
            let span = schema.start..own.start;
            let replacement = String::new();
            beside.push(TextEdit { span, replacement });
        }
    }
    Some(NameFix::Repaired(NameRepair {
        confidence,
        span,
        with: NameReplacement::Text(right),
        beside,
        change,
        renamed: None,
    }))
}

/// A relation as it is written: with its schema where one is written, or where the path does not
/// lead to it.
fn spelled_relation(
    name_context: &NameRepairContext<'_>,
    id: RelationId,
    table: &nodes::RangeVar,
) -> String {
    let catalog = name_context.catalog();
    let name = name_context.name_of(id);
    let mut path = name_context.database.path.schemas().iter();
    let first = path.find_map(|schema| {
        let named = catalog.index().relations(catalog.relation(id).name);
        let mut here = named.iter().copied();
        here.find(|own| catalog.relation(*own).schema == *schema)
    });
    let is_bare =
        table.schemaname().is_none() && !table.relname().unwrap_or_default().contains('.');
    match is_bare && first == Some(id) {
        true => quoted(name).into_owned(),
        false => format!(
            "{}.{}",
            catalog.schema_name(catalog.relation(id).schema),
            quoted(name)
        ),
    }
}
