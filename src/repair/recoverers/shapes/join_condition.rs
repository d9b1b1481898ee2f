//! A JOIN without ON, where exactly one declared key joins what stands there.

use super::query_clauses::{Clause, ClauseKind, queries};
use crate::SessionDatabase;
use crate::names::letter_case::{folded, unquoted};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::recoverers::syntax_error::token_repair::{TokenRepair, edit};
use catalog::quote::quoted;
use catalog::{KeyKind, RelationId, RelationKey};
use sql::lexer::TokenKind;

/// What can be said of the joins of a text.
pub(in crate::recoverers) enum JoinRepair {
    /// Each gets its condition.
    Joined(TokenRepair),
    /// No key, or more than one, joins what stands there.
    Unknown,
}

/// Something in FROM.
struct JoinItem<'e> {
    relation: Option<RelationId>,
    /// What qualifies its columns, as it is written.
    qualifier: &'e str,
    /// The first token behind it.
    end: usize,
    /// Whether it is joined, and has no condition.
    lacks_condition: bool,
}

/// Looks at the joins of a text that does not parse.
pub(in crate::recoverers) fn find(
    edited: &EditedText,
    database: Option<&SessionDatabase<'_>>,
) -> Option<JoinRepair> {
    let database = database?;
    let mut edits = Vec::new();
    let mut is_unknown = false;
    for query in queries(edited) {
        for clause in (query.clauses.iter()).filter(|clause| clause.kind == ClauseKind::From) {
            let items = items(edited, clause, database);
            for (place, item) in items
                .iter()
                .enumerate()
                .filter(|(_, item)| item.lacks_condition)
            {
                let before = items.get(..place).unwrap_or_default();
                match condition(before, item, database) {
                    Some(condition) => {
                        let at = edited.span(item.end.saturating_sub(1)).end;
                        edits.push(edit(at..at, format!(" ON {condition}")));
                    }
                    None => is_unknown = true,
                }
            }
        }
    }
    match (is_unknown, edits.is_empty()) {
        (true, _) => Some(JoinRepair::Unknown),
        (false, true) => None,
        (false, false) => edited.parse_with(&edits).map(|_| {
            JoinRepair::Joined(TokenRepair {
                edits,
                change: "a JOIN without a condition is joined by the only key between both"
                    .to_owned(),
            })
        }),
    }
}

/// What stands in a FROM, in its order.
fn items<'e>(
    edited: &'e EditedText,
    clause: &Clause,
    database: &SessionDatabase<'_>,
) -> Vec<JoinItem<'e>> {
    let mut items: Vec<JoinItem<'e>> = Vec::new();
    let mut place = clause.first;
    while place <= clause.last {
        let begins =
            place == clause.first || edited.is(place, "join") || edited.is_sign(place, ",");
        let is_conditioned = edited.is_any(place, &["on", "using"]);
        if begins {
            let needs = edited.is(place, "join") && !edited.follows(place, &["cross", "natural"]);
            let item = item(edited, place.saturating_add(1), needs, database);
            place = item.end.max(place.saturating_add(1));
            items.push(item);
            continue;
        }
        if is_conditioned && let Some(item) = items.last_mut() {
            item.lacks_condition = false;
        }
        place = match edited.is_sign(place, "(") {
            true => behind_parentheses(edited, place),
            false => place.saturating_add(1),
        };
    }
    items
}

fn item<'e>(
    edited: &'e EditedText,
    first: usize,
    lacks_condition: bool,
    database: &SessionDatabase<'_>,
) -> JoinItem<'e> {
    let mut end = first;
    let mut parts: Vec<String> = Vec::new();
    let mut qualifier = "";
    if edited.is_sign(first, "(") {
        end = behind_parentheses(edited, first);
    } else {
        while is_name(edited, end) {
            qualifier = edited.word(end);
            parts.push(unquoted(qualifier).unwrap_or_else(|| folded(qualifier)));
            end = end.saturating_add(1);
            if !edited.is_sign(end, ".") {
                break;
            }
            end = end.saturating_add(1);
        }
    }
    let alias = match edited.is(end, "as") {
        true => end.saturating_add(1),
        false => end,
    };
    if is_name(edited, alias) && !edited.is_any(alias, BEHIND_ITEMS) {
        qualifier = edited.word(alias);
        end = alias.saturating_add(1);
    }
    // A call, or what is not understood, is no relation.
    let relation = match edited.is_sign(end, "(") {
        true => None,
        false => relation(&parts, database),
    };
    JoinItem {
        relation,
        qualifier,
        end,
        lacks_condition,
    }
}

fn is_name(edited: &EditedText, place: usize) -> bool {
    matches!(
        edited.kind(place),
        Some(TokenKind::Word | TokenKind::QuotedName)
    )
}

fn behind_parentheses(edited: &EditedText, open: usize) -> usize {
    let mut depth = 0_usize;
    for place in open..edited.tokens.len() {
        if edited.is_sign(place, "(") {
            depth = depth.saturating_add(1);
        } else if edited.is_sign(place, ")") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return place.saturating_add(1);
            }
        }
    }
    edited.tokens.len()
}

/// The relation of a name that the client may see.
fn relation(parts: &[String], database: &SessionDatabase<'_>) -> Option<RelationId> {
    let catalog = database.catalog;
    let (name, schema) = match parts {
        [name] => (name, None),
        [schema, name] => (
            name,
            Some(catalog.index().schema(catalog.names().find(schema)?)?),
        ),
        _ => return None,
    };
    let named = catalog.index().relations(catalog.names().find(name)?);
    let in_schema = |schema| {
        let mut named = named.iter().copied();
        named.find(|id| catalog.relation(*id).schema == schema)
    };
    let found = match schema {
        Some(schema) => in_schema(schema),
        None => database
            .path
            .schemas()
            .iter()
            .find_map(|schema| in_schema(*schema)),
    };
    found.filter(|id| database.rights().sees_relation(*id))
}

/// The condition by which the only key between an item and those before it joins them.
fn condition(
    before: &[JoinItem<'_>],
    item: &JoinItem<'_>,
    database: &SessionDatabase<'_>,
) -> Option<String> {
    let own = item.relation?;
    let mut found: Vec<String> = Vec::new();
    for other in before {
        // What is not known could be joined by anything.
        let relation = other.relation?;
        let sides = [
            (own, item.qualifier, relation, other.qualifier),
            (relation, other.qualifier, own, item.qualifier),
        ];
        let sides = sides.iter().take(if own == relation { 1 } else { 2 });
        for (child, child_name, parent, parent_name) in sides {
            let keys = database.joining_keys_of(*child);
            for key in keys.filter(|key| leads_to(key, *parent)) {
                found.push(equalities(
                    key,
                    (*child, child_name),
                    (*parent, parent_name),
                    database,
                )?);
            }
        }
    }
    let only = found.pop();
    only.filter(|_| found.is_empty())
}

fn leads_to(key: &RelationKey, parent: RelationId) -> bool {
    matches!(key.kind, KeyKind::Foreign { to, .. } if to == parent)
}

fn equalities(
    key: &RelationKey,
    (child, child_name): (RelationId, &str),
    (parent, parent_name): (RelationId, &str),
    database: &SessionDatabase<'_>,
) -> Option<String> {
    let KeyKind::Foreign { to_columns, .. } = &key.kind else {
        return None;
    };
    let covers = |id| database.mask.is_some_and(|mask| mask.covers(id));
    if covers(child) || covers(parent) {
        return None;
    }
    let rights = database.rights();
    let name = |of: RelationId, number: i16| {
        let mut columns = database.catalog.columns_of(of).iter();
        let column = columns.find(|column| column.number == number)?;
        let is_seen = rights.may_read_column(of, column);
        is_seen.then(|| quoted(database.catalog.names().text(column.name)).into_owned())
    };
    let pairs = key.columns.iter().zip(to_columns.iter());
    let pairs: Option<Vec<String>> = pairs
        .map(|(from, to)| {
            let (from, to) = (name(child, *from)?, name(parent, *to)?);
            Some(format!("{child_name}.{from} = {parent_name}.{to}"))
        })
        .collect();
    Some(pairs?.join(" AND "))
}

/// Words behind something in FROM that are no alias.
const BEHIND_ITEMS: &[&str] = &[
    "join",
    "left",
    "right",
    "full",
    "inner",
    "cross",
    "natural",
    "on",
    "using",
    "where",
    "group",
    "order",
    "having",
    "limit",
    "offset",
    "fetch",
    "union",
    "intersect",
    "except",
    "window",
    "for",
];
