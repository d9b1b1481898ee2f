//! What stands against moving a column to another relation of the same FROM that has it.

use super::qualifier::is_delicate;
use crate::catalog::quote::quoted;
use crate::repair::names::context::{Ground, Missing, Seen, spelled};
use crate::repair::names::reference_scopes::{Clause, Entry, Frame, Place, Role, Side};
use crate::repair::names::similarity::Words;
use crate::sql::tree::{JoinType, Node};

/// The words of an objection; none where nothing stands against it.
pub(in crate::repair) fn objection(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    from: &Seen<'_>,
    to: &Seen<'_>,
) -> Option<String> {
    let place = missing.place;
    let target = spelled(to.qualifier, missing.name);
    let words = Words::of(missing.name);
    if place.clause_joins() || connects(place) {
        return Some(format!(
            "{} has no column {}, and {target} would join other things: write the columns that \
             the two are joined by.",
            quoted(missing.qualifier.unwrap_or_default()),
            quoted(missing.name),
        ));
    }
    let mut own = from.item.columns.iter().map(|column| column.name.as_str());
    let rival = own.find(|name| are_kin(missing.name, name));
    let is_own = matches!(words.list(), [only] if only == "id")
        || STAMPS.iter().any(|stamp| words.has(stamp));
    if to.level != from.level {
        return Some(format!(
            "{} has no column {}; {target}, of the query around, may be meant.",
            quoted(missing.qualifier.unwrap_or_default()),
            quoted(missing.name),
        ));
    }
    if is_own || rival.is_some() || is_used_beside(ground, missing, to) {
        let rival = rival.map(|name| format!(" or {}", spelled(from.qualifier, name)));
        return Some(format!(
            "{} has no column {}; it may be {target}{}.",
            quoted(missing.qualifier.unwrap_or_default()),
            quoted(missing.name),
            rival.unwrap_or_default(),
        ));
    }
    let frame = ground.places.frame(place.frame)?;
    (are_parted(frame, from, to) && is_delicate(place.role)).then(|| {
        format!(
            "{target} is there where the join finds nothing for {}, which would change the \
             result: say which one is meant.",
            quoted(missing.qualifier.unwrap_or_default()),
        )
    })
}

/// Whether two names are one word each, and words that different relations use for the same.
pub(in crate::repair) fn are_kin(wanted: &str, other: &str) -> bool {
    let (wanted, other) = (Words::of(wanted), Words::of(other));
    wanted.list().len() == 1
        && other.list().len() == 1
        && FAMILIES.iter().any(|family| {
            let among = |words: &Words| family.iter().any(|word| words.has(word));
            among(&wanted) && among(&other)
        })
}

impl Place<'_> {
    fn clause_joins(&self) -> bool {
        matches!(self.clause, Clause::On(_)) && matches!(self.role, Role::Compared { .. })
    }
}

/// Whether the reference is compared with a column of something else: a join, or nearly one.
fn connects(place: &Place<'_>) -> bool {
    match place.role {
        Role::Compared { other, equal: true } => matches!(other, Node::ColumnRef(_)),
        _ => false,
    }
}

/// Whether the very column stands in the same clause already: whoever writes both means two things.
fn is_used_beside(ground: &Ground<'_>, missing: &Missing<'_>, to: &Seen<'_>) -> bool {
    let place = missing.place;
    let same_clause = |other: &Place<'_>| match (place.clause, other.clause) {
        (Clause::Target(_), Clause::Target(_)) => true,
        (one, other) => one == other,
    };
    ground.places.refs.iter().any(|other| {
        let mut names = other.reference.fields().iter().filter_map(Node::as_str);
        other.frame == place.frame
            && same_clause(other)
            && names.next() == to.qualifier
            && names.next() == Some(missing.name)
    })
}

/// Whether an outer join stands between two things of FROM.
fn are_parted(frame: &Frame<'_>, one: &Seen<'_>, other: &Seen<'_>) -> bool {
    let entry = |seen: &Seen<'_>| {
        let mut entries = frame.entries.iter();
        entries.find(|entry| entry.name == seen.qualifier)
    };
    let (Some(one), Some(other)) = (entry(one), entry(other)) else {
        return true;
    };
    let outer: Vec<(usize, Option<Side>)> = frame
        .joins
        .iter()
        .enumerate()
        .filter(|(_, join)| join.jointype != JoinType::JOIN_INNER)
        .map(|(place, _)| (place, None))
        .collect();
    let side = |entry: &Entry<'_>, join: usize| {
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
