//! `cartesian_join`: items of FROM with nothing between them.
//!
//! # Sees
//! Tables, sub-selects and queries of WITH in one FROM that no condition puts together, directly or
//! over others. Behind a comma, or under an ON that speaks of one side alone, it is an error; under
//! ON true a warning.
//!
//! # Why
//! Each row of one is put beside each row of the other: a thousand customers and a thousand orders
//! are a million rows, and every sum over them is a thousand times too large.
//!
//! # Before
//! - `SELECT c.name, o.total FROM customers c, orders o WHERE c.country = 'NO'`
//! - `SELECT c.name FROM customers c JOIN orders o ON o.total > 100`
//!
//! # After
//! - `SELECT c.name, o.total FROM customers c JOIN orders o ON o.customer_id = c.id`
//!
//! # When not
//! CROSS JOIN says that each with each is meant. What has one row multiplies nothing: an aggregate
//! without GROUP BY, a table of which a key is given. EXISTS and IN ask for one row only. Functions
//! in FROM, VALUES and LATERAL are joined by what they speak of.

use std::collections::BTreeMap;

use crate::query::{EqualityRight, ItemJoin, ItemSource, JoinForm, Query, QueryId, QueryRole};
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use sql::tree::SubLinkType;

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for (id, query) in statement.queries() {
        if query.items.len() > 1
            && counts_rows(query.role)
            && let Some(finding) = of_query(statement, id, query)
        {
            findings.push(finding);
        }
    }
}

/// Whether it matters how often a query has a row: EXISTS and IN ask for one.
fn counts_rows(role: QueryRole) -> bool {
    match role {
        QueryRole::Expression(kind) => !matches!(
            kind,
            SubLinkType::EXISTS_SUBLINK | SubLinkType::ANY_SUBLINK | SubLinkType::ALL_SUBLINK
        ),
        QueryRole::Whole | QueryRole::SetArm | QueryRole::Item | QueryRole::CommonTable => true,
    }
}

fn of_query(
    statement: &LintedStatement<'_>,
    id: QueryId,
    query: &Query<'_>,
) -> Option<LintFinding> {
    let links = statement.tree.links(id);
    if links.is_unsure {
        return None;
    }
    let mut groups = ItemGroups::of(query.items.len());
    for items in &links.others {
        groups.join(items.iter().copied());
    }
    for (place, item) in query.items.iter().enumerate() {
        if let Some(lateral) = item.lateral {
            let spoken_of = statement.tree.mentioned(id, lateral);
            if spoken_of.is_unsure {
                return None;
            }
            groups.join(std::iter::once(place).chain(spoken_of.items));
        }
    }
    let mut same: BTreeMap<&str, usize> = BTreeMap::new();
    for equality in &links.equalities {
        match &equality.right {
            EqualityRight::Column(other) => groups.join([equality.column.item, other.item]),
            EqualityRight::Fixed(Some(what)) => {
                let first = *same.entry(what).or_insert(equality.column.item);
                groups.join([first, equality.column.item]);
            }
            EqualityRight::Fixed(None) => {}
        }
    }
    for join in query
        .joins
        .iter()
        .filter(|join| join.form == JoinForm::Cross)
    {
        groups.join([join.left.0, join.right.0]);
        // What the sides consist of is not excused by that.
    }
    let multiplies = |place: &usize| multiplies_rows(statement, id, query, *place);
    let counted: Vec<usize> = (0..query.items.len()).filter(multiplies).collect();
    let (first, rest) = counted.split_first()?;
    let apart = rest
        .iter()
        .copied()
        .find(|place| !groups.are_together(*first, *place))?;
    let names = [*first, apart].map(|place| query.items.get(place));
    let [Some(one), Some(other)] = names else {
        return None;
    };
    let level = match join_between(query, apart) {
        Some(join) if speaks_of_nothing(statement, id, query, join) => LintLevel::Warning,
        Some(_) | None => LintLevel::Error,
    };
    let (one, at, other) = (
        LintedStatement::item_name(one),
        other.at,
        LintedStatement::item_name(other),
    );
    Some(LintFinding {
        rule: LintRule::CartesianJoin,
        level,
        at,
        message: format!(
            "nothing joins {one} and {other}: each row of one is put beside each row of the other"
        ),
    })
}

/// Whether an item is one whose rows multiply those of others.
fn multiplies_rows(
    statement: &LintedStatement<'_>,
    id: QueryId,
    query: &Query<'_>,
    place: usize,
) -> bool {
    let Some(item) = query.items.get(place) else {
        return false;
    };
    let has_rows = match item.source {
        ItemSource::Relation => true,
        ItemSource::Query(select) => {
            let inner = statement.tree.query_of(select);
            let is_single = inner.is_some_and(|inner| statement.is_single_row(inner));
            select.values_lists().is_empty() && !is_single
        }
        ItemSource::Other => false,
    };
    has_rows && item.lateral.is_none() && !statement.is_pinned(id, place)
}

/// The join whose right side begins with an item.
fn join_between<'q, 'a>(query: &'q Query<'a>, place: usize) -> Option<&'q ItemJoin<'a>> {
    query.joins.iter().find(|join| join.right.0 == place)
}

/// Whether no condition of the sides' own speaks of a column: ON true.
fn speaks_of_nothing(
    statement: &LintedStatement<'_>,
    id: QueryId,
    query: &Query<'_>,
    join: &ItemJoin<'_>,
) -> bool {
    let right = join.right.0..join.right.1;
    query.conditions.iter().all(|condition| {
        let mentioned = statement.tree.mentioned(id, condition.node);
        !mentioned.items.iter().any(|item| right.contains(item))
            && (mentioned.items.is_empty()
                || mentioned.items.iter().any(|item| *item < right.start))
    }) && query.conditions.iter().any(|condition| {
        statement
            .tree
            .mentioned(id, condition.node)
            .items
            .is_empty()
    })
}

/// Items that conditions put together, as a forest: each points to another of its group.
struct ItemGroups(Vec<usize>);

impl ItemGroups {
    fn of(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&self, mut place: usize) -> usize {
        // Each step goes to a smaller place.
        while let Some(next) = self.0.get(place).copied().filter(|next| *next < place) {
            place = next;
        }
        place
    }

    fn join(&mut self, items: impl IntoIterator<Item = usize>) {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { return };
        for other in items {
            let (one, other) = (self.root(first), self.root(other));
            let (low, high) = (one.min(other), one.max(other));
            if let Some(place) = self.0.get_mut(high) {
                *place = low;
            }
        }
    }

    fn are_together(&self, one: usize, other: usize) -> bool {
        self.root(one) == self.root(other)
    }
}
