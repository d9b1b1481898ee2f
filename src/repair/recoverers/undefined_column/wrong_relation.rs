//! What stands against moving a column to another relation of the same FROM that has it.

use crate::names::context::{MissingColumn, NameRepairContext, VisibleItem, spelled};
use crate::names::reference_position::{ExpressionRole, JoinSide, ReferenceClause};
use crate::names::reference_scopes::{PlacedReference, ReferenceScope, ScopeEntry};
use crate::names::similarity::NameWords;
use catalog::quote::quoted;
use sql::tree::{JoinType, Node};

/// The words of an objection; none where nothing stands against it.
pub(crate) fn objection(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    from: &VisibleItem<'_>,
    to: &VisibleItem<'_>,
) -> Option<String> {
    let place = missing.place;
    let target = spelled(to.qualifier, missing.name);
    let words = NameWords::of(missing.name);
    if place.clause_joins() || connects(place) {
        return Some(format!(
            "{} has no column {}, and {target} would join other things: write the columns that \
             the two are joined by.",
            quoted(missing.qualifier.unwrap_or_default()),
            quoted(missing.name),
        ));
    }
    let shown = from.item.columns.iter();
    let shown = shown.filter(|column| name_context.may_show_column(column));
    let mut own = shown.map(|column| column.name.as_str());
    let rival = own.find(|name| are_synonyms(missing.name, name));
    let is_own = matches!(words.list(), [only] if only == "id")
        || STAMPS.iter().any(|stamp| words.has(stamp));
    if to.level != from.level {
        return Some(format!(
            "{} has no column {}; {target}, of the query around, may be meant.",
            quoted(missing.qualifier.unwrap_or_default()),
            quoted(missing.name),
        ));
    }
    if is_own || rival.is_some() || is_used_beside(name_context, missing, to) {
        let rival = rival.map(|name| format!(" or {}", spelled(from.qualifier, name)));
        return Some(format!(
            "{} has no column {}; it may be {target}{}.",
            quoted(missing.qualifier.unwrap_or_default()),
            quoted(missing.name),
            rival.unwrap_or_default(),
        ));
    }
    let scope = name_context.places.frame(place.scope)?;
    (are_parted(scope, from, to) && is_delicate(place.role)).then(|| {
        format!(
            "{target} is there where the join finds nothing for {}, which would change the \
             result: say which one is meant.",
            quoted(missing.qualifier.unwrap_or_default()),
        )
    })
}

/// Whether two names are one word each, and words that different relations use for the same.
pub(crate) fn are_synonyms(wanted: &str, other: &str) -> bool {
    let (wanted, other) = (NameWords::of(wanted), NameWords::of(other));
    wanted.list().len() == 1
        && other.list().len() == 1
        && FAMILIES.iter().any(|family| {
            let among = |words: &NameWords| family.iter().any(|word| words.has(word));
            among(&wanted) && among(&other)
        })
}

impl PlacedReference<'_> {
    fn clause_joins(&self) -> bool {
        matches!(self.clause, ReferenceClause::On(_))
            && matches!(self.role, ExpressionRole::Compared { .. })
    }
}

/// Whether the reference is compared with a column of something else: a join, or nearly one.
fn connects(place: &PlacedReference<'_>) -> bool {
    place.role.equal_column().is_some()
}

/// Whether the very column stands in the same clause already: whoever writes both means two things.
fn is_used_beside(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    to: &VisibleItem<'_>,
) -> bool {
    let place = missing.place;
    let same_clause = |other: &PlacedReference<'_>| match (place.clause, other.clause) {
        (ReferenceClause::Target(_), ReferenceClause::Target(_)) => true,
        (one, other) => one == other,
    };
    name_context.places.refs.iter().any(|other| {
        let mut names = other.reference.fields().iter().filter_map(Node::as_str);
        other.scope == place.scope
            && same_clause(other)
            && names.next() == to.qualifier
            && names.next() == Some(missing.name)
    })
}

/// Whether an outer join stands between two things of FROM.
fn are_parted(scope: &ReferenceScope<'_>, one: &VisibleItem<'_>, other: &VisibleItem<'_>) -> bool {
    let entry = |seen: &VisibleItem<'_>| {
        let mut entries = scope.entries.iter();
        entries.find(|entry| entry.name == seen.qualifier)
    };
    let (Some(one), Some(other)) = (entry(one), entry(other)) else {
        return true;
    };
    let outer: Vec<(usize, Option<JoinSide>)> = scope
        .joins
        .iter()
        .enumerate()
        .filter(|(_, join)| join.jointype != JoinType::JOIN_INNER)
        .map(|(place, _)| (place, None))
        .collect();
    let side = |entry: &ScopeEntry<'_>, join: usize| {
        let mut joins = entry.joins.iter();
        joins.find(|(own, _)| *own == join).map(|(_, side)| *side)
    };
    outer
        .iter()
        .any(|(join, _)| side(one, *join) != side(other, *join))
}

/// What every relation has of its own.
const STAMPS: [&str; 5] = ["created", "updated", "modified", "deleted", "inserted"];

/// Words that different relations use for the same: where the named one has another of them, that
/// may be what is meant.
const FAMILIES: &[&[&str]] = &[
    &[
        "name", "title", "label", "first", "last", "nickname", "surname",
    ],
    &["date", "time", "on", "at", "timestamp"],
    &[
        "type", "kind", "category", "status", "state", "class", "stage", "level",
    ],
    &[
        "price", "amount", "cost", "total", "value", "fee", "salary", "revenue", "balance",
    ],
    &["quantity", "qty", "count", "number", "stock"],
    &[
        "description",
        "comment",
        "note",
        "text",
        "body",
        "content",
        "summary",
    ],
    &["code", "number", "no", "key", "uuid", "reference", "sku"],
    &["score", "rating", "rank", "points", "grade"],
];

/// Whether a reference is part of something whose result depends on what is NULL.
fn is_delicate(role: ExpressionRole<'_>) -> bool {
    matches!(role, ExpressionRole::Test | ExpressionRole::Argument { .. })
}
