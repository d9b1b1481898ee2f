//! What a policy lays over one relation: masks of its columns, and conditions on its rows.
//!
//! Rows of a partition are rows of what it is a part of, so what is laid over one of a family is
//! laid over all of it.

use catalog::unreadable_names::is_kept;
use catalog::{Catalog, RelationId, RelationKind, SchemaKind};
use policy::Policy;
use policy::access::Glob;
use policy::overlay::{ColumnMask, MaskedColumns};

/// What is laid over a relation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RelationOverlay {
    /// The numbers of columns, with what is read in their place.
    pub(crate) masks: Vec<(i16, ColumnMask)>,
    /// The places of the policy's conditions that its rows have to meet.
    pub(crate) filters: Vec<usize>,
    /// Why nothing can be read.
    pub(crate) wrong: Option<String>,
}

/// What is laid over a relation, which has these names, its own first and then those of its
/// family; none where nothing is.
pub(super) fn of(
    catalog: &Catalog,
    id: RelationId,
    names: &[(&str, &str)],
    policy: &Policy,
) -> Option<RelationOverlay> {
    let access = policy.access();
    if names
        .iter()
        .any(|(schema, name)| is_kept(schema) || is_kept(name))
    {
        return Some(wrong(
            "its name, or that of a part of it, is not readable".into(),
        ));
    }
    let of_member = |(schema, name): &(&str, &str)| {
        let all = access.columns_masked.iter();
        let named = all.filter(|masked| masked.pattern.relation.names(schema, name));
        named.collect::<Vec<_>>()
    };
    let members: Vec<Vec<&MaskedColumns>> = names.iter().map(of_member).collect();
    let mut overlay = RelationOverlay::default();
    for column in catalog.columns_of(id) {
        let name = catalog.names().text(column.name);
        match mask_of(&members, name) {
            Ok(None) => {}
            Ok(Some(mask)) => overlay.masks.push((column.number, mask)),
            Err(what) => return Some(wrong(what)),
        }
    }
    if let Some(pattern) = misspelt(catalog, id, members.first()) {
        return Some(wrong(format!("it has no column {pattern}")));
    }
    let filters = access.rows.iter().enumerate().filter(|(_, filter)| {
        let mut names = names.iter();
        names.any(|(schema, name)| filter.pattern.names(schema, name))
    });
    overlay.filters = filters.map(|(place, _)| place).collect();
    let is_nothing = overlay.masks.is_empty() && overlay.filters.is_empty();
    (!is_nothing).then_some(overlay)
}

/// Whether rows are read from it that are not the server's own.
pub(super) fn holds_rows(catalog: &Catalog, id: RelationId) -> bool {
    let relation = catalog.relation(id);
    let is_own = matches!(
        catalog.schema(relation.schema).kind,
        SchemaKind::Ordinary | SchemaKind::Temporary
    );
    is_own
        && matches!(
            relation.kind,
            RelationKind::Table
                | RelationKind::PartitionedTable
                | RelationKind::View
                | RelationKind::MaterializedView
                | RelationKind::ForeignTable
        )
}

/// A pattern of a column that names the relation alone, and none of its columns: what it was meant
/// for would be shown.
fn misspelt<'m>(
    catalog: &Catalog,
    id: RelationId,
    own: Option<&Vec<&'m MaskedColumns>>,
) -> Option<&'m Glob> {
    let has = |glob: &Glob| {
        let mut columns = catalog.columns_of(id).iter();
        columns.any(|column| glob.matches(catalog.names().text(column.name)))
    };
    let mut exact = own?.iter().map(|masked| &masked.pattern);
    let found = exact.find(|pattern| !pattern.relation.is_wild() && !has(&pattern.column));
    found.map(|pattern| &pattern.column)
}

/// The mask of a column in a family, by the masks that name each member: what is NULL for one of it
/// is NULL for all.
fn mask_of(members: &[Vec<&MaskedColumns>], column: &str) -> Result<Option<ColumnMask>, String> {
    let mut agreed: Option<ColumnMask> = None;
    for named in members {
        if is_kept(column) && !named.is_empty() {
            return Err("the name of a column is not readable".into());
        }
        let of_column = |masked: &&&MaskedColumns| masked.pattern.column.matches(column);
        let of_column = named.iter().filter(of_column);
        let Some(most) = of_column.clone().map(|masked| masked.exactness()).max() else {
            continue;
        };
        for masked in of_column.filter(|masked| masked.exactness() == most) {
            agreed = match agreed {
                None => Some(masked.mask),
                Some(other) if other == masked.mask => Some(other),
                Some(ColumnMask::Null) => Some(ColumnMask::Null),
                Some(_) if masked.mask == ColumnMask::Null => Some(ColumnMask::Null),
                Some(other) => {
                    return Err(format!(
                        "its column {column} has two masks, {other} and {} ({}): write one \
                         without wildcards",
                        masked.mask, masked.pattern
                    ));
                }
            };
        }
    }
    Ok(agreed)
}

fn wrong(what: String) -> RelationOverlay {
    RelationOverlay {
        wrong: Some(what),
        ..RelationOverlay::default()
    }
}
