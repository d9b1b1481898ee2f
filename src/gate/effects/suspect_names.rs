//! The first look: each name of a statement, once, against what any object of that name hides.
//!
//! No scopes, no types and no search_path: if no name that the statement writes, or that its syntax
//! implies, is marked, then whatever the names stand for is clean. A marked name is a suspicion,
//! which [`super::resolve_effects`] looks into.

use super::{Sort, Spelling, Suspicion};
use crate::catalog::unreadable_names;
use crate::catalog::unreadable_names::CUT_FROM;
use crate::catalog::{FunctionId, NameId, SchemaId, Volatility};
use crate::gate::context::Case;
use crate::gate::effects::graph::{Flags, Sight};
use crate::gate::extensions;
use crate::gate::function_bodies;
use crate::gate::rules::Called;
use crate::gate::settings::search_path;
use crate::sql::tree::{A_Expr_Kind, Node, SubLinkType, list::NodeList, nodes};

/// The names of one node. Calls are looked at by [`call`].
pub(in crate::gate) fn look(node: Node<'_>, sight: &Sight, case: &mut Case<'_>) {
    match node {
        Node::ColumnRef(column) => fields(column.fields().iter().skip(1), sight, case),
        Node::A_Indirection(indirection) => {
            fields(indirection.indirection().iter(), sight, case);
        }
        Node::A_Expr(operator) => expression(operator, sight, case),
        Node::RangeVar(table) => {
            let name = table.relname().unwrap_or_default();
            suspect(name, Flags::RELATION, Sort::Relation, sight, case);
        }
        Node::TypeName(name) => {
            let last = name.names().iter().next_back();
            let last = last.and_then(|part| part.sval()).unwrap_or_default();
            suspect(last, Flags::TYPE, Sort::Type, sight, case);
        }
        Node::SubLink(link) => {
            let implied = link.sub_link_type == SubLinkType::ANY_SUBLINK;
            match last(link.oper_name()) {
                None if implied => operator("=", sight, case),
                None => {}
                Some(symbol) => operator(symbol, sight, case),
            }
        }
        Node::SortBy(sort) => {
            if let Some(symbol) = last(sort.use_op()) {
                operator(symbol, sight, case);
            }
        }
        Node::JoinExpr(join) if join.is_natural || !join.using_clause().is_empty() => {
            operator("=", sight, case);
        }
        Node::CaseExpr(case_of) if !matches!(case_of.arg(), Node::None) => {
            operator("=", sight, case);
        }
        _ => {}
    }
}

/// A call of a name that is a built-in, or that the catalog has a function of.
pub(in crate::gate) fn call(called: Called<'_>, sight: &Sight, case: &mut Case<'_>) {
    if may_be_read_otherwise(called.name) {
        suspect(called.name, Flags::FUNCTION, Sort::Function, sight, case);
    }
    let Some(id) = sight.catalog().names().find(called.name) else {
        return;
    };
    function_bodies::note(id, Flags::FUNCTION.with(Flags::TYPE), sight, case);
    let flags = sight.flags(id);
    if flags.any_of(Flags::FUNCTION) {
        note(Sort::Function, id, case);
    } else if flags.any_of(Flags::TYPE) {
        // `T(x)` is a cast where there is no such function.
        note(Sort::Type, id, case);
    } else if flags.any_of(Flags::IS_USER_FUNCTION) {
        note_settings(id, sight, case);
    }
}

/// A call that a rule of its own answers for ([`crate::gate::rules::set_config`]), as long as it is
/// the built-in that is called.
pub(in crate::gate) fn call_of_ruled(called: Called<'_>, sight: &Sight, case: &mut Case<'_>) {
    if let Some(id) = sight.catalog().names().find(called.name)
        && sight.flags(id).any_of(Flags::IS_USER_FUNCTION)
    {
        function_bodies::note(id, Flags::FUNCTION, sight, case);
        note(Sort::Function, id, case);
    }
}

/// What a name is that is no built-in of the server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Known {
    /// A function or a type.
    Here,
    /// The catalog has neither.
    Nowhere,
}

/// Whether the catalog has anything that could be called by this name.
pub(in crate::gate) fn known(called: Called<'_>, sight: &Sight) -> Known {
    let catalog = sight.catalog();
    let in_schema = |schema: SchemaId| {
        let own = catalog.names().text(catalog.schema(schema).name);
        called.schema.is_none_or(|written| written == own)
    };
    let Some(name) = catalog.names().find(called.name) else {
        return Known::Nowhere;
    };
    let mut functions = catalog.index().functions(name).iter();
    let mut types = catalog.index().types(name).iter();
    let here = functions.any(|id| in_schema(catalog.function(*id).schema))
        || types.any(|id| in_schema(catalog.data_type(*id).schema));
    if here { Known::Here } else { Known::Nowhere }
}

/// Whether all functions of a name, one at least, are clean: what an older server would call for
/// a form of SQL that it does not know.
pub(in crate::gate) fn all_clean(name: &str, sight: &Sight) -> bool {
    let Some(id) = sight.catalog().names().find(name) else {
        return false;
    };
    let functions = sight.catalog().index().functions(id);
    !functions.is_empty()
        && functions
            .iter()
            .all(|function| sight.called_by_name(*function).is_none())
}

/// Whether no type that a string may name hides anything. What is quoted there is not read.
pub(in crate::gate) fn all_types_clean(written: &str, sight: &Sight) -> bool {
    let in_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let marked = |word: &str| {
        let id = sight.catalog().names().find(word);
        id.is_some_and(|id| sight.flags(id).any_of(Flags::TYPE))
    };
    let mut words = written.split(|letter| !in_name(letter));
    !written.contains('"') && !words.any(|word| marked(&word.to_lowercase()))
}

/// `x.f` and `(x).f` call a function of one argument where `x` has no such column.
fn fields<'n>(fields: impl Iterator<Item = Node<'n>>, sight: &Sight, case: &mut Case<'_>) {
    for name in fields.filter_map(|field| field.as_str()) {
        suspect(name, Flags::FIELD, Sort::Field, sight, case);
    }
}

fn expression(expression: &nodes::A_Expr, sight: &Sight, case: &mut Case<'_>) {
    match expression.kind {
        A_Expr_Kind::AEXPR_BETWEEN
        | A_Expr_Kind::AEXPR_NOT_BETWEEN
        | A_Expr_Kind::AEXPR_BETWEEN_SYM
        | A_Expr_Kind::AEXPR_NOT_BETWEEN_SYM => {
            for symbol in ["<", "<=", ">", ">="] {
                operator(symbol, sight, case);
            }
        }
        _ => {
            if let Some(symbol) = last(expression.name()) {
                operator(symbol, sight, case);
            }
        }
    }
}

fn operator(symbol: &str, sight: &Sight, case: &mut Case<'_>) {
    suspect(symbol, Flags::OPERATOR, Sort::Operator, sight, case);
}

fn suspect(name: &str, flag: Flags, sort: Sort, sight: &Sight, case: &mut Case<'_>) {
    if let Some(id) = sight.catalog().names().find(name) {
        function_bodies::note(id, flag, sight, case);
        if sight.flags(id).any_of(flag) {
            note(sort, id, case);
        }
    }
    if may_be_read_otherwise(name) {
        function_bodies::note_folded(sight, case);
    }
    if may_be_read_otherwise(name)
        && let Some(id) = read_otherwise(name, flag, sight)
    {
        case.suspicion = Some(Suspicion {
            sort,
            name: id,
            spelling: Spelling::Folded,
        });
    }
}

/// Whether a server may read another name in what the parser has read so: it has letters beyond
/// ASCII, or the parser may have cut some off.
fn may_be_read_otherwise(name: &str) -> bool {
    !name.is_ascii() || name.len() >= CUT_FROM
}

/// What marked name such a one may be to a server whose database has another encoding.
fn read_otherwise(name: &str, flag: Flags, sight: &Sight) -> Option<NameId> {
    let names = sight.catalog().names();
    let folded = match name.is_ascii() {
        true => name.to_owned(),
        false => name.to_lowercase(),
    };
    let marked = |id: &NameId| sight.flags(*id).any_of(flag);
    let other = names.find(&folded).filter(|id| names.text(*id) != name);
    let cut = |whole: &str| {
        name.len() >= CUT_FROM && (whole.starts_with(name) || whole.starts_with(&folded))
    };
    let is = |id: &NameId| {
        let whole = names.text(*id);
        cut(whole) || unreadable_names::may_be(whole, name)
    };
    other.filter(marked).or_else(|| {
        let mut long = sight.long_names().iter().copied();
        long.find(|id| marked(id) && is(id))
    })
}

fn note(sort: Sort, name: NameId, case: &mut Case<'_>) {
    case.suspicion.get_or_insert(Suspicion {
        sort,
        name,
        spelling: Spelling::Exact,
    });
}

fn note_settings(name: NameId, sight: &Sight, case: &mut Case<'_>) {
    let mut functions = sight.catalog().index().functions(name).iter();
    if functions.any(|id| may_set(*id, sight)) {
        search_path::note_unknown(case);
    }
}

/// Whether a function that is clean may set what it likes: one that the policy names whatever its
/// owner says of it.
pub(super) fn may_set(id: FunctionId, sight: &Sight) -> bool {
    let function = sight.catalog().function(id);
    function.volatility == Volatility::Volatile
        && !function.oid.is_built_in()
        && !extensions::is_allowed(sight.catalog(), function)
}

fn last(names: &NodeList) -> Option<&str> {
    names.iter().next_back().and_then(|part| part.as_str())
}
