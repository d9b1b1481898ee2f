//! Calls as they are found in a tree, and what gives names to columns.

use crate::{FailureOrigin, RepairContext};
use dialect::calls::expression_kinds::ExpressionKinds;
use dialect::sql_type::SqlType;
use resolve::expression::node_types::address;
use sql::extent::PairedTokens;
use sql::extent::call::CallSpan;
use sql::node_access;
use sql::tree::{Node, nodes};

/// A call that is looked at.
pub(crate) struct FoundCall<'s> {
    /// It in the tree.
    pub(crate) node: &'s nodes::FuncCall,
    /// Its name.
    pub(crate) name: &'s str,
    /// It in the text.
    pub(crate) written: CallSpan,
    /// Where it begins.
    pub(crate) place: usize,
}

/// A call that can be looked at: its name is no more than a name, and its arguments are found in
/// the text.
pub(crate) fn find_call<'s>(
    call: &'s nodes::FuncCall,
    ground: &PairedTokens<'s>,
) -> Option<FoundCall<'s>> {
    let name = node_access::last_name(call.funcname())?;
    let is_plain = call.funcname().len() == 1
        || call.funcname().len() == 2
            && call.funcname().first().and_then(Node::as_str) == Some("pg_catalog");
    let place = node_access::place(call.location)?;
    let written = ground.call(place)?;
    let counted = written.arguments.len() == call.args().len();
    let plain = is_plain && counted && !call.func_variadic;
    let named = call
        .args()
        .iter()
        .any(|one| matches!(one, Node::NamedArgExpr(_)));
    (plain && !named).then_some(FoundCall {
        node: call,
        name,
        written,
        place,
    })
}

/// What the server says of the types of a call's arguments.
pub(crate) fn take_types_from_message(
    context: &RepairContext<'_>,
    calls: &[FoundCall<'_>],
    kinds: &mut ExpressionKinds<'_>,
) {
    let failure = context.failure;
    let told = failure
        .message
        .strip_prefix("function ")
        .and_then(|rest| rest.strip_suffix(") does not exist"))
        .and_then(|rest| rest.split_once('('));
    let at = |call: &&FoundCall<'_>| Some(call.place) == failure.position;
    let (Some((_, types)), Some(call), FailureOrigin::Server) =
        (told, calls.iter().find(at), failure.origin)
    else {
        return;
    };
    let types: Vec<&str> = types.split(", ").collect();
    if types.len() != call.node.args().len() {
        return;
    }
    for (node, name) in call.node.args().iter().zip(types) {
        if kinds.kind(node) == SqlType::Unclear {
            kinds.set_kind(node, SqlType::named(name));
        }
    }
}

/// The functions that stand in FROM: no expression can.
pub(crate) fn functions_of(range: &nodes::RangeFunction) -> Vec<*const ()> {
    let lists = range.functions().iter().filter_map(|one| match one {
        Node::NodeList(list) => list.first(),
        _ => None,
    });
    lists.filter_map(address).collect()
}

/// What gives an item of a SELECT list its name.
pub(crate) fn naming_node(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    // Each step leads further down the tree.
    loop {
        node = match node {
            Node::TypeCast(cast) => cast.arg(),
            Node::CollateClause(collate) => collate.arg(),
            Node::CaseExpr(case) => case.defresult(),
            Node::A_Indirection(of)
                if of.indirection().iter().all(|step| step.as_str().is_none()) =>
            {
                of.arg()
            }
            other => return other,
        };
    }
}
