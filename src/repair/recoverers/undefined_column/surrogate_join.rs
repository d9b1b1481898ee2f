//! A repair that would equate two keys which nothing ties to each other is not made: whatever name
//! was replaced, and by whom, the new text is looked at.

use std::collections::HashMap;
use std::ops::Range;

use super::owners;
use crate::context::tokens_of;
use crate::dependencies::equated_columns::equated_columns;
use crate::dependencies::key_ties::{CalledRelation, are_apart, are_tied, key_path};
use crate::names::context::{MissingColumn, NameRepairContext, spelled};
use crate::names::similarity::{Similarity, SimilarityKind};
use crate::scopes::query_scopes::QueryScopes;
use crate::{RecovererAnswer, Repair, TextChange};
use catalog::quote::quoted;
use resolve::ScopeColumn;
use sql::edit::{self, TextEdit};
use sql::extent::name::dotted_name;
use sql::tree::{self, Node, nodes};

/// The answer, or words in its place.
pub(super) fn checked(
    name_context: &NameRepairContext<'_>,
    missing: &[MissingColumn<'_>],
    answer: RecovererAnswer,
) -> RecovererAnswer {
    let RecovererAnswer::Repaired(repair) = &answer else {
        return answer;
    };
    match objection(name_context, missing, repair) {
        Some(advice) => RecovererAnswer::hint(advice),
        None => answer,
    }
}

/// One edit, where it was and where its text is.
struct EditedSpan {
    before: Range<usize>,
    after: Range<usize>,
}

/// The text as it becomes.
struct RewrittenText<'s, 'c> {
    name_context: &'c NameRepairContext<'c>,
    spans: Vec<EditedSpan>,
    references: HashMap<usize, &'s MissingColumn<'s>>,
    query_scopes: &'c QueryScopes<'s>,
}

/// A column of the new text that is to equal another.
struct EquatedColumn<'s> {
    column: &'s ScopeColumn<'s>,
    called: CalledRelation,
    /// The reference that it stands for, where it stands for one.
    missing: Option<&'s MissingColumn<'s>>,
    /// Whether any of it was written by the repair.
    is_new: bool,
    /// Whether it is what was written, in another case or under the alias of the same relation.
    is_as_written: bool,
}

fn objection(
    name_context: &NameRepairContext<'_>,
    missing: &[MissingColumn<'_>],
    repair: &Repair,
) -> Option<String> {
    let TextChange::Edits(edits) = &repair.rewritten else {
        return None;
    };
    let text = edit::apply(name_context.context.text, edits.clone()).ok()?;
    let spans = edited_spans(edits);
    let tree = tree::parse(&text).ok()?;
    let resolution = name_context.database.resolve(&tree)?;
    let statement = tree.statements().next()?.node;
    let (catalog, mask) = (name_context.catalog(), name_context.database.mask);
    let query_scopes = QueryScopes::of(statement, &resolution, catalog, mask)?;
    let tokens = tokens_of(&text);
    let rewritten = RewrittenText {
        name_context,
        references: references(missing, &spans),
        spans,
        query_scopes: &query_scopes,
    };
    let look = |reference: &nodes::ColumnRef| {
        let at = usize::try_from(reference.location).ok()?;
        rewritten.equated(reference, dotted_name(&text, &tokens, at)?)
    };
    for (one, other) in equated_columns(statement)? {
        let (Some(one), Some(other)) = (look(one), look(other)) else {
            continue;
        };
        let (Some(first), Some(second)) = (one.column.origin, other.column.origin) else {
            continue;
        };
        // One row beside itself is no join.
        if one.called.called == other.called.called || !one.is_new && !other.is_new {
            continue;
        }
        let stays = |side: &EquatedColumn<'_>| !side.is_new || side.is_as_written;
        let apart =
            are_apart(name_context.database, first, second) && !(stays(&one) && stays(&other));
        let renamed = first.0 != second.0 && (is_another_name(&one) || is_another_name(&other));
        if apart || renamed && !are_tied(name_context.database, first, second) {
            return Some(advice(name_context, &one, &other));
        }
    }
    None
}

fn edited_spans(edits: &[TextEdit]) -> Vec<EditedSpan> {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut added, mut removed) = (0_usize, 0_usize);
    let spans = sorted.into_iter().map(|edit| {
        let start = (edit.span.start + added).saturating_sub(removed);
        added += edit.replacement.len();
        removed += edit.span.len();
        EditedSpan {
            before: edit.span.clone(),
            after: start..start + edit.replacement.len(),
        }
    });
    spans.collect()
}

/// The references that were missing, by where they begin now.
fn references<'s>(
    missing: &'s [MissingColumn<'s>],
    spans: &[EditedSpan],
) -> HashMap<usize, &'s MissingColumn<'s>> {
    let begins = |at: usize| {
        let before = spans.iter().filter(|one| one.before.start < at);
        let (added, removed) = before.fold((0, 0), |(added, removed), one| {
            (added + one.after.len(), removed + one.before.len())
        });
        (at + added).saturating_sub(removed)
    };
    let all = missing.iter().map(|one| (begins(one.place.at), one));
    all.collect()
}

impl<'s> RewrittenText<'s, '_> {
    fn equated(
        &self,
        reference: &nodes::ColumnRef,
        span: Range<usize>,
    ) -> Option<EquatedColumn<'s>> {
        let column_index = self.query_scopes.column_at(reference.location)?;
        let column = self.query_scopes.column(column_index)?;
        let (relation, _) = column.origin?;
        let meets = |one: &Range<usize>| one.start < span.end && span.start < one.end;
        let touching: Vec<&EditedSpan> = (self.spans.iter())
            .filter(|one| meets(&one.after))
            .collect();
        let own = self.references.get(&span.start).copied();
        let names: Vec<&str> = reference.fields().iter().filter_map(Node::as_str).collect();
        let name = names.last().copied().unwrap_or_default();
        let is_as_written = own.is_some_and(|one| {
            let kept = touching.iter().all(|edit| {
                let last = one.parts.last();
                last.is_some_and(|last| last.start <= edit.before.start)
            });
            let of_relation = one.qualifier.is_some_and(|qualifier| {
                qualifier.eq_ignore_ascii_case(self.name_context.name_of(relation))
            });
            one.name.to_lowercase() == name.to_lowercase() && (kept || of_relation)
        });
        let called = match names.as_slice() {
            [.., qualifier, _] => (*qualifier).to_owned(),
            _ => self.query_scopes.leaf(column_index)?.name?.to_owned(),
        };
        Some(EquatedColumn {
            column,
            called: CalledRelation {
                called: quoted(&called).into_owned(),
                relation,
            },
            missing: own,
            is_new: !touching.is_empty() || own.is_some(),
            is_as_written,
        })
    }
}

/// Whether a column is called otherwise than what was written, a slip aside.
fn is_another_name(side: &EquatedColumn<'_>) -> bool {
    side.missing.is_some_and(|one| {
        // `"o.customer_id"`: both names in one pair of quotes.
        let (_, written) = one.name.rsplit_once('.').unwrap_or(("", one.name));
        let likeness = Similarity::of(written, side.column.name.as_str(), &[]);
        likeness.similarity_kind > SimilarityKind::Aligned
    })
}

fn advice(
    name_context: &NameRepairContext<'_>,
    one: &EquatedColumn<'_>,
    other: &EquatedColumn<'_>,
) -> String {
    let shown = |side: &EquatedColumn<'_>| {
        format!(
            "{}.{}",
            side.called.called,
            quoted(side.column.name.as_str())
        )
    };
    let mut advice = String::new();
    for missing in [one, other].into_iter().filter_map(|side| side.missing) {
        let whole = spelled(missing.qualifier, missing.name);
        advice.push_str(&format!("There is no column {whole}. "));
    }
    advice.push_str(&format!(
        "{} = {} would equate what no declared key ties to each other.",
        shown(one),
        shown(other)
    ));
    advice.push_str(&key_path(name_context, &one.called, &other.called).unwrap_or_default());
    for missing in [one, other].into_iter().filter_map(|side| side.missing) {
        advice.push_str(&owners::words(name_context, missing, &advice));
    }
    advice
}
