//! The functions by which other systems ask their dictionaries: OBJECT_ID, SCHEMA_NAME, DATABASE.

use super::query_text::QueryText;
use super::words::parts_of;
use sql::extent::TokenRange;
use sql::node_access;
use sql::tree::{A_Expr_Kind, Node, nodes};

/// Replaces those that do not exist.
///
/// # Errors
/// Words about a relation that a call names and that does not exist.
pub(super) fn replace(query: &mut QueryText<'_>, unknown: &[usize]) -> Result<(), String> {
    let calls: Vec<&nodes::FuncCall> = (query.nodes.iter())
        .filter_map(|node| match node {
            Node::FuncCall(call) => Some(*call),
            _ => None,
        })
        .filter(|call| node_access::place(call.location).is_some_and(|at| unknown.contains(&at)))
        .collect();
    let in_standard = query.names_information_schema();
    let compared = schema_calls(&query.nodes);
    for call in calls {
        let Some(at) = node_access::place(call.location) else {
            continue;
        };
        let name = node_access::last_name(call.funcname()).unwrap_or_default();
        let Some(written) = query.paired.call(at) else {
            continue;
        };
        let span = query.paired.bytes(TokenRange {
            first: written.name.first,
            last: written.close,
        });
        let arguments: Vec<&str> = (written.arguments.iter())
            .filter_map(|one| query.text.get(query.paired.bytes(*one)))
            .collect();
        let replacement = match (name, arguments.as_slice()) {
            ("database" | "schema" | "schema_name", [])
                if in_standard && compared.contains(&at) =>
            {
                "pg_catalog.current_schema()".to_owned()
            }
            ("schema_name", []) if query.is_of_server() => "pg_catalog.current_schema()".to_owned(),
            ("schema_name", [id]) if query.is_of_server() => as_name(id, "regnamespace"),
            ("object_name", [id]) if query.is_of_server() => as_name(id, "regclass"),
            ("type_name", [id]) if query.is_of_server() => {
                format!("pg_catalog.format_type(({id})::pg_catalog.oid, NULL)")
            }
            ("object_id", [first, ..]) if query.is_of_server() => match object_id(query, first)? {
                Some(number) => number,
                None => continue,
            },
            _ => continue,
        };
        let named = match is_unnamed_result(&query.nodes, at) {
            true => format!("{replacement} AS {name}"),
            false => replacement,
        };
        query.edit(span, named);
    }
    Ok(())
}

fn as_name(id: &str, kind: &str) -> String {
    format!("({id})::pg_catalog.oid::pg_catalog.{kind}::pg_catalog.text")
}

/// The number of the relation that a literal names.
fn object_id(query: &QueryText<'_>, literal: &str) -> Result<Option<String>, String> {
    let text = literal.trim_start_matches(['N', 'n']);
    let inside = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''));
    let Some(parts) = inside.and_then(|inside| parts_of(&inside.replace("''", "'"))) else {
        return Ok(None);
    };
    let found = query.lookup.relation(&parts)?;
    let regclass = query.lookup.regclass(found.id);
    Ok(Some(format!("{regclass}::pg_catalog.oid::pg_catalog.int8")))
}

/// The places of calls that are compared with a column that holds a schema.
fn schema_calls(nodes: &[Node<'_>]) -> Vec<usize> {
    let is_schema = |node: Node<'_>| match node {
        Node::ColumnRef(column) => (column.fields().iter().next_back())
            .and_then(Node::as_str)
            .is_some_and(|name| SCHEMA_COLUMNS.contains(&name)),
        _ => false,
    };
    let mut found = Vec::new();
    for node in nodes {
        let Node::A_Expr(comparison) = node else {
            continue;
        };
        if comparison.kind != A_Expr_Kind::AEXPR_OP {
            continue;
        }
        for (one, other) in [
            (comparison.lexpr(), comparison.rexpr()),
            (comparison.rexpr(), comparison.lexpr()),
        ] {
            if let Node::FuncCall(call) = other
                && is_schema(one)
            {
                found.extend(node_access::place(call.location));
            }
        }
    }
    found
}

/// Whether a call is a column of a result that has its name from it.
fn is_unnamed_result(nodes: &[Node<'_>], at: usize) -> bool {
    nodes.iter().any(|node| match node {
        Node::ResTarget(target) if target.name().is_none() => match target.val() {
            Node::FuncCall(call) => node_access::place(call.location) == Some(at),
            _ => false,
        },
        _ => false,
    })
}

const SCHEMA_COLUMNS: &[&str] = &["table_schema", "schema_name", "constraint_schema"];
