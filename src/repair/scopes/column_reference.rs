//! What a reference to a column means, column by column of what stands in FROM.

use super::query_scopes::{ColumnIndex, QueryScopes};
use resolve::ColumnCompleteness;
use sql::tree::{JoinType, Node, nodes};

/// A reference to a column.
pub(crate) struct ColumnReference<'a> {
    /// The query that it stands in.
    pub level: usize,
    /// Where.
    pub at: usize,
    /// The name of the relation, if one is written.
    pub qualifier: Option<&'a str>,
    /// Whether a schema stands before that.
    pub has_schema: bool,
    /// The name of the column; none for a star.
    pub name: Option<&'a str>,
    /// Where in its query it stands.
    pub clause: QueryClause,
    /// The join whose condition it stands in.
    pub join: Option<usize>,
    /// What it means.
    pub meaning: ReferenceMeaning,
}

/// The part of a query that something stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum QueryClause {
    /// What it returns.
    #[default]
    Targets,
    /// FROM, conditions of joins among it, or WITH.
    From,
    /// WHERE.
    Where,
    /// HAVING.
    Having,
    /// A whole key of GROUP BY: a name alone means a column of FROM first, then one of the result.
    GroupKey,
    /// A whole key of ORDER BY or DISTINCT ON: a name alone means a column of the result first.
    ResultKey,
    /// A part of a key of GROUP BY.
    InGroupKey,
    /// A part of a key of ORDER BY or DISTINCT ON.
    InResultKey,
    /// WINDOW.
    Window,
    /// LIMIT and OFFSET.
    Limit,
}

/// What a reference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReferenceMeaning {
    /// A column of something in FROM.
    Column(ColumnIndex),
    /// A column of what its query returns.
    Result,
    /// A row, a star, a system column, or a field.
    Other,
    /// Several columns.
    Several,
    /// No column that is known.
    Nothing,
}

impl QueryClause {
    /// The clause of what stands below.
    pub fn inside(self) -> Self {
        match self {
            Self::GroupKey => Self::InGroupKey,
            Self::ResultKey => Self::InResultKey,
            other => other,
        }
    }
}

impl<'a> ColumnReference<'a> {
    pub(super) fn of(
        node: &'a nodes::ColumnRef,
        level: usize,
        clause: QueryClause,
        join: Option<usize>,
        query_scopes: &QueryScopes<'a>,
    ) -> Option<Self> {
        let at = usize::try_from(node.location).ok()?;
        let mut parts = Vec::new();
        let mut star = false;
        for part in node.fields() {
            match part {
                Node::A_Star(_) => star = true,
                other => parts.push(other.as_str()?),
            }
        }
        let name = match star {
            true => None,
            false => parts.pop(),
        };
        let qualifier = parts.pop();
        let mut reference = Self {
            level,
            at,
            qualifier,
            has_schema: !parts.is_empty(),
            name,
            clause,
            join,
            meaning: ReferenceMeaning::Other,
        };
        reference.meaning = reference.find(query_scopes);
        Some(reference)
    }

    /// Whether it is a name alone.
    pub fn is_bare(&self) -> bool {
        self.qualifier.is_none() && self.name.is_some()
    }

    fn find(&self, query_scopes: &QueryScopes<'a>) -> ReferenceMeaning {
        let Some(name) = self.name else {
            return ReferenceMeaning::Other;
        };
        match (self.qualifier, self.clause) {
            (Some(qualifier), _) => self.qualified(qualifier, name, query_scopes),
            (None, QueryClause::ResultKey) if self.is_result(name, query_scopes) => {
                ReferenceMeaning::Result
            }
            (None, QueryClause::GroupKey) => match bare(name, &[self.level], query_scopes) {
                ReferenceMeaning::Nothing if self.is_result(name, query_scopes) => {
                    ReferenceMeaning::Result
                }
                ReferenceMeaning::Nothing => {
                    bare(name, &query_scopes.visible_from(self.level), query_scopes)
                }
                found => found,
            },
            (None, _) => bare(name, &query_scopes.visible_from(self.level), query_scopes),
        }
    }

    fn qualified(
        &self,
        qualifier: &str,
        name: &str,
        query_scopes: &QueryScopes<'a>,
    ) -> ReferenceMeaning {
        for place in query_scopes.visible_from(self.level) {
            let Some(level) = query_scopes.scope(place) else {
                continue;
            };
            if !level
                .view
                .items
                .iter()
                .any(|item| item.is_called(qualifier))
            {
                continue;
            }
            let Some(from_item) = level.item_named(qualifier) else {
                return ReferenceMeaning::Other;
            };
            let columns = level
                .from_items
                .get(from_item)
                .map_or(&[][..], |from_item| from_item.columns);
            let mut found = columns
                .iter()
                .enumerate()
                .filter(|(_, column)| column.name.as_str() == name);
            return match (found.next(), found.next()) {
                (Some((column, _)), None) => ReferenceMeaning::Column(ColumnIndex {
                    level: place,
                    from_item,
                    column,
                }),
                (Some(_), Some(_)) => ReferenceMeaning::Several,
                (None, _) => ReferenceMeaning::Other,
            };
        }
        ReferenceMeaning::Nothing
    }

    /// Whether a column of its query's result has this name.
    fn is_result(&self, name: &str, query_scopes: &QueryScopes<'a>) -> bool {
        let Some(level) = query_scopes.scope(self.level) else {
            return false;
        };
        level
            .select
            .target_list()
            .iter()
            .any(|target| target.name().or_else(|| own_name(target.val())) == Some(name))
    }
}

/// What an expression is called that is given no name, where it goes by that of a column or of a
/// function.
pub(crate) fn own_name(mut node: Node<'_>) -> Option<&str> {
    loop {
        let names = match node {
            Node::ColumnRef(reference) => reference.fields(),
            Node::FuncCall(call) => call.funcname(),
            Node::TypeCast(cast) => {
                node = cast.arg();
                continue;
            }
            Node::CollateClause(collate) => {
                node = collate.arg();
                continue;
            }
            _ => return None,
        };
        return names.iter().next_back().and_then(Node::as_str);
    }
}

/// The column that a name alone means, in the nearest of these queries that has one.
fn bare(name: &str, levels: &[usize], query_scopes: &QueryScopes<'_>) -> ReferenceMeaning {
    for place in levels {
        let Some(level) = query_scopes.scope(*place) else {
            continue;
        };
        let mut seen = 0_usize;
        for item in level
            .view
            .items
            .iter()
            .filter(|item| item.is_seen_unqualified())
        {
            let own = item.columns.iter();
            seen = seen.saturating_add(own.filter(|own| own.name.as_str() == name).count());
            if item.completeness == ColumnCompleteness::Open {
                return ReferenceMeaning::Other;
            }
        }
        let column_index = |(from_item, column)| ColumnIndex {
            level: *place,
            from_item,
            column,
        };
        match (seen, level.items_with(name).as_slice()) {
            (0, _) => {}
            (1, [one]) => return ReferenceMeaning::Column(column_index(*one)),
            // USING makes one column of several: that of the side which is always there.
            (1, [first, ..]) => {
                let mut joins = level.joins.iter().filter(|join| join.using.contains(&name));
                let plain = |kind| kind == JoinType::JOIN_INNER || kind == JoinType::JOIN_LEFT;
                return match joins.all(|join| plain(join.kind)) {
                    true => ReferenceMeaning::Column(column_index(*first)),
                    false => ReferenceMeaning::Other,
                };
            }
            (1, []) => return ReferenceMeaning::Other,
            _ => return ReferenceMeaning::Several,
        }
    }
    ReferenceMeaning::Nothing
}
