//! Two relations that are joined by a column which one of them does not have, and a third has:
//! `actor a JOIN film f ON a.film_id = f.film_id`, where the keys of `film_actor` lead to both.
//!
//! It is joined between them where it is the only relation with declared keys to both, the column
//! that is missing is the one of it that a key ties to the other side, and nothing else in the text
//! would mean something else. Likely: the two may have been meant to be joined otherwise.

use std::ops::Range;

use super::added_table::is_in_path;
use crate::Confidence;
use crate::dependencies::bridging_keys::only_between;
use crate::dependencies::keys;
use crate::names::context::{
    MissingColumn, NameRepairContext, VisibleItem, spelled, visible_items,
};
use crate::names::name_repair::{NameFix, NameRepair, NameReplacement};
use crate::names::reference_position::{JoinSide, ReferenceClause};
use crate::names::reference_scopes::ReferenceScope;
use catalog::RelationId;
use catalog::quote::quoted;
use sql::edit::TextEdit;
use sql::extent::{PairedTokens, TokenRange};
use sql::node_access;
use sql::tree::{JoinType, Node, nodes};

/// Joins the relation between two, where words alone are known of the only such join, and of
/// nothing else that this relation does not have.
pub(super) fn join_between(
    name_context: &NameRepairContext<'_>,
    missing: &[MissingColumn<'_>],
    fixes: Vec<NameFix>,
) -> Vec<NameFix> {
    let is_open = |place: usize| matches!(fixes.get(place), Some(NameFix::Advised(_)));
    let places = (0..missing.len()).filter(|place| is_open(*place));
    let mut found = places.filter_map(|place| {
        let bridge = BridgingTable::of(name_context, missing.get(place)?)?;
        Some((place, bridge))
    });
    let Some((first, bridge)) = found.next().filter(|_| found.next().is_none()) else {
        return fixes;
    };
    let is_brought =
        |place: usize| place == first || missing.get(place).is_some_and(|one| bridge.has(one));
    let is_all = (0..missing.len()).all(|place| !is_open(place) || is_brought(place));
    if !is_all || bridge.captures() {
        return fixes;
    }
    let own = fixes.into_iter().enumerate().map(|(place, fix)| {
        let is_beside = missing
            .get(place)
            .is_some_and(|one| one.place.at == bridge.beside.at);
        match matches!(fix, NameFix::Advised(_)) || is_beside && bridge.is_other_beside() {
            true => bridge.fix(),
            false => fix,
        }
    });
    own.collect()
}

/// A relation whose keys lead to both sides of a join.
struct BridgingTable<'m> {
    name_context: &'m NameRepairContext<'m>,
    missing: &'m MissingColumn<'m>,
    relation: RelationId,
    scope: &'m ReferenceScope<'m>,
    /// The side that has no such column: what qualifies its columns, and the one that a key ties.
    from: (&'m str, String),
    /// The column of the relation that this key has.
    own_from: String,
    /// The reference beside the missing one.
    beside: BesideReference<'m>,
    /// The column of the relation that a key ties to the column beside.
    own_beside: String,
    /// Where the two are joined.
    place: JoinPlace,
    /// Whether one of the keys is only known.
    is_known: bool,
}

/// What a missing column is compared with.
struct BesideReference<'m> {
    at: usize,
    span: Range<usize>,
    qualifier: &'m str,
    column: String,
}

/// Where a relation can be joined.
enum JoinPlace {
    /// Before the words of an inner join, whose right side has the missing column or the one beside
    /// it.
    Inner { at: usize, is_right_missing: bool },
    /// With the right side of a left join, which begins here, before its ON: a row of the left side
    /// without any partner stays one row.
    Left {
        at: usize,
        on: usize,
        is_right_missing: bool,
    },
    /// Before the first of a list.
    List { at: usize },
}

impl<'m> BridgingTable<'m> {
    fn of(name_context: &'m NameRepairContext<'m>, missing: &'m MissingColumn<'m>) -> Option<Self> {
        let other = missing.place.role.equal_column()?;
        let all = visible_items(&name_context.visible_scopes(missing.place));
        let fields: Vec<&str> = other.fields().iter().filter_map(Node::as_str).collect();
        let [beside_name, column] = fields.as_slice() else {
            return None;
        };
        let called = |name: &str| {
            let mut found = all.iter().filter(|seen| seen.qualifier == Some(name));
            found.next().filter(|seen| seen.level == 0)
        };
        let (from, to) = (called(missing.qualifier?)?, called(beside_name)?);
        let (own, beside) = (from.item.relation?, to.item.relation?);
        let column = to.column_in_any_case(column)?;
        let (relation, [tie_of_own, tie_of_beside]) = only_between(name_context, own, beside)?;
        if name_context.relations().contains(&relation) {
            return None;
        }
        let shown = |of: RelationId, number: i16| shown_column(name_context, of, number);
        let own_beside = shown(relation, tie_of_beside.own)?;
        let is_meant = column.origin == Some((beside, tie_of_beside.other))
            && match name_context.ends_in_quotes(missing) {
                true => own_beside == missing.name,
                false => own_beside.to_lowercase() == missing.name.to_lowercase(),
            };
        let at = usize::try_from(other.location).ok()?;
        let parts = name_context.parts(at, fields.len())?;
        let scope = name_context.places.frame(missing.place.scope)?;
        let place = join_place(name_context, missing, scope, (from, to))?;
        is_meant.then_some(Self {
            name_context,
            missing,
            relation,
            scope,
            from: (from.qualifier?, shown(own, tie_of_own.other)?),
            own_from: shown(relation, tie_of_own.own)?,
            beside: BesideReference {
                at,
                span: parts.first()?.start..parts.last()?.end,
                qualifier: to.qualifier?,
                column: column.name.as_str().to_owned(),
            },
            own_beside,
            place,
            is_known: tie_of_own.is_known || tie_of_beside.is_known,
        })
    }

    fn name(&self) -> &'m str {
        self.name_context.name_of(self.relation)
    }

    /// The relation as FROM names it.
    fn table(&self) -> String {
        let name = self.name();
        match is_in_path(self.name_context.database, self.relation, name) {
            true => quoted(name).into_owned(),
            false => self.name_context.catalog().relation_name(self.relation),
        }
    }

    /// Whether a missing column is one of the relation, by its name alone.
    fn has(&self, one: &MissingColumn<'_>) -> bool {
        let columns = self.name_context.catalog().columns_of(self.relation);
        let names = self.name_context.catalog().names();
        one.qualifier.is_none()
            && one.place.scope == self.missing.place.scope
            && !matches!(
                one.place.clause,
                ReferenceClause::On(_) | ReferenceClause::From
            )
            && columns.iter().any(|column| {
                names.text(column.name) == one.name
                    && self.name_context.may_show_column_of(self.relation, column)
            })
    }

    /// Whether the reference beside the missing one becomes another one.
    fn is_other_beside(&self) -> bool {
        match self.place {
            JoinPlace::Inner {
                is_right_missing, ..
            } => is_right_missing,
            JoinPlace::Left {
                is_right_missing, ..
            } => !is_right_missing,
            JoinPlace::List { .. } => false,
        }
    }

    /// Whether the relation would take over a name that means something already, or show columns.
    fn captures(&self) -> bool {
        let context = self.name_context;
        let name = self.name();
        let columns = context.catalog().columns_of(self.relation);
        let names = context.catalog().names();
        let is_own = |name: &str| columns.iter().any(|own| names.text(own.name) == name);
        let is_star = |target: Node<'_>| {
            matches!(target, Node::ColumnRef(column) if column.fields().len() == 1
                && matches!(column.fields().first(), Some(Node::A_Star(_))))
        };
        let mut targets = self.scope.select.target_list().iter();
        let mut views = context.resolution.scopes.iter();
        let mut joins = self.scope.joins.iter();
        let mut references = context.places.refs.iter();
        context.is_cte_name(name)
            || views.any(|view| view.items.iter().any(|item| item.is_called(name)))
            || targets.any(|target| is_star(target.val()))
            || joins.any(|join| join.is_natural || !join.using_clause().is_empty())
            || references.any(|place| {
                let fields = place.reference.fields();
                let mut chain = context.places.scope_chain(place.scope);
                let is_inside = chain.any(|own| std::ptr::eq(own.select, self.scope.select));
                let name = fields.first().and_then(Node::as_str);
                is_inside
                    && !context.is_missing(place.at)
                    && fields.len() == 1
                    && name.is_some_and(is_own)
            })
    }

    /// The condition that ties the relation to one of the sides.
    fn tie(&self, own: &str, (qualifier, column): (&str, &str)) -> String {
        let (own, other) = (
            spelled(Some(self.name()), own),
            spelled(Some(qualifier), column),
        );
        format!("{own} = {other}")
    }

    /// What stands in the place of the missing reference, and the other edits.
    fn edits(&self) -> (String, Vec<TextEdit>) {
        let own = |column: &str| spelled(Some(self.name()), column);
        let table = self.table();
        let edit = |span: Range<usize>, replacement: String| TextEdit { span, replacement };
        let (from, beside) = (&self.from, &self.beside);
        let to_from = || self.tie(&self.own_from, (from.0, &from.1));
        let to_beside = || self.tie(&self.own_beside, (beside.qualifier, &beside.column));
        let own_from = || spelled(Some(from.0), &from.1);
        // The condition that is there is that of the relation and the side which it meets first.
        let other_beside = || edit(beside.span.clone(), own(&self.own_from));
        match self.place {
            JoinPlace::Inner {
                at,
                is_right_missing: true,
            } => {
                let join = format!("JOIN {table} ON {} ", to_beside());
                (own_from(), vec![edit(at..at, join), other_beside()])
            }
            JoinPlace::Inner { at, .. } => {
                let join = format!("JOIN {table} ON {} ", to_from());
                (own(&self.own_beside), vec![edit(at..at, join)])
            }
            JoinPlace::Left {
                at,
                on,
                is_right_missing,
            } => {
                let tie = if is_right_missing {
                    to_from()
                } else {
                    to_beside()
                };
                let mut edits = vec![
                    edit(at..at, format!("({table} JOIN ")),
                    edit(on..on, format!("ON {tie}) ")),
                ];
                match is_right_missing {
                    true => (own(&self.own_beside), edits),
                    false => {
                        edits.push(other_beside());
                        (own_from(), edits)
                    }
                }
            }
            JoinPlace::List { at } => {
                let is_first = self.missing.place.at < beside.at;
                let text = match is_first {
                    true => format!("{} AND {}", to_from(), own(&self.own_beside)),
                    false => format!("{} AND {}", own(&self.own_beside), to_from()),
                };
                (text, vec![edit(at..at, format!("{table}, "))])
            }
        }
    }

    fn fix(&self) -> NameFix {
        let (text, edits) = self.edits();
        let name = self.name_context.catalog().relation_name(self.relation);
        let keys = match self.is_known {
            true => "known relationships",
            false => "declared keys",
        };
        let parts = &self.missing.parts;
        let start = parts
            .first()
            .map_or(self.missing.place.at, |part| part.start);
        NameFix::Repaired(NameRepair {
            confidence: Confidence::Likely,
            span: start..parts.last().map_or(start, |part| part.end),
            with: NameReplacement::Text(text),
            beside: edits,
            change: format!("{name} is joined between them: {keys} tie it to both"),
            renamed: None,
        })
    }
}

/// The name of a column that may be told.
fn shown_column(
    name_context: &NameRepairContext<'_>,
    relation: RelationId,
    number: i16,
) -> Option<String> {
    let column = keys::column(name_context.catalog(), relation, number)?;
    name_context
        .may_show_column_of(relation, column)
        .then(|| name_context.catalog().names().text(column.name).to_owned())
}

/// Where a relation can be joined between two that a condition equates.
fn join_place(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    scope: &ReferenceScope<'_>,
    (from, to): (&VisibleItem<'_>, &VisibleItem<'_>),
) -> Option<JoinPlace> {
    let at = missing.place.at;
    match missing.place.clause {
        ReferenceClause::On(place) => {
            let join = *scope.joins.get(place)?;
            let is_on_right = |seen: &VisibleItem<'_>| {
                let mut entries = scope.entries.iter();
                let entry = entries.find(|entry| entry.name == seen.qualifier)?;
                let mut joins = entry.joins.iter();
                let (_, side) = joins.find(|(own, _)| *own == place)?;
                Some(*side == JoinSide::Right)
            };
            let is_right_missing = is_on_right(from)?;
            let right = scope
                .entries
                .iter()
                .filter(|entry| entry.joins.contains(&(place, JoinSide::Right)));
            let tables: Vec<_> = right.collect();
            let [only] = tables.as_slice() else {
                return None;
            };
            if is_on_right(to)? == is_right_missing || !must_hold(join.quals(), at) {
                return None;
            }
            place_at(name_context, join, only.table?, is_right_missing)
        }
        ReferenceClause::Where if must_hold(scope.select.where_clause(), at) => {
            let mut joins = scope.joins.iter();
            let is_inner = joins.all(|join| join.jointype == JoinType::JOIN_INNER);
            let first = scope.entries.first()?.table;
            let first = first.filter(|table| is_inner && table.inh)?;
            let at = usize::try_from(first.location).ok()?;
            Some(JoinPlace::List { at })
        }
        _ => None,
    }
}

/// Whether a condition holds a comparison of the column at a place that has to be true.
fn must_hold(condition: Node<'_>, at: usize) -> bool {
    let is_it = |side: Node<'_>| {
        matches!(side, Node::ColumnRef(column)
            if usize::try_from(column.location).ok() == Some(at))
    };
    let mut parts = node_access::conjuncts(condition).into_iter();
    parts.any(|part| match part {
        Node::A_Expr(comparison) => is_it(comparison.lexpr()) || is_it(comparison.rexpr()),
        _ => false,
    })
}

/// Where a relation can be joined in a join whose right side is a table.
fn place_at(
    name_context: &NameRepairContext<'_>,
    join: &nodes::JoinExpr,
    table: &nodes::RangeVar,
    is_right_missing: bool,
) -> Option<JoinPlace> {
    let context = name_context.context;
    let ground = PairedTokens::of(context.text, context.tokens);
    let start = |token: usize| {
        let run = TokenRange {
            first: token,
            last: token,
        };
        ground.bytes(run).start
    };
    let own = ground.at(usize::try_from(table.location).ok()?)?;
    let mut first = own.checked_sub(1)?;
    if !ground.is(first, "join") {
        return None;
    }
    match join.jointype {
        JoinType::JOIN_INNER => {
            let before = first.checked_sub(1);
            first = before
                .filter(|place| ground.is(*place, "inner"))
                .unwrap_or(first);
            Some(JoinPlace::Inner {
                at: start(first),
                is_right_missing,
            })
        }
        JoinType::JOIN_LEFT => {
            let mut behind = (own..).take(ALIAS_TOKENS_MAX);
            let on = behind.find(|place| ground.is(*place, "on"))?;
            Some(JoinPlace::Left {
                at: start(own),
                on: start(on),
                is_right_missing,
            })
        }
        _ => None,
    }
}

/// A table has no more tokens before ON: a schema, its name, AS and an alias.
const ALIAS_TOKENS_MAX: usize = 7;

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file};
    use catalog::fixture::CatalogFixture;
    use policy::Recoverer;

    fn films() -> CatalogFixture {
        CatalogFixture::new(15)
            .table("public.actor", "actor_id int4 not null, name text not null")
            .table(
                "public.film",
                "film_id int4 not null, title text not null, length int4, studio_id int4",
            )
            .table(
                "public.film_actor",
                "actor_id int4, film_id int4, role text",
            )
            .table("public.category", "id int4 not null, label text not null")
            .table("public.film_category", "film_id int4, category_id int4")
            .table("public.customer", "customer_id int4 not null, surname text")
            .table(
                "public.rental",
                "rental_id int4, customer_id int4, film_id int4",
            )
            .table(
                "public.review",
                "customer_id int4, film_id int4, stars int4",
            )
            .table("public.country", "code text not null, country text")
            .table(
                "public.studio",
                "studio_id int4 not null, studio_name text, country_code text",
            )
            .table("public.office", "office_id int4, studio_id int4, city text")
            .table("public.airport", "airport_code text, runway text")
            .table("public.flight", "sourceairport text, destairport text")
            .primary_key("public.airport", "airport_code")
            .foreign_key(
                "public.flight",
                "sourceairport",
                "public.airport",
                "airport_code",
            )
            .foreign_key(
                "public.flight",
                "destairport",
                "public.airport",
                "airport_code",
            )
            .primary_key("public.actor", "actor_id")
            .primary_key("public.film", "film_id")
            .primary_key("public.category", "id")
            .primary_key("public.customer", "customer_id")
            .primary_key("public.country", "code")
            .primary_key("public.studio", "studio_id")
            .foreign_key("public.film_actor", "actor_id", "public.actor", "actor_id")
            .foreign_key("public.film_actor", "film_id", "public.film", "film_id")
            .foreign_key("public.film_category", "film_id", "public.film", "film_id")
            .foreign_key(
                "public.film_category",
                "category_id",
                "public.category",
                "id",
            )
            .foreign_key(
                "public.rental",
                "customer_id",
                "public.customer",
                "customer_id",
            )
            .foreign_key("public.rental", "film_id", "public.film", "film_id")
            .foreign_key(
                "public.review",
                "customer_id",
                "public.customer",
                "customer_id",
            )
            .foreign_key("public.review", "film_id", "public.film", "film_id")
            .foreign_key("public.film", "studio_id", "public.studio", "studio_id")
            .foreign_key("public.office", "studio_id", "public.studio", "studio_id")
            .foreign_key("public.studio", "country_code", "public.country", "code")
    }

    #[test]
    fn relations_are_joined_over_the_one_between() {
        for file in [
            include_str!("../../../../tests/data/corpus/recoverers/bridging_tables.txt"),
            include_str!("../../../../tests/data/corpus/recoverers/held_out_bridging_tables.txt"),
        ] {
            let law = OutputNameLaw::Kept;
            check_file(films(), Recoverer::UndefinedColumn, "42703", law, file);
        }
    }
}
