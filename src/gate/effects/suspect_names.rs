//! The first pass: each name of a statement, once, against what any object of that name hides.
//!
//! No scopes, no types and no search_path: if no name that the statement writes, or that its syntax
//! implies, is marked, then whatever the names stand for is clean. A marked name is a suspicion,
//! which [`super::resolve_effects`] looks into.

use super::{NameUse, SpellingMatch, SuspectName};
use crate::context::JudgeContext;
use crate::effects::graph::{EffectGraph, NameFlags};
use crate::extensions;
use crate::function_bodies;
use crate::rules::CalledName;
use crate::settings::search_path;
use catalog::unreadable_names;
use catalog::unreadable_names::CUT_FROM;
use catalog::{FunctionId, NameId, SchemaId, Volatility};
use sql::tree::{A_Expr_Kind, Node, SubLinkType, list::NodeList, nodes};

/// The names of one node. Calls are looked at by [`call`].
pub(crate) fn check_names(
    node: Node<'_>,
    effect_graph: &EffectGraph,
    context: &mut JudgeContext<'_>,
) {
    match node {
        Node::ColumnRef(column) => fields(column.fields().iter().skip(1), effect_graph, context),
        Node::A_Indirection(indirection) => {
            fields(indirection.indirection().iter(), effect_graph, context);
        }
        Node::A_Expr(operator) => expression(operator, effect_graph, context),
        Node::RangeVar(table) => {
            let name = table.relname().unwrap_or_default();
            suspect(
                name,
                NameFlags::RELATION,
                NameUse::Relation,
                effect_graph,
                context,
            );
        }
        Node::TypeName(name) => {
            let last = name.names().iter().next_back();
            let last = last.and_then(|part| part.sval()).unwrap_or_default();
            suspect(last, NameFlags::TYPE, NameUse::Type, effect_graph, context);
        }
        Node::SubLink(link) => {
            let implied = link.sub_link_type == SubLinkType::ANY_SUBLINK;
            match last(link.oper_name()) {
                None if implied => operator("=", effect_graph, context),
                None => {}
                Some(symbol) => operator(symbol, effect_graph, context),
            }
        }
        Node::SortBy(sort) => {
            if let Some(symbol) = last(sort.use_op()) {
                operator(symbol, effect_graph, context);
            }
        }
        Node::JoinExpr(join) if join.is_natural || !join.using_clause().is_empty() => {
            operator("=", effect_graph, context);
        }
        Node::CaseExpr(case_of) if !matches!(case_of.arg(), Node::None) => {
            operator("=", effect_graph, context);
        }
        _ => {}
    }
}

/// A call of a name that is a built-in, or that the catalog has a function of.
pub(crate) fn call(
    called: CalledName<'_>,
    effect_graph: &EffectGraph,
    context: &mut JudgeContext<'_>,
) {
    if may_be_read_otherwise(called.name) {
        suspect(
            called.name,
            NameFlags::FUNCTION,
            NameUse::Function,
            effect_graph,
            context,
        );
    }
    let Some(id) = effect_graph.catalog().names().find(called.name) else {
        return;
    };
    function_bodies::note(
        id,
        NameFlags::FUNCTION.with(NameFlags::TYPE),
        effect_graph,
        context,
    );
    let flags = effect_graph.flags(id);
    if flags.any_of(NameFlags::FUNCTION) {
        note(NameUse::Function, id, context);
    } else if flags.any_of(NameFlags::TYPE) {
        // `T(x)` is a cast where there is no such function.
        note(NameUse::Type, id, context);
    } else if flags.any_of(NameFlags::IS_USER_FUNCTION) {
        note_settings(id, effect_graph, context);
    }
}

/// A call that a rule of its own answers for ([`crate::rules::set_config`]), as long as it is
/// the built-in that is called.
pub(crate) fn call_of_ruled(
    called: CalledName<'_>,
    effect_graph: &EffectGraph,
    context: &mut JudgeContext<'_>,
) {
    if let Some(id) = effect_graph.catalog().names().find(called.name)
        && effect_graph.flags(id).any_of(NameFlags::IS_USER_FUNCTION)
    {
        function_bodies::note(id, NameFlags::FUNCTION, effect_graph, context);
        note(NameUse::Function, id, context);
    }
}

/// What a name is that is no built-in of the server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamePresence {
    /// A function or a type.
    Here,
    /// The catalog has neither.
    Nowhere,
}

/// Whether the catalog has anything that could be called by this name.
pub(crate) fn name_presence(called: CalledName<'_>, effect_graph: &EffectGraph) -> NamePresence {
    let catalog = effect_graph.catalog();
    let in_schema = |schema: SchemaId| {
        let own = catalog.names().text(catalog.schema(schema).name);
        called.schema.is_none_or(|written| written == own)
    };
    let Some(name) = catalog.names().find(called.name) else {
        return NamePresence::Nowhere;
    };
    let mut functions = catalog.index().functions(name).iter();
    let mut types = catalog.index().types(name).iter();
    let here = functions.any(|id| in_schema(catalog.function(*id).schema))
        || types.any(|id| in_schema(catalog.data_type(*id).schema));
    if here {
        NamePresence::Here
    } else {
        NamePresence::Nowhere
    }
}

/// Whether all functions of a name, one at least, are clean: what an older server would call for
/// a form of SQL that it does not know.
pub(crate) fn all_clean(name: &str, effect_graph: &EffectGraph) -> bool {
    let Some(id) = effect_graph.catalog().names().find(name) else {
        return false;
    };
    let functions = effect_graph.catalog().index().functions(id);
    !functions.is_empty()
        && functions
            .iter()
            .all(|function| effect_graph.called_by_name(*function).is_none())
}

/// Whether no type that a string may name hides anything. What is quoted there is not read.
pub(crate) fn all_types_clean(written: &str, effect_graph: &EffectGraph) -> bool {
    let in_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let marked = |word: &str| {
        let id = effect_graph.catalog().names().find(word);
        id.is_some_and(|id| effect_graph.flags(id).any_of(NameFlags::TYPE))
    };
    let mut words = written.split(|letter| !in_name(letter));
    !written.contains('"') && !words.any(|word| marked(&word.to_lowercase()))
}

/// `x.f` and `(x).f` call a function of one argument where `x` has no such column.
fn fields<'n>(
    fields: impl Iterator<Item = Node<'n>>,
    effect_graph: &EffectGraph,
    context: &mut JudgeContext<'_>,
) {
    for name in fields.filter_map(|field| field.as_str()) {
        suspect(
            name,
            NameFlags::FIELD,
            NameUse::Field,
            effect_graph,
            context,
        );
    }
}

fn expression(
    expression: &nodes::A_Expr,
    effect_graph: &EffectGraph,
    context: &mut JudgeContext<'_>,
) {
    match expression.kind {
        A_Expr_Kind::AEXPR_BETWEEN
        | A_Expr_Kind::AEXPR_NOT_BETWEEN
        | A_Expr_Kind::AEXPR_BETWEEN_SYM
        | A_Expr_Kind::AEXPR_NOT_BETWEEN_SYM => {
            for symbol in ["<", "<=", ">", ">="] {
                operator(symbol, effect_graph, context);
            }
        }
        _ => {
            if let Some(symbol) = last(expression.name()) {
                operator(symbol, effect_graph, context);
            }
        }
    }
}

fn operator(symbol: &str, effect_graph: &EffectGraph, context: &mut JudgeContext<'_>) {
    suspect(
        symbol,
        NameFlags::OPERATOR,
        NameUse::Operator,
        effect_graph,
        context,
    );
}

fn suspect(
    name: &str,
    flag: NameFlags,
    sort: NameUse,
    effect_graph: &EffectGraph,
    context: &mut JudgeContext<'_>,
) {
    if let Some(id) = effect_graph.catalog().names().find(name) {
        function_bodies::note(id, flag, effect_graph, context);
        if effect_graph.flags(id).any_of(flag) {
            note(sort, id, context);
        }
    }
    if may_be_read_otherwise(name) {
        function_bodies::note_folded(effect_graph, context);
    }
    if may_be_read_otherwise(name)
        && let Some(id) = read_otherwise(name, flag, effect_graph)
    {
        context.suspect_name = Some(SuspectName {
            sort,
            name: id,
            spelling: SpellingMatch::Folded,
        });
    }
}

/// Whether a server may read another name in what the parser has read so: it has letters beyond
/// ASCII, or the parser may have cut some off.
fn may_be_read_otherwise(name: &str) -> bool {
    !name.is_ascii() || name.len() >= CUT_FROM
}

/// What marked name such a one may be to a server whose database has another encoding.
fn read_otherwise(name: &str, flag: NameFlags, effect_graph: &EffectGraph) -> Option<NameId> {
    let names = effect_graph.catalog().names();
    let folded = match name.is_ascii() {
        true => name.to_owned(),
        false => name.to_lowercase(),
    };
    let marked = |id: &NameId| effect_graph.flags(*id).any_of(flag);
    let other = names.find(&folded).filter(|id| names.text(*id) != name);
    let cut = |whole: &str| {
        name.len() >= CUT_FROM && (whole.starts_with(name) || whole.starts_with(&folded))
    };
    let is = |id: &NameId| {
        let whole = names.text(*id);
        cut(whole) || unreadable_names::may_be(whole, name)
    };
    other.filter(marked).or_else(|| {
        let mut long = effect_graph.long_names().iter().copied();
        long.find(|id| marked(id) && is(id))
    })
}

fn note(sort: NameUse, name: NameId, context: &mut JudgeContext<'_>) {
    context.suspect_name.get_or_insert(SuspectName {
        sort,
        name,
        spelling: SpellingMatch::Exact,
    });
}

fn note_settings(name: NameId, effect_graph: &EffectGraph, context: &mut JudgeContext<'_>) {
    let mut functions = effect_graph.catalog().index().functions(name).iter();
    if functions.any(|id| may_set(*id, effect_graph)) {
        search_path::note_unknown(context);
    }
}

/// Whether a function that is clean may set what it likes: one that the policy names whatever its
/// owner says of it.
pub(super) fn may_set(id: FunctionId, effect_graph: &EffectGraph) -> bool {
    let function = effect_graph.catalog().function(id);
    function.volatility == Volatility::Volatile
        && !function.oid.is_built_in()
        && !extensions::is_allowed(effect_graph.catalog(), function)
}

fn last(names: &NodeList) -> Option<&str> {
    names.iter().next_back().and_then(|part| part.as_str())
}
