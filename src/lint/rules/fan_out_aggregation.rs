//! `fan_out_aggregation`: aggregates over rows that a join repeats.
//!
//! # Sees
//! `sum`, `avg` or `count` of columns of one table, joined to another of which several rows belong
//! to one of the first: its declared keys are not given by what joins them (a warning). A sum is an
//! error where neither table tells the rows of the other, and nothing else is asked of the other:
//! two lists that hang on one thing multiply each other.
//!
//! # Why
//! The total of an order with three items is added three times; three items and two payments are
//! six rows.
//!
//! # Before
//! - `SELECT sum(o.total) FROM orders o JOIN order_items i ON i.order_id = o.id`
//! - `SELECT sum(i.quantity) FROM order_items i JOIN payments p ON p.order_id = i.order_id`
//!
//! # After
//! - `SELECT sum(o.total) FROM orders o WHERE o.id IN (SELECT order_id FROM order_items)`
//! - `SELECT count(DISTINCT o.id) FROM orders o JOIN order_items i ON i.order_id = o.id`
//!
//! # When not
//! `min`, `max`, DISTINCT and `count(*)`, and conditions that are counted (`sum(CASE WHEN … THEN 1
//! END)`): they are about the joined rows. Grouping by columns of the other table that, with the
//! key of the first, tell its row. Tables without declared keys, views and functions: nobody knows
//! how many rows belong together.

use std::collections::BTreeSet;

use crate::query::{Query, QueryId, QueryLinks};
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use sql::node_access::{constant_integer, last_name, place};
use sql::tree::{A_Expr_Kind, Node, nodes};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for (id, query) in statement.queries() {
        if query.items.len() > 1 && !query.is_set_operation() {
            of_query(statement, id, query, findings);
        }
    }
}

fn of_query<'a>(
    statement: &LintedStatement<'a>,
    id: QueryId,
    query: &Query<'a>,
    findings: &mut Vec<LintFinding>,
) {
    let links = statement.tree.links(id);
    if links.is_unsure {
        return;
    }
    let grouped = grouped_items(statement, id, query);
    for call in statement.calls_of(id) {
        let Some(name) = last_name(call.funcname()).filter(|name| SENSITIVE.contains(name)) else {
            continue;
        };
        if call.agg_distinct || call.agg_star || call.over().is_some() {
            continue;
        }
        let Some(own) = aggregated_items(statement, id, call) else {
            continue;
        };
        let first: BTreeSet<usize> = own.union(&grouped).copied().collect();
        let told = statement.told_by(id, &first, &links);
        let Some(repeating) = (0..query.items.len()).find(|item| !told.contains(item)) else {
            continue;
        };
        let names = [own.first().copied().unwrap_or_default(), repeating]
            .map(|place| query.items.get(place).map(LintedStatement::item_name));
        let [Some(one), Some(other)] = names else {
            continue;
        };
        // Rows that tell the aggregated one look its value up: to add that may be meant.
        let told_back = statement.told_by(id, &BTreeSet::from([repeating]), &links);
        let is_lookup = own.is_subset(&told_back);
        let is_error = name == "sum" && !is_lookup && !is_asked_of(&links, repeating);
        findings.push(LintFinding {
            rule: LintRule::FanOutAggregation,
            level: match is_error {
                true => LintLevel::Error,
                false => LintLevel::Warning,
            },
            at: place(call.location),
            message: format!(
                "{name} counts a row of {one} once for each row of {other} that is joined to it"
            ),
        });
    }
}

/// The items whose columns an aggregate takes; none where that cannot be told, or where what it
/// adds is of no table's rows: it then counts the rows that were joined.
fn aggregated_items<'a>(
    statement: &LintedStatement<'a>,
    id: QueryId,
    call: &'a nodes::FuncCall,
) -> Option<BTreeSet<usize>> {
    let query = statement.tree.query(id)?;
    let is_of_rows = call.args().iter().any(|value| {
        let columns = value_columns(value).into_iter();
        let mut own = columns.filter_map(|column| statement.plain_column(id, column));
        own.any(|at| at.query == id)
    });
    let mut own = BTreeSet::new();
    for node in call.args().iter().chain([call.agg_filter()]) {
        let mentioned = statement.tree.mentioned(id, node);
        if mentioned.is_unsure {
            return None;
        }
        own.extend(mentioned.items);
    }
    // Rows of what looks to its left belong to the row that they were made for.
    let is_made_for_rows = own.iter().any(|place| {
        let item = query.items.get(*place);
        item.is_none_or(|item| item.lateral.is_some())
    });
    (is_of_rows && !is_made_for_rows).then_some(own)
}

/// The columns that the value of an expression is made of, without those that only decide.
fn value_columns(expression: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut waiting = vec![expression];
    while let Some(node) = waiting.pop() {
        match node {
            Node::ColumnRef(_) => found.push(node),
            Node::CaseExpr(case) => {
                waiting.push(case.defresult());
                waiting.extend(case.args().iter().filter_map(|when| match when {
                    Node::CaseWhen(when) => Some(when.result()),
                    _ => None,
                }));
            }
            Node::BoolExpr(_) | Node::NullTest(_) | Node::BooleanTest(_) | Node::SelectStmt(_) => {}
            Node::A_Expr(comparison) if is_comparison(comparison) => {}
            other => {
                let _unknown = sql::tree::children(other, &mut waiting);
            }
        }
    }
    found
}

fn is_comparison(operation: &nodes::A_Expr) -> bool {
    let name = last_name(operation.name()).unwrap_or_default();
    match operation.kind {
        A_Expr_Kind::AEXPR_OP => COMPARISONS.contains(&name),
        A_Expr_Kind::AEXPR_NULLIF => false,
        _ => true,
    }
}

/// The items whose columns the groups are made of: a group has one row of each, it is taken.
fn grouped_items<'a>(
    statement: &LintedStatement<'a>,
    id: QueryId,
    query: &Query<'a>,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let targets: Vec<&nodes::ResTarget> = query.select.target_list().iter().collect();
    for group in query.select.group_clause() {
        let output = match (constant_integer(group), group) {
            (Some(at), _) => {
                let at = usize::try_from(at).ok().and_then(|at| at.checked_sub(1));
                at.and_then(|at| targets.get(at)).map(|target| target.val())
            }
            (None, Node::ColumnRef(reference))
                if statement.tree.column(id, reference).is_none() =>
            {
                let name = last_name(reference.fields());
                let named = targets.iter().find(|target| target.name() == name);
                named.map(|target| target.val())
            }
            (None, _) => None,
        };
        found.extend(statement.tree.mentioned(id, output.unwrap_or(group)).items);
    }
    found
}

/// Whether a condition beside the joins speaks of an item.
fn is_asked_of(links: &QueryLinks<'_>, item: usize) -> bool {
    let fixed = links.equalities.iter().any(|equality| {
        let is_fixed = matches!(equality.right, crate::query::EqualityRight::Fixed(_));
        is_fixed && equality.column.item == item
    });
    fixed || links.others.iter().any(|items| items.contains(&item))
}

/// Aggregates that a repeated row changes.
const SENSITIVE: &[&str] = &["sum", "avg", "count", "stddev", "variance"];

const COMPARISONS: &[&str] = &[
    "=", "<>", "<", ">", "<=", ">=", "~", "~*", "!~", "!~*", "@>", "<@",
];
