//! Names with spaces or signs in them, which Postgres takes for one word and what follows it.

use std::ops::Range;

use super::name_replacement::{NamePart, WrittenReference};
use super::{IdentifierQuoter, ResolvedDraft};
use crate::context::tokens_of;
use crate::names::letter_case::CaseChoice;
use crate::recoverers::syntax_error::spaced_names;
use resolve::{ScopeItem, ScopeView};

/// What a name with spaces could be.
pub(super) enum SpacedName {
    /// It stands in these bytes, and there is no other reading.
    Only(Range<usize>, String),
    /// Its first word is a name as well.
    OneOfTwo,
}

impl IdentifierQuoter<'_> {
    /// A name with spaces or signs in it that Postgres took for one word and what follows it.
    pub(super) fn spaced(
        &mut self,
        found: &WrittenReference,
        views: &[&ScopeView<'_>],
        stand: &ResolvedDraft<'_, '_>,
    ) -> Option<SpacedName> {
        let last = found.parts.last().filter(|last| !last.is_quoted)?;
        let items: Vec<&ScopeItem<'_>> = match found.parts.as_slice() {
            [_] => (views.first()?.items.iter())
                .filter(|item| item.is_seen_unqualified())
                .collect(),
            [of, _] => {
                let items = views.iter().flat_map(|view| &view.items);
                items.filter(|item| item.is_called(&of.means)).collect()
            }
            _ => return None,
        };
        let columns = items.iter().flat_map(|item| item.columns.iter());
        let names: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        self.comparisons = self.comparisons.saturating_add(names.len());
        let odd = spaced_names::odd_names(names.iter().copied());
        if odd.is_empty() {
            return None;
        }
        let tokens = tokens_of(&stand.composed.text);
        self.comparisons = self.comparisons.saturating_add(tokens.len());
        let start = stand.composed.start(last.place)?;
        let place = tokens.partition_point(|token| token.span.start < start);
        let (end, name) = spaced_names::longest(&stand.composed.text, &tokens, place, &odd)?;
        Some(match self.choose_column(last, items.iter().copied()) {
            CaseChoice::Nothing => SpacedName::Only(start..end, name.to_owned()),
            CaseChoice::One(_) | CaseChoice::Several(_) => SpacedName::OneOfTwo,
        })
    }

    /// A name with parentheses in it that Postgres took for a call: `Enrollment (K-12)`.
    pub(super) fn spaced_call(&mut self, at: usize, stand: &ResolvedDraft<'_, '_>) -> bool {
        let resolution = stand.resolution;
        let (Some(found), Some(scope)) = (
            self.draft.reference(stand.composed, at),
            resolution.scope_at(at),
        ) else {
            return false;
        };
        let views: Vec<&ScopeView<'_>> = resolution.scopes_from(scope).collect();
        match self.spaced(&found, &views, stand) {
            Some(SpacedName::Only(span, name)) => {
                self.draft.replace_span(stand.composed, &span, &name)
            }
            Some(SpacedName::OneOfTwo) | None => false,
        }
    }

    /// A relation whose name is no word, and of which Postgres took the first word for the name.
    pub(super) fn spaced_relation(
        &mut self,
        name: &NamePart,
        stand: &ResolvedDraft<'_, '_>,
    ) -> bool {
        let catalog = self.database.catalog;
        let path = self.database.path.schemas();
        let relations = catalog.relations().filter(|(id, relation)| {
            path.contains(&relation.schema) && self.rights.sees_relation(*id)
        });
        let names = relations.map(|(_, relation)| catalog.names().text(relation.name));
        let odd: Vec<&str> = spaced_names::odd_names(names);
        self.comparisons = self.comparisons.saturating_add(catalog.relations().len());
        let tokens = tokens_of(&stand.composed.text);
        self.comparisons = self.comparisons.saturating_add(tokens.len());
        let Some(start) = stand.composed.start(name.place) else {
            return false;
        };
        let place = tokens.partition_point(|token| token.span.start < start);
        match spaced_names::longest(&stand.composed.text, &tokens, place, &odd) {
            Some((end, own)) => self.draft.replace_span(stand.composed, &(start..end), own),
            None => false,
        }
    }
}
