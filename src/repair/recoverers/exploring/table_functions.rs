//! PRAGMAs of SQLite that stand in FROM: `pragma_table_info('orders')`.

use super::listings::{RelationForm, of_relation};
use super::lookup::Lookup;
use super::words::parts_of;
use crate::{RecovererAnswer, RepairContext, SessionDatabase};
use catalog::quote::quoted;
use sql::edit::TextEdit;
use sql::extent::{PairedTokens, TokenRange};
use sql::node_access::{self, constant_text};
use sql::tree::{Node, nodes};

/// Puts a query in the place of each.
pub(super) fn recover(
    context: &RepairContext<'_>,
    database: &SessionDatabase<'_>,
) -> RecovererAnswer {
    let Some(nodes) = context.statement().and_then(node_access::all) else {
        return RecovererAnswer::Silent;
    };
    let paired = PairedTokens::of(context.text, context.tokens);
    let lookup = Lookup::new(database);
    let mut edits: Vec<TextEdit> = Vec::new();
    for node in nodes {
        let Node::RangeFunction(range) = node else {
            continue;
        };
        let Some((call, form, name)) = pragma(range) else {
            continue;
        };
        let found = match lookup.relation(&name) {
            Ok(found) => found,
            Err(advice) => return RecovererAnswer::hint(advice),
        };
        let place = node_access::place(call.location);
        let Some(written) = place.and_then(|at| paired.call(at)) else {
            continue;
        };
        let span = paired.bytes(TokenRange {
            first: written.name.first,
            last: written.close,
        });
        let query = of_relation(form, found, None, &lookup);
        let alias = match range.alias() {
            Some(_) => String::new(),
            None => {
                let name = node_access::last_name(call.funcname()).unwrap_or_default();
                format!(" AS {}", quoted(name))
            }
        };
        edits.push(TextEdit {
            span,
            replacement: format!("({query}){alias}"),
        });
    }
    match edits.is_empty() {
        true => RecovererAnswer::Silent,
        false => RecovererAnswer::exact(edits, PRAGMA.to_owned()),
    }
}

fn pragma(range: &nodes::RangeFunction) -> Option<(&nodes::FuncCall, RelationForm, Vec<String>)> {
    let Some(Node::NodeList(first)) = range.functions().iter().next() else {
        return None;
    };
    let Some(Node::FuncCall(call)) = first.first() else {
        return None;
    };
    let form = match node_access::last_name(call.funcname())? {
        "pragma_table_info" => RelationForm::TableInfo,
        "pragma_table_xinfo" => RelationForm::TableXinfo,
        "pragma_index_list" => RelationForm::IndexList,
        "pragma_foreign_key_list" => RelationForm::ForeignKeyList,
        _ => return None,
    };
    let argument = call
        .args()
        .iter()
        .next()
        .filter(|_| call.args().len() == 1)?;
    Some((call, form, parts_of(constant_text(argument)?)?))
}

const PRAGMA: &str = "a query of the catalogs stands for a PRAGMA of SQLite";
