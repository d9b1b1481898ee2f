//! `quote_identifiers`: names whose case matters.
//!
//! # Sees
//! A relation, column, alias, common table or schema that nothing is called by as Postgres folds
//! it, where something in scope or on the search_path is called by it in exactly the case written,
//! or one thing alone is where case does not count.
//!
//! # Why
//! Databases that came from elsewhere have names in mixed case, and other databases do not ask for
//! quotes around them. There is one reading: Postgres itself finds nothing.
//!
//! # Before
//! - `SELECT CDSCode FROM Schools`
//! - `SELECT s.cdscode FROM schools AS s ORDER BY s.AvgScrMath`
//! - `SELECT name AS "Name" FROM customers ORDER BY Name`
//!
//! # After
//! - `SELECT "CDSCode" FROM "Schools"`
//! - `SELECT s."CDSCode" FROM "Schools" AS s ORDER BY s."AvgScrMath"`
//!
//! # When not
//! A name that folds to an existing one, in strings, comments and functions. A name in quotes that
//! could be meant as a string: quoted ones are looked at only where they name a relation, or
//! qualify, or are qualified, compared, aggregated, sorted or grouped by. A name that is wrong in
//! its own query and right in one around it. Several names that differ in case alone are a hint.

pub(super) mod case_variants;
pub(super) mod name_replacement;
pub(super) mod output_names;
mod spaced_identifiers;

use super::quote_identifiers::case_variants::CaseVariants;
use super::quote_identifiers::name_replacement::{
    ComposedDraft, NamePart, RenamingDraft, WrittenReference,
};
use super::quote_identifiers::output_names::OutputNamesByKey;
use super::quote_identifiers::spaced_identifiers::SpacedName;
use crate::names::letter_case::{CaseChoice, choose, is_same, which_of};
use crate::recoverers::syntax_error;
use crate::{RecovererAnswer, RepairContext, SessionDatabase};
use catalog::RolePrivileges;
use ground::limits;
use resolve::{ColumnVisibility, Resolution, ScopeItem, ScopeView, UsedObject};
use sql::tree;

/// Quotes what has to be quoted. Silent where nothing has.
pub fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let (Some(database), Some(_)) = (context.database, context.resolution) else {
        return RecovererAnswer::Silent;
    };
    if let Some(answer) = typographic(context) {
        return answer;
    }
    let rights = database.rights();
    let mut look = IdentifierQuoter {
        database,
        rights: &rights,
        draft: RenamingDraft::new(context),
        several: None,
        comparisons: 0,
    };
    for _ in 0..limits::QUOTE_PASSES_MAX {
        if !look.pass() {
            break;
        }
    }
    let several = look.several;
    let (edits, names) = look.draft.into_edits();
    if edits.is_empty() {
        return several.map_or(RecovererAnswer::Silent, |(written, names)| {
            which_of(&written, &names)
        });
    }
    let verb = if names.len() == 1 { "is" } else { "are" };
    let change = format!(
        "{} {verb} spelled as in the database, where case matters",
        names.join(", ")
    );
    RecovererAnswer::exact(edits, change)
}

/// One look at one text.
struct IdentifierQuoter<'a> {
    database: &'a SessionDatabase<'a>,
    rights: &'a RolePrivileges<'a>,
    draft: RenamingDraft<'a>,
    /// A name for which there are several that differ in case.
    several: Option<(String, Vec<String>)>,
    comparisons: usize,
}

/// The draft as it stands, and what its names mean.
struct ResolvedDraft<'r, 't> {
    composed: &'r ComposedDraft,
    resolution: &'r Resolution<'t>,
    result_names: OutputNamesByKey<'t>,
}

impl IdentifierQuoter<'_> {
    /// Exchanges what is wrong in the draft as it stands; whether anything was.
    fn pass(&mut self) -> bool {
        let database = self.database;
        let composed = self.draft.compose();
        let Ok(tree) = tree::parse(&composed.text) else {
            return false;
        };
        let Some(resolution) = database.resolve(&tree) else {
            return false;
        };
        let Some(statement) = tree.statements().next() else {
            return false;
        };
        let stand = ResolvedDraft {
            composed: &composed,
            resolution: &resolution,
            result_names: output_names::of(statement.node),
        };
        let spellings = CaseVariants::of(database, self.rights, &resolution);
        let (mut changes, mut is_missing) = (false, false);
        for used in &resolution.uses {
            let Some(at) = used.at else { continue };
            changes |= match &used.what {
                UsedObject::MissingRelation { name, .. } => {
                    let reference = self.reference(&stand, at, name.as_str());
                    reference.is_some_and(|found| self.relation(&found, at, &stand, &spellings))
                }
                UsedObject::MissingColumn { name, .. } => {
                    let reference = self.reference(&stand, at, name.as_str());
                    is_missing = true;
                    reference.is_some_and(|found| self.column(&found, at, &stand))
                }
                // A row with an alias may be one name: `Examination Date` of `examination`.
                UsedObject::MissingFunction | UsedObject::WholeRow { .. } => {
                    self.spaced_call(at, &stand)
                }
                _ => false,
            };
            if self.comparisons > limits::QUOTE_COMPARISONS_MAX {
                return false;
            }
        }
        // The rest may become clear, or change, by what was found.
        changes || self.using(&stand) || is_missing && self.user()
    }

    /// `FROM user` is the name of the current role to Postgres. Where columns are missing, and
    /// there is such a relation, that is what is meant.
    fn user(&mut self) -> bool {
        let catalog = self.database.catalog;
        let relations = catalog.names().find(USER);
        let relations = relations.map_or(&[][..], |name| catalog.index().relations(name));
        let path = self.database.path.schemas();
        let is_there = relations.iter().any(|id| {
            path.contains(&catalog.relation(*id).schema) && self.rights.sees_relation(*id)
        });
        let mut changes = false;
        for place in self.draft.after_from(USER) {
            changes |= is_there && self.draft.replace(place, USER);
        }
        changes
    }

    /// The reference at a place, if it ends with the name that is missing.
    fn reference(
        &self,
        stand: &ResolvedDraft<'_, '_>,
        at: usize,
        name: &str,
    ) -> Option<WrittenReference> {
        let found = self.draft.reference(stand.composed, at)?;
        let is_it = match found.has_star {
            true => name == "*",
            false => found.parts.last().is_some_and(|last| last.means == name),
        };
        is_it.then_some(found)
    }

    fn relation(
        &mut self,
        found: &WrittenReference,
        at: usize,
        stand: &ResolvedDraft<'_, '_>,
        spellings: &CaseVariants<'_>,
    ) -> bool {
        match found.parts.as_slice() {
            [name] => {
                let resolution = stand.resolution;
                let scope = resolution.scope_at(at);
                let views = scope.into_iter().flat_map(|id| resolution.scopes_from(id));
                let tables = views.flat_map(|view| view.tables.iter().map(|name| name.as_str()));
                let choice = self.choose(name, tables.chain(spellings.on_path(&name.means)));
                if choice == CaseChoice::Nothing && !name.is_quoted {
                    return self.spaced_relation(name, stand);
                }
                self.take(name, choice)
            }
            [schema, name] => {
                let catalog = self.database.catalog;
                let known = catalog.names().find(&schema.means);
                let known = known.and_then(|name| catalog.index().schema(name));
                if let Some(known) = known {
                    let choice = self.choose(name, spellings.in_schema(known, &name.means));
                    return self.take(name, choice);
                }
                let choice = self.choose(schema, spellings.schemas(&schema.means));
                self.take(schema, choice)
            }
            _ => false,
        }
    }

    fn column(
        &mut self,
        found: &WrittenReference,
        at: usize,
        stand: &ResolvedDraft<'_, '_>,
    ) -> bool {
        let resolution = stand.resolution;
        let Some(scope) = resolution.scope_at(at) else {
            return false;
        };
        let views: Vec<&ScopeView<'_>> = resolution.scopes_from(scope).collect();
        match self.spaced(found, &views, stand) {
            Some(SpacedName::Only(span, name)) => {
                return self.draft.replace_span(stand.composed, &span, &name);
            }
            Some(SpacedName::OneOfTwo) => return false,
            None => {}
        }
        match (found.parts.as_slice(), found.has_star) {
            ([name], false) => self.bare(name, &views, stand.result_names.get(&at).map(|n| &**n)),
            ([of], true) => self.qualifier(of, &views),
            ([of, name], false) => {
                let called =
                    |view: &&ScopeView<'_>| view.items.iter().any(|i| i.is_called(&of.means));
                match views.iter().copied().find(called) {
                    None => self.qualifier(of, &views),
                    Some(view) => {
                        let items = view.items.iter().filter(|item| item.is_called(&of.means));
                        let choice = self.choose_column(name, items);
                        self.take(name, choice)
                    }
                }
            }
            ([schema, of], true) => self.in_schema([schema, of], None, &views),
            ([schema, of, name], false) => self.in_schema([schema, of], Some(name), &views),
            _ => false,
        }
    }

    /// A name alone: a column of the result, of the nearest query that has one so called, or what
    /// stands in FROM.
    fn bare(
        &mut self,
        name: &NamePart,
        views: &[&ScopeView<'_>],
        results: Option<&[&str]>,
    ) -> bool {
        if let Some(results) = results {
            match self.choose(name, results.iter().copied()) {
                CaseChoice::Nothing => {}
                choice => return self.take(name, choice),
            }
        }
        if name.is_quoted && results.is_none() && !self.draft.stands_as_column(name.place) {
            return false;
        }
        // Of the queries around it only the nearest with a FROM is looked at: a name that is wrong
        // there must not come to mean a column of another query.
        let view = views.iter().find(|view| !view.items.is_empty());
        let items = view.into_iter().flat_map(|view| &view.items);
        let seen = items.filter(|item| item.is_seen_unqualified());
        match self.choose_column(name, seen) {
            CaseChoice::Nothing => {}
            choice => return self.take(name, choice),
        }
        match name.is_quoted {
            true => false,
            false => self.qualifier(name, views),
        }
    }

    /// The name of something in FROM.
    fn qualifier(&mut self, name: &NamePart, views: &[&ScopeView<'_>]) -> bool {
        for view in views {
            let called = view
                .items
                .iter()
                .filter(|item| item.visibility != UNQUALIFIED);
            let names = called.filter_map(|item| item.name.as_ref());
            match self.choose(name, names.map(|name| name.as_str())) {
                CaseChoice::Nothing => {}
                choice => return self.take(name, choice),
            }
        }
        false
    }

    /// A relation that is qualified where it is not in FROM: `Shop.Orders.id`.
    fn in_schema(
        &mut self,
        parts: [&NamePart; 2],
        last: Option<&NamePart>,
        views: &[&ScopeView<'_>],
    ) -> bool {
        let [schema, name] = parts;
        let catalog = self.database.catalog;
        let of = |item: &ScopeItem<'_>| {
            let relation = catalog.relation(item.relation?);
            let schema = catalog.names().text(catalog.schema(item.schema?).name);
            Some((schema, catalog.names().text(relation.name)))
        };
        let items = views.iter().flat_map(|view| &view.items);
        let named: Vec<_> = items.filter_map(|item| Some((of(item)?, item))).collect();
        if !named.iter().any(|((own, _), _)| *own == schema.means) {
            let choice = self.choose(schema, named.iter().map(|((own, _), _)| *own));
            return self.take(schema, choice);
        }
        let names = named.iter().filter(|((own, _), _)| *own == schema.means);
        let choice = self.choose(name, names.map(|((_, own), _)| *own));
        if choice != CaseChoice::Nothing {
            return self.take(name, choice);
        }
        let Some(last) = last else { return false };
        let meant = |own: &(&str, &str)| own.0 == schema.means && own.1 == name.means;
        let items = named.iter().filter(|(own, _)| meant(own));
        let choice = self.choose_column(last, items.map(|(_, item)| *item));
        self.take(last, choice)
    }

    /// The names after USING have no place in the tree, and are columns of both sides.
    fn using(&mut self, stand: &ResolvedDraft<'_, '_>) -> bool {
        let mut changes = false;
        for list in self.draft.using_lists() {
            for place in list {
                let Some(name) = self.draft.part(place) else {
                    continue;
                };
                let views = stand.resolution.scopes.iter();
                let items = views.flat_map(|view| view.items.iter());
                let named = items.filter(|item| item.name.is_some());
                let choice = self.choose_column(&name, named);
                changes |= self.take(&name, choice);
            }
        }
        changes
    }

    fn choose_column<'i, 't: 'i>(
        &mut self,
        name: &NamePart,
        items: impl Iterator<Item = &'i ScopeItem<'t>>,
    ) -> CaseChoice {
        let mut compared = 0_usize;
        let catalog = self.database.catalog;
        let rights = self.rights;
        let columns = items.flat_map(|item| item.columns.iter());
        let may_be_told = |origin: Option<(_, i16)>| {
            origin.is_none_or(|(relation, number)| {
                let mut columns = catalog.columns_of(relation).iter();
                columns
                    .find(|column| column.number == number)
                    .is_none_or(|column| rights.may_read_column(relation, column))
            })
        };
        let same = columns.filter(|column| {
            compared = compared.saturating_add(1);
            is_same(column.name.as_str(), &name.written)
        });
        let told = same.filter(|column| may_be_told(column.origin));
        let choice = choose(
            &name.written,
            &name.means,
            told.map(|one| one.name.as_str()),
        );
        self.comparisons = self.comparisons.saturating_add(compared);
        choice
    }

    fn choose<'n>(&mut self, name: &NamePart, among: impl Iterator<Item = &'n str>) -> CaseChoice {
        let mut compared = 0_usize;
        let counted = among.inspect(|_| compared = compared.saturating_add(1));
        let choice = choose(&name.written, &name.means, counted);
        self.comparisons = self.comparisons.saturating_add(compared);
        choice
    }

    /// Puts what was chosen into the draft; whether that changes anything.
    fn take(&mut self, name: &NamePart, choice: CaseChoice) -> bool {
        match choice {
            CaseChoice::Nothing => false,
            CaseChoice::One(chosen) => self.draft.replace(name.place, &chosen),
            CaseChoice::Several(several) => {
                self.several.get_or_insert((name.written.clone(), several));
                false
            }
        }
    }
}

/// Signs of word processors, which are letters to Postgres: a string in curved quotes is a name.
fn typographic(context: &RepairContext<'_>) -> Option<RecovererAnswer> {
    let is_odd = |name: &str| name.chars().any(syntax_error::is_typographic);
    let mut uses = context.resolution?.uses.iter();
    let is_there = uses.any(|used| match &used.what {
        UsedObject::MissingRelation { name, .. } | UsedObject::MissingColumn { name, .. } => {
            is_odd(name.as_str())
        }
        _ => false,
    });
    is_there.then(|| syntax_error::straighten_typography(context))?
}

const USER: &str = "user";

/// How the columns of what has no name of its own are seen.
const UNQUALIFIED: ColumnVisibility = ColumnVisibility::Unqualified;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use crate::laws::{OutputNameLaw, check_file, fuzzed, world};
    use catalog::fixture::CatalogFixture;
    use policy::Recoverer;

    fn shop() -> CatalogFixture {
        world()
            .schema("Sales")
            .table(
                "Sales.Orders",
                "OrderId int4, CustomerId int4, Total numeric",
            )
            .table(
                "public.Customer",
                "CustomerId int4, FirstName text, lastname text",
            )
            .table(
                "public.Invoice",
                "InvoiceId int4, CustomerId int4, Total numeric, Name text",
            )
            .table(
                "public.frpm",
                "\"School Name\" text, \"K-12\" int4, \"Zip Code\" text, \"Zip\" text, \
                 \"Share (K-12)\" float8",
            )
            .table("public.Line Items", "id int4")
            .table("public.user", "id int4, nick text")
            .table("public.twins", "Name text, NAME text, id int4")
            .table("public.Twin", "id int4")
            .table("public.TWIN", "id int4")
    }

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            shop(),
            Recoverer::QuoteIdentifiers,
            "42703",
            OutputNameLaw::Repaired,
            include_str!("../../../../tests/data/corpus/recoverers/quote_identifiers.txt"),
        );
    }

    #[test]
    fn any_text_is_looked_at() {
        let look = fuzzed(shop(), Recoverer::QuoteIdentifiers, "42703");
        let pieces = prop::collection::vec(
            prop::sample::select(vec![
                "SELECT",
                "FROM",
                "Customer",
                "CustomerId",
                "WITH",
                "AS",
                "(",
                ")",
                ",",
                "a",
                "\"A\"",
                ".",
                "*",
                "USING",
                "JOIN",
                "GROUP BY",
                "ORDER BY",
                "School Name",
                "frpm",
                "=",
                "1",
                "‘é’",
                "user",
                "Sales",
                "Orders",
                "/* x */",
                "UNION",
                "SELECT *",
            ]),
            0..16,
        );
        let mut runner = TestRunner::new(ProptestConfig::with_cases(1500));
        let tried = runner.run(&pieces, |pieces| {
            look(&format!("SELECT {}", pieces.join(" ")));
            look(&format!("SELECT CustomerId FROM {}", pieces.join(" ")));
            Ok(())
        });
        tried.unwrap();
    }
}
