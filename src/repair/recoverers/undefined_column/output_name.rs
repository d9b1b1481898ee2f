//! The name of a result used where Postgres does not know it yet: WHERE, HAVING, ON, and inside
//! expressions. What it stands for is written there.

use std::ops::Range;

use crate::Confidence;
use crate::names::context::{MissingColumn, NameRepairContext};
use crate::names::name_repair::{NameFix, NameRepair, NameReplacement, case_fix};
use crate::names::reference_position::{ExpressionRole, ReferenceClause};
use catalog::{FunctionKind, Volatility, quote::quoted};
use resolve::UsedObject;
use sql::lexer::TokenKind;
use sql::tree::{self, nodes};

/// What is known of an expression.
struct OutputExpression {
    span: Range<usize>,
    /// Whether it is a plain column, or made of more.
    nature: ExpressionNature,
}

/// What an expression is made of, as far as it matters where it may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpressionNature {
    Plain,
    Aggregate,
    Window,
    /// It gives another value each time, or several.
    VolatileOrSet,
}

/// A name of a result, replaced by what it stands for.
pub(crate) fn repair(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
) -> Option<NameFix> {
    let place = missing.place;
    let scope = name_context.places.frame(place.scope)?;
    let whole_key = matches!(place.role, ExpressionRole::Whole)
        && matches!(
            place.clause,
            ReferenceClause::Order | ReferenceClause::Group
        );
    let (number, target) = match named(scope.select, missing.name) {
        OutputMatch::One(number, target) => (number, target),
        OutputMatch::Several => {
            return Some(NameFix::advised(format!(
                "Several results are called {}: write out which one is meant.",
                name_context.text(missing.parts.first()?)
            )));
        }
        OutputMatch::Nothing if whole_key => return key_of_union(name_context, missing),
        OutputMatch::Nothing => return outer_name(name_context, missing),
    };
    if place.clause == ReferenceClause::Target(number) {
        return None;
    }
    let span = missing.parts.first()?.clone();
    let name = target.name()?;
    if whole_key && name != missing.name {
        return Some(case_fix(name_context, &span, name));
    }
    let expression = written(name_context, target, place.at)?;
    if let Some(advice) = unfit(name_context, &expression, place.clause, name) {
        return Some(NameFix::advised(advice));
    }
    let covers_all = match place.clause {
        ReferenceClause::On(join) => scope
            .entries
            .iter()
            .all(|entry| entry.joins.iter().any(|(own, _)| *own == join)),
        ReferenceClause::From => false,
        _ => true,
    };
    if !covers_all {
        return Some(NameFix::advised(format!(
            "{} is the name of a result, and is not known in a join: write what it stands for.",
            quoted(name)
        )));
    }
    // A result that is just this name keeps it.
    let after = match (place.clause, place.role) {
        (ReferenceClause::Target(own), ExpressionRole::Whole) if is_unnamed(scope.select, own) => {
            format!(" AS {}", name_context.text(&span))
        }
        _ => String::new(),
    };
    let change = format!(
        "{} is the name of a result, and what it stands for is written in its place",
        name_context.text(&span)
    );
    Some(NameFix::Repaired(NameRepair {
        confidence: Confidence::Exact,
        span,
        with: NameReplacement::Part(expression.span, after),
        beside: Vec::new(),
        change,
        renamed: None,
    }))
}

/// Results of a name.
enum OutputMatch<'t> {
    One(usize, &'t nodes::ResTarget),
    Several,
    Nothing,
}

/// The result of a name, in any case where none has just this one.
fn named<'t>(select: &'t nodes::SelectStmt, name: &str) -> OutputMatch<'t> {
    let all = || select.target_list().iter().enumerate();
    let exact = |target: &nodes::ResTarget| target.name() == Some(name);
    let folded = name.to_lowercase();
    let in_any_case = |target: &nodes::ResTarget| {
        target
            .name()
            .is_some_and(|own| own.to_lowercase() == folded)
    };
    let mut found: Vec<(usize, &nodes::ResTarget)> =
        all().filter(|(_, target)| exact(target)).collect();
    if found.is_empty() {
        found = all().filter(|(_, target)| in_any_case(target)).collect();
    }
    match found.as_slice() {
        [] => OutputMatch::Nothing,
        [(number, target)] => OutputMatch::One(*number, target),
        _ => OutputMatch::Several,
    }
}

fn is_unnamed(select: &nodes::SelectStmt, number: usize) -> bool {
    let target = select.target_list().iter().nth(number);
    target.is_some_and(|target| target.name().is_none())
}

/// ORDER BY of a UNION knows the names of its first query alone.
fn key_of_union(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
) -> Option<NameFix> {
    let mut select = name_context.places.frame(missing.place.scope)?.select;
    let mut is_union = false;
    while let Some(first) = select.larg() {
        (select, is_union) = (first, true);
    }
    let OutputMatch::One(_, target) = named(select, missing.name) else {
        return None;
    };
    let span = missing.parts.first()?;
    is_union.then(|| case_fix(name_context, span, target.name().unwrap_or_default()))
}

/// The name of a result of a query further out.
fn outer_name(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
) -> Option<NameFix> {
    let mut outer = name_context.places.scope_chain(missing.place.scope).skip(1);
    let scope =
        outer.find(|scope| matches!(named(scope.select, missing.name), OutputMatch::One(..)))?;
    let OutputMatch::One(_, target) = named(scope.select, missing.name) else {
        return None;
    };
    Some(NameFix::advised(format!(
        "{} is the name of a result of the query around, which is not known inside: write what it \
         stands for.",
        quoted(target.name()?)
    )))
}

/// The expression of a result, as it is written.
fn written(
    name_context: &NameRepairContext<'_>,
    target: &nodes::ResTarget,
    from: usize,
) -> Option<OutputExpression> {
    let start = usize::try_from(target.location).ok()?;
    let first = name_context.context.token_at(start)?;
    let tokens = name_context.context.tokens.get(first..)?;
    let mut depth = 0_usize;
    // The last solid tokens: what ends the list, and before it AS and the name.
    let mut solid: Vec<(&Range<usize>, TokenKind)> = Vec::new();
    let mut before = "";
    for token in tokens.iter().filter(|token| !token.kind.is_blank()) {
        let word = name_context.context.word(token);
        match word {
            "(" | "[" => depth += 1,
            ")" | "]" if depth == 0 => break,
            ")" | "]" => depth -= 1,
            "," | ";" if depth == 0 => break,
            _ if depth == 0 && token.kind == TokenKind::Word => {
                let ends = ENDS.iter().any(|end| word.eq_ignore_ascii_case(end));
                if ends && !before.eq_ignore_ascii_case("distinct") {
                    break;
                }
            }
            _ => {}
        }
        before = word;
        solid.push((&token.span, token.kind));
    }
    solid.pop()?;
    if let Some((span, TokenKind::Word)) = solid.last()
        && name_context.text(span).eq_ignore_ascii_case("as")
    {
        solid.pop();
    }
    let span = start..solid.last()?.0.end;
    let text = name_context.text(&span);
    // What was cut out has to be an expression, and nothing else.
    let probe = tree::parse(&format!("SELECT ({text}\n)")).ok()?;
    let alone = probe.statements().next().is_some_and(|statement| {
        matches!(statement.node, tree::Node::SelectStmt(select)
            if select.target_list().len() == 1 && select.from_clause().is_empty())
    });
    if !alone || text.contains("--") {
        return None;
    }
    let nature = nature(name_context, &span, from);
    Some(OutputExpression { span, nature })
}

/// What the functions of a part of the text make of it, seen from a place of the same query: what
/// a sub-select does inside stays there.
fn nature(
    name_context: &NameRepairContext<'_>,
    span: &Range<usize>,
    from: usize,
) -> ExpressionNature {
    let query = name_context.resolution.scope_at(from);
    let is_here = |at: usize| span.contains(&at) && name_context.resolution.scope_at(at) == query;
    let mut tokens = name_context.context.tokens.iter();
    let has_window = tokens.any(|token| {
        token.kind == TokenKind::Word
            && is_here(token.span.start)
            && name_context
                .context
                .word(token)
                .eq_ignore_ascii_case("over")
    });
    let mut nature = match has_window {
        true => ExpressionNature::Window,
        false => ExpressionNature::Plain,
    };
    for used in &name_context.resolution.uses {
        let (UsedObject::Functions { candidates, .. }, Some(at)) = (&used.what, used.at) else {
            continue;
        };
        if !span.contains(&at) {
            continue;
        }
        for function in candidates
            .iter()
            .map(|id| name_context.catalog().function(*id))
        {
            if function.volatility == Volatility::Volatile || function.returns_set {
                return ExpressionNature::VolatileOrSet;
            }
            match function.kind {
                FunctionKind::Aggregate { .. }
                    if nature == ExpressionNature::Plain && is_here(at) =>
                {
                    nature = ExpressionNature::Aggregate;
                }
                FunctionKind::Window if is_here(at) => nature = ExpressionNature::Window,
                FunctionKind::Aggregate { .. }
                | FunctionKind::Window
                | FunctionKind::Plain
                | FunctionKind::Procedure => {}
            }
        }
    }
    nature
}

/// Why an expression must not be written again in a clause, if so.
fn unfit(
    name_context: &NameRepairContext<'_>,
    expression: &OutputExpression,
    clause: ReferenceClause,
    name: &str,
) -> Option<String> {
    let text = name_context.text(&expression.span);
    let name = quoted(name);
    match (expression.nature, clause) {
        (ExpressionNature::VolatileOrSet, _) => Some(format!(
            "{name} is the name of a result, which is not known here, and what it stands for \
             would not give the same value twice: compute it in a sub-select."
        )),
        (ExpressionNature::Aggregate, ReferenceClause::Where) => Some(format!(
            "{name} is the name of the aggregate {text}: a condition on it stands in HAVING, not \
             in WHERE."
        )),
        (
            ExpressionNature::Aggregate,
            ReferenceClause::On(_) | ReferenceClause::Group | ReferenceClause::From,
        ) => Some(format!(
            "{name} is the name of the aggregate {text}, which cannot stand here: compute it in a \
             sub-select."
        )),
        (
            ExpressionNature::Window,
            ReferenceClause::Where
            | ReferenceClause::Having
            | ReferenceClause::On(_)
            | ReferenceClause::Group
            | ReferenceClause::From,
        ) => Some(format!(
            "{name} is the name of a window function's result: put the query into a sub-select, \
             and the condition on {name} around it."
        )),
        _ => None,
    }
}

/// The words that a list of results ends at. A FROM after DISTINCT is part of an expression.
const ENDS: [&str; 14] = [
    "from",
    "into",
    "where",
    "group",
    "having",
    "window",
    "union",
    "intersect",
    "except",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
];
