//! A query without FROM whose columns all are those of one relation.

use super::added_table::is_in_path;
use super::owners;
use crate::Confidence;
use crate::names::context::{MissingColumn, NameRepairContext};
use crate::names::name_repair::{NameAdvice, NameFix};
use crate::names::reference_position::{ExpressionRole, ReferenceClause};
use crate::names::reference_scopes::{PlacedReference, ReferenceScope};
use catalog::RelationId;
use catalog::quote::quoted;
use sql::extent::PairedTokens;
use sql::tree::Node;

/// Where a query has no FROM and one relation has all that it names, that is put in.
pub(super) fn add_from(
    name_context: &NameRepairContext<'_>,
    missing: &[MissingColumn<'_>],
    fixes: Vec<NameFix>,
) -> Vec<NameFix> {
    let mut scopes: Vec<usize> = Vec::new();
    for (one, fix) in missing.iter().zip(&fixes) {
        let is_absent = matches!(fix, NameFix::Advised(NameAdvice { absent: true, .. }));
        if is_absent && is_without_from(name_context, one.place.scope) {
            scopes.push(one.place.scope);
        }
    }
    scopes.dedup();
    let mut fixes = fixes;
    for scope in scopes.into_iter().take(QUERIES_MAX) {
        let here = || missing.iter().filter(|one| one.place.scope == scope);
        let Some(added) = added_from(name_context, &here().collect::<Vec<_>>(), scope) else {
            continue;
        };
        for (one, fix) in missing.iter().zip(&mut fixes) {
            if one.place.scope == scope {
                *fix = added.fix();
            }
        }
    }
    fixes
}

/// A FROM that is put in.
struct AddedFrom {
    at: usize,
    text: String,
}

impl AddedFrom {
    /// The same for each column that it brings.
    fn fix(&self) -> NameFix {
        let change = format!(
            "{} is put in: of all relations this one alone has what the query names",
            self.text.trim_start()
        );
        NameFix::text(
            Confidence::Likely,
            self.at..self.at,
            self.text.clone(),
            change,
        )
    }
}

/// Whether a query is one that names nothing it reads from, and no query of WITH could be meant.
fn is_without_from(name_context: &NameRepairContext<'_>, scope: usize) -> bool {
    let Some(query) = name_context.places.frame(scope) else {
        return false;
    };
    let select = query.select;
    let mut chain = name_context.places.scope_chain(scope);
    select.from_clause().is_empty()
        && select.values_lists().is_empty()
        && select.larg().is_none()
        && chain.all(|around| around.select.with_clause().is_none())
}

fn added_from(
    name_context: &NameRepairContext<'_>,
    here: &[&MissingColumn<'_>],
    scope: usize,
) -> Option<AddedFrom> {
    let query = name_context.places.frame(scope)?;
    let first = here.first()?;
    let qualifier = first.qualifier;
    let is_alike = here
        .iter()
        .all(|one| one.qualifier == qualifier && one.name != "*");
    let relation = only_relation(name_context, here)?;
    let own = name_context.name_of(relation);
    let mut names: Vec<&str> = here.iter().map(|one| one.name).collect();
    names.sort_unstable();
    names.dedup();
    let telling = names.len() > 1 || qualifier == Some(own);
    if !is_alike || !telling || is_captured(name_context, query, scope, relation, &names) {
        return None;
    }
    let mut table = quoted(own).into_owned();
    if first.parts.len() > 2 {
        table = name_context.catalog().relation_name(relation);
    }
    if let Some(alias) = qualifier.filter(|alias| *alias != own) {
        if first.parts.len() > 2 {
            return None;
        }
        table.push_str(" AS ");
        table.push_str(&quoted(alias));
    }
    Some(AddedFrom {
        at: end_of_results(name_context, query)?,
        text: format!(" FROM {table}"),
    })
}

/// The only relation of the search path that has all the columns.
fn only_relation(
    name_context: &NameRepairContext<'_>,
    here: &[&MissingColumn<'_>],
) -> Option<RelationId> {
    let (first, rest) = here.split_first()?;
    let catalog = name_context.catalog();
    let mut found = owners::owners(name_context, first);
    found.retain(|relation| {
        let has = |one: &&MissingColumn<'_>| {
            let mut columns = catalog.columns_of(*relation).iter();
            columns.any(|column| {
                catalog.names().text(column.name) == one.name
                    && name_context.may_show_column_of(*relation, column)
            })
        };
        std::iter::once(first).chain(rest).all(has)
    });
    let [only] = *found.as_slice() else {
        return None;
    };
    is_in_path(name_context.database, only, name_context.name_of(only)).then_some(only)
}

/// Whether the relation would take over a name that means something already: in the query, or in
/// one inside of it.
fn is_captured(
    name_context: &NameRepairContext<'_>,
    query: &ReferenceScope<'_>,
    scope: usize,
    relation: RelationId,
    names: &[&str],
) -> bool {
    let catalog = name_context.catalog();
    let is_own = |name: &str| {
        let mut columns = catalog.columns_of(relation).iter();
        columns.any(|column| catalog.names().text(column.name) == name)
    };
    // A key of ORDER BY or GROUP BY that means a result which is just the missing column.
    let is_result = |place: &PlacedReference<'_>, name: &str| {
        place.scope == scope
            && matches!(place.role, ExpressionRole::Whole)
            && matches!(
                place.clause,
                ReferenceClause::Order | ReferenceClause::Group | ReferenceClause::Other
            )
            && names.contains(&name)
            && (query.select.target_list().iter()).all(|target| target.name() != Some(name))
    };
    name_context.places.refs.iter().any(|place| {
        let fields = place.reference.fields();
        let name = fields.first().and_then(Node::as_str);
        let mut chain = name_context.places.scope_chain(place.scope);
        let is_inside = chain.any(|own| std::ptr::eq(own.select, query.select));
        is_inside
            && !name_context.is_missing(place.at)
            && fields.len() == 1
            && name.is_some_and(|name| is_own(name) && !is_result(place, name))
    })
}

/// Where the list of results ends.
fn end_of_results(
    name_context: &NameRepairContext<'_>,
    query: &ReferenceScope<'_>,
) -> Option<usize> {
    let context = name_context.context;
    let ground = PairedTokens::of(context.text, context.tokens);
    let last = query.select.target_list().iter().next_back()?;
    let last = ground.item_end(usize::try_from(last.location).ok()?)?;
    let run = sql::extent::TokenRange { first: last, last };
    Some(ground.bytes(run).end)
}

/// Queries without FROM that are looked at.
const QUERIES_MAX: usize = 8;
