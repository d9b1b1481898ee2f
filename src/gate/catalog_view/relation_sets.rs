//! Functions that give relations stand as `unnest(ARRAY(SELECT …))`: their column keeps the name
//! that the function gives it.

use super::functions;
use sql::extent::{PairedTokens, TokenRange};
use sql::node_access::place;
use sql::tree::{Node, nodes};

/// The call that a column is named by: it stands alone in FROM, where no names of columns are
/// written, or is a whole expression of a select list, where no name is.
pub(super) fn named_by_call(node: Node<'_>) -> Option<&nodes::FuncCall> {
    let call = match node {
        Node::RangeFunction(range) => {
            let names_follow = range
                .alias()
                .is_some_and(|alias| !alias.colnames().is_empty());
            let is_plain = !range.is_rowsfrom && range.coldeflist().is_empty() && !names_follow;
            let Some(Node::NodeList(function)) = range.functions().iter().next() else {
                return None;
            };
            function.get(0).filter(|_| is_plain)?
        }
        Node::ResTarget(target) if target.name().is_none() => target.val(),
        _ => return None,
    };
    let Node::FuncCall(call) = call else {
        return None;
    };
    let name = call.funcname().iter().next_back()?.as_str()?;
    let served = functions::served(name)?;
    served.gives_relations.then_some(call)
}

/// The name, and the byte that it is written before: behind the call or the alias of the table.
pub(super) fn column_name(
    node: Node<'_>,
    call: &nodes::FuncCall,
    tokens: &PairedTokens<'_>,
) -> Option<(usize, String)> {
    let name = call.funcname().iter().next_back()?.as_str()?;
    let close = tokens.call(place(call.location)?)?.close;
    let (behind, instead) = match node {
        Node::RangeFunction(range) => {
            let next = close.checked_add(1)?;
            let words = if range.ordinality { 2 } else { 0 };
            let next = next.checked_add(words)?;
            match range.alias() {
                Some(_) if tokens.is(next, "AS") => (next.checked_add(1)?, format!("({RELATION})")),
                Some(_) => (next, format!("({RELATION})")),
                None => (next.checked_sub(1)?, format!(" AS {name}({RELATION})")),
            }
        }
        _ => (close, format!(" AS {name}")),
    };
    let end = tokens
        .bytes(TokenRange {
            first: behind,
            last: behind,
        })
        .end;
    Some((end, instead))
}

/// The name of the only column of these functions.
///
/// <https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-PARTITION>
const RELATION: &str = "relid";
