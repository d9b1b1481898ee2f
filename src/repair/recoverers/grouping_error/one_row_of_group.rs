//! Columns that are neither grouped nor aggregated, in texts of dialects that take them: MySQL,
//! where ONLY_FULL_GROUP_BY is off, shows those of any row of the group, and SQLite too, but where
//! the query has one max() or min() alone it shows those of the row that this finds.
//!
//! All of them are taken from one row, as there. Which one is any is no part of the dialects; both
//! read a table by its primary key and show the first row that they meet, so that the row with the
//! least primary keys is taken, those of the tables in the order in which FROM names them. Where no
//! table has one, it is the first that Postgres meets.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/group-by-handling.html>
//! <https://www.sqlite.org/lang_select.html#bareagg>

use std::collections::BTreeSet;
use std::ops::Range;

use super::aggregate_query::{AggregateQuery, GroupingKeys, UngroupedColumn, shown, starred};
use super::name_of;
use crate::RepairContext;
use crate::dependencies::keys;
use crate::recoverers::foreign_dialect::takers_of_any_row;
use crate::scopes::column_reference::ColumnReference;
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};
use crate::scopes::{qualifier, span_of};
use catalog::quote::quoted;
use ground::limits::GROUP_EXPRESSIONS_MAX;
use policy::Dialect;
use resolve::InferredType;
use sql::edit::TextEdit;
use sql::extent::PairedTokens;
use sql::node_access;
use sql::tree::{self, Node};

/// The changes that take ungrouped columns from one row of each group.
pub(super) struct OneRowOfGroup {
    /// The edits.
    pub edits: Vec<TextEdit>,
    /// What is told of them.
    pub change: String,
}

/// The row of each group that the columns are taken from; none where no dialect is told that takes
/// them, or nothing can be said for sure of where they stand.
pub(super) fn one_row_of_group(
    context: &RepairContext<'_>,
    query_scopes: &QueryScopes<'_>,
    grouped: &AggregateQuery<'_>,
) -> Option<OneRowOfGroup> {
    let takers = takers_of_any_row(context);
    let is_one_group = grouped.keys == GroupingKeys::Absent && grouped.has_aggregate;
    let is_grouped = grouped.keys == GroupingKeys::List || is_one_group;
    if takers.is_empty() || !is_grouped || grouped.open.len() > GROUP_EXPRESSIONS_MAX {
        return None;
    }
    let ground = PairedTokens::of(context.text, context.tokens);
    let extreme = match takers.contains(&Dialect::Sqlite) {
        true => only_extreme(context, &ground, query_scopes, grouped),
        false => None,
    };
    let title = match (&extreme, takers.as_slice()) {
        (None, [Dialect::Mysql, ..]) => "MySQL",
        _ => "SQLite",
    };
    let change = change(query_scopes, grouped, extreme.as_ref(), title);
    let rows = GroupRows {
        context,
        ground,
        query_scopes,
        grouped,
        extreme,
    };
    Some(OneRowOfGroup {
        edits: rows.edits()?,
        change,
    })
}

/// The only max() or min() of a query.
struct OnlyExtreme {
    /// What it is an extreme of.
    argument: String,
    /// `DESC` for max().
    direction: &'static str,
    /// The call.
    call: String,
}

/// A query whose columns are taken from one row of each group.
struct GroupRows<'c, 's, 'q, 'a> {
    context: &'c RepairContext<'s>,
    ground: PairedTokens<'s>,
    query_scopes: &'q QueryScopes<'a>,
    grouped: &'q AggregateQuery<'a>,
    extreme: Option<OnlyExtreme>,
}

impl GroupRows<'_, '_, '_, '_> {
    fn edits(&self) -> Option<Vec<TextEdit>> {
        let mut edits = Vec::new();
        let mut stars = BTreeSet::new();
        for open in &self.grouped.open {
            let reference = self.query_scopes.reference_at(open.at)?;
            if open.by_star {
                if stars.insert(open.at) {
                    edits.push(self.star(reference)?);
                }
                continue;
            }
            let span = span_of(self.context, open.at)?;
            let text = self.context.text.get(span.clone())?;
            edits.push(TextEdit {
                replacement: self.taken(reference, open.column_index, text)?,
                span,
            });
        }
        edits.extend(self.names());
        Some(edits)
    }

    /// A column, from the row.
    fn taken(
        &self,
        reference: &ColumnReference<'_>,
        column_index: ColumnIndex,
        text: &str,
    ) -> Option<String> {
        let catalog = self.query_scopes.catalog;
        let column = self.query_scopes.column(column_index)?;
        let has_arrays = matches!(&column.inferred, InferredType::Known(id)
            if !catalog.data_type(*id).is_array && catalog.data_type(*id).array.is_some());
        if !has_arrays {
            return None;
        }
        let mut keys = Vec::new();
        if let Some(extreme) = &self.extreme {
            // Within another query the same words may mean something else.
            if reference.level != self.grouped.level {
                return None;
            }
            let OnlyExtreme {
                argument,
                direction,
                call: _,
            } = extreme;
            keys.push(format!("{argument} {direction} NULLS LAST"));
        }
        keys.extend(self.primary_keys(reference.level));
        let order = match keys.is_empty() {
            true => String::new(),
            false => format!(" ORDER BY {}", keys.join(", ")),
        };
        Some(format!("(array_agg({text}{order}))[1]"))
    }

    /// The columns of the primary keys of what stands in FROM, as they are named in a query.
    fn primary_keys(&self, level: usize) -> Vec<String> {
        let scope = self.query_scopes.scope(self.grouped.level);
        let from_items = scope.map_or(&[][..], |scope| &scope.from_items);
        let mut names = Vec::new();
        for (place, from_item) in from_items.iter().enumerate() {
            let columns = keys::primary_key(self.query_scopes.catalog, from_item);
            let named = columns.and_then(|columns| {
                let of = |column| {
                    self.key_column(
                        level,
                        ColumnIndex {
                            level: self.grouped.level,
                            from_item: place,
                            column,
                        },
                    )
                };
                columns.into_iter().map(of).collect::<Option<Vec<_>>>()
            });
            names.extend(named.unwrap_or_default());
        }
        names
    }

    /// A column of a key, where the client may read it.
    fn key_column(&self, level: usize, column_index: ColumnIndex) -> Option<String> {
        let column = self.query_scopes.column(column_index)?;
        let (relation, number) = column.origin?;
        let own = keys::column(self.query_scopes.catalog, relation, number)?;
        let rights = self.context.database?.rights();
        if !rights.may_read_column(relation, own) {
            return None;
        }
        let relation = qualifier(self.query_scopes, level, column_index)?;
        Some(format!(
            "{}.{}",
            quoted(relation),
            quoted(column.name.as_str())
        ))
    }

    /// The columns that a star stands for, each by itself.
    fn star(&self, reference: &ColumnReference<'_>) -> Option<TextEdit> {
        let level = self.query_scopes.scope(self.grouped.level)?;
        let is_plain = level.joins.iter().all(|join| join.using.is_empty())
            && !level.from_items.iter().any(|from_item| from_item.hidden);
        let mut targets = level.select.target_list().iter();
        let is_item = targets.any(|target| match target.val() {
            Node::ColumnRef(column) => node_access::place(column.location) == Some(reference.at),
            _ => false,
        });
        if !is_plain || !is_item || reference.level != self.grouped.level {
            return None;
        }
        let mut items = Vec::new();
        for column_index in starred(self.query_scopes, self.grouped.level, reference.qualifier) {
            let column = self.query_scopes.column(column_index)?;
            let name = quoted(column.name.as_str());
            let relation = qualifier(self.query_scopes, reference.level, column_index)?;
            let text = format!("{}.{name}", quoted(relation));
            let is_open = |open: &&UngroupedColumn| open.column_index == column_index;
            items.push(match self.grouped.open.iter().find(is_open) {
                None => text,
                Some(_) => format!("{} AS {name}", self.taken(reference, column_index, &text)?),
            });
        }
        Some(TextEdit {
            span: self.star_span(reference.at)?,
            replacement: items.join(", "),
        })
    }

    fn star_span(&self, at: usize) -> Option<Range<usize>> {
        let first = self.ground.at(at)?;
        let mut last = first;
        while self.ground.word(last) != "*" {
            last = last.checked_add(2)?;
            if self.ground.word(last.checked_sub(1)?) != "." {
                return None;
            }
        }
        Some(self.ground.bytes(sql::extent::TokenRange { first, last }))
    }

    /// The names of items that go by that of a column which is taken from the row.
    fn names(&self) -> Vec<TextEdit> {
        let level = self.query_scopes.scope(self.grouped.level);
        let targets = level
            .iter()
            .flat_map(|level| level.select.target_list().iter());
        let mut edits = Vec::new();
        for target in targets.filter(|target| target.name().is_none()) {
            let Some(Node::ColumnRef(column)) = naming_column(target.val()) else {
                continue;
            };
            let at = node_access::place(column.location);
            let mut open = self.grouped.open.iter();
            let is_taken = open.any(|open| Some(open.at) == at && !open.by_star);
            let name = node_access::last_name(column.fields()).filter(|_| is_taken);
            let end = node_access::place(target.location)
                .and_then(|start| self.ground.item_end(start))
                .map(|last| {
                    self.ground
                        .bytes(sql::extent::TokenRange { first: last, last })
                        .end
                });
            if let (Some(name), Some(end)) = (name, end) {
                edits.push(TextEdit {
                    span: end..end,
                    replacement: format!(" AS {}", quoted(name)),
                });
            }
        }
        edits
    }
}

/// The column that an item without a name goes by.
fn naming_column(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        node = match node {
            Node::ColumnRef(_) => return Some(node),
            Node::TypeCast(cast) => cast.arg(),
            Node::CollateClause(collate) => collate.arg(),
            Node::CaseExpr(case) => case.defresult(),
            _ => return None,
        };
    }
}

/// The max() or min() of a query, where it has one alone. The same one may stand in it often.
fn only_extreme(
    context: &RepairContext<'_>,
    ground: &PairedTokens<'_>,
    query_scopes: &QueryScopes<'_>,
    grouped: &AggregateQuery<'_>,
) -> Option<OnlyExtreme> {
    let mut waiting = shown(query_scopes.scope(grouped.level)?.select);
    let mut only: Option<OnlyExtreme> = None;
    while let Some(node) = waiting.pop() {
        match node {
            Node::SelectStmt(_) => continue,
            Node::FuncCall(call) if call.over().is_none() => {
                let name = node_access::last_name(call.funcname())?;
                let direction = match name {
                    "max" => "DESC",
                    "min" => "ASC",
                    _ => "",
                };
                if !direction.is_empty() {
                    if !matches!(call.agg_filter(), Node::None) {
                        return None;
                    }
                    let written = ground.call(node_access::place(call.location)?)?;
                    let [argument] = written.arguments.as_slice() else {
                        return None;
                    };
                    let argument = context.text.get(ground.bytes(*argument))?.to_owned();
                    let found = OnlyExtreme {
                        call: format!("{name}({argument})"),
                        argument,
                        direction,
                    };
                    if only.as_ref().is_some_and(|only| only.call != found.call) {
                        return None;
                    }
                    only = Some(found);
                    continue;
                }
            }
            _ => {}
        }
        tree::children(node, &mut waiting).ok()?;
    }
    only
}

/// What is told of it.
fn change(
    query_scopes: &QueryScopes<'_>,
    grouped: &AggregateQuery<'_>,
    extreme: Option<&OnlyExtreme>,
    title: &str,
) -> String {
    let mut names: Vec<String> = Vec::new();
    for open in &grouped.open {
        let name = name_of(query_scopes, open);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(super::NAMES_SHOWN);
    let names = names.join(", ");
    match extreme {
        Some(extreme) => format!(
            "{names}: not grouped, taken from the row that has {}, as {title} does",
            extreme.call
        ),
        None => format!("{names}: not grouped, taken from one row of each group, as {title} does"),
    }
}
