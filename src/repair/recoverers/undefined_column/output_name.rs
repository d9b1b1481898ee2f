//! The name of a result used where Postgres does not know it yet: WHERE, HAVING, ON, and inside
//! expressions. What it stands for is written there.

use std::ops::Range;

use crate::catalog::{FunctionKind, Volatility, quote::quoted};
use crate::repair::Confidence;
use crate::repair::names::context::{Ground, Missing};
use crate::repair::names::name_repair::{Fix, Mend, With};
use crate::repair::names::reference_scopes::{Clause, Role};
use crate::resolve::What;
use crate::sql::lexer::TokenKind;
use crate::sql::tree::{self, nodes};

/// What is known of an expression.
struct Expression {
    span: Range<usize>,
    /// Whether it is a plain column, or made of more.
    nature: Nature,
}

/// What an expression is made of, as far as it matters where it may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nature {
    Plain,
    Aggregate,
    Window,
    /// It gives another value each time, or several.
    Unsteady,
}

/// A name of a result, replaced by what it stands for.
pub(in crate::repair) fn mend(ground: &Ground<'_>, missing: &Missing<'_>) -> Option<Fix> {
    let place = missing.place;
    let frame = ground.places.frame(place.frame)?;
    let whole_key =
        matches!(place.role, Role::Whole) && matches!(place.clause, Clause::Order | Clause::Group);
    let (number, target) = match named(frame.select, missing.name) {
        Named::One(number, target) => (number, target),
        Named::Several => {
            return Some(Fix::told(format!(
                "Several results are called {}: write out which one is meant.",
                ground.text(missing.parts.first()?)
            )));
        }
        Named::Nothing if whole_key => return key_of_union(ground, missing),
        Named::Nothing => return outer_name(ground, missing),
    };
    if place.clause == Clause::Target(number) {
        return None;
    }
    let span = missing.parts.first()?.clone();
    let name = target.name()?;
    if whole_key && name != missing.name {
        return Some(super::strategies::case_fix(ground, &span, name));
    }
    let expression = written(ground, target, place.at)?;
    if let Some(advice) = unfit(ground, &expression, place.clause, name) {
        return Some(Fix::told(advice));
    }
    let covers_all = match place.clause {
        Clause::On(join) => frame
            .entries
            .iter()
            .all(|entry| entry.joins.iter().any(|(own, _)| *own == join)),
        Clause::From(_) => false,
        _ => true,
    };
    if !covers_all {
        return Some(Fix::told(format!(
            "{} is the name of a result, and is not known in a join: write what it stands for.",
            quoted(name)
        )));
    }
    // A result that is just this name keeps it.
    let after = match (place.clause, place.role) {
        (Clause::Target(own), Role::Whole) if is_unnamed(frame.select, own) => {
            format!(" AS {}", ground.text(&span))
        }
        _ => String::new(),
    };
    let change = format!(
        "{} is the name of a result, and what it stands for is written in its place",
        ground.text(&span)
    );
    Some(Fix::Mended(Mend {
        confidence: Confidence::Exact,
        span,
        with: With::Part(expression.span, after),
        beside: Vec::new(),
        change,
        renamed: None,
    }))
}

/// Results of a name.
enum Named<'t> {
    One(usize, &'t nodes::ResTarget),
    Several,
    Nothing,
}

/// The result of a name, in any case where none has just this one.
fn named<'t>(select: &'t nodes::SelectStmt, name: &str) -> Named<'t> {
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
        [] => Named::Nothing,
        [(number, target)] => Named::One(*number, target),
        _ => Named::Several,
    }
}

fn is_unnamed(select: &nodes::SelectStmt, number: usize) -> bool {
    let target = select.target_list().iter().nth(number);
    target.is_some_and(|target| target.name().is_none())
}

/// ORDER BY of a UNION knows the names of its first query alone.
fn key_of_union(ground: &Ground<'_>, missing: &Missing<'_>) -> Option<Fix> {
    let mut select = ground.places.frame(missing.place.frame)?.select;
    let mut is_union = false;
    while let Some(first) = select.larg() {
        (select, is_union) = (first, true);
    }
    let Named::One(_, target) = named(select, missing.name) else {
        return None;
    };
    let span = missing.parts.first()?;
    is_union.then(|| super::strategies::case_fix(ground, span, target.name().unwrap_or_default()))
}

/// The name of a result of a query further out.
fn outer_name(ground: &Ground<'_>, missing: &Missing<'_>) -> Option<Fix> {
    let mut outer = ground.places.chain(missing.place.frame).skip(1);
    let frame = outer.find(|frame| matches!(named(frame.select, missing.name), Named::One(..)))?;
    let Named::One(_, target) = named(frame.select, missing.name) else {
        return None;
    };
    Some(Fix::told(format!(
        "{} is the name of a result of the query around, which is not known inside: write what it \
         stands for.",
        quoted(target.name()?)
    )))
}

/// The expression of a result, as it is written.
fn written(ground: &Ground<'_>, target: &nodes::ResTarget, from: usize) -> Option<Expression> {
    let start = usize::try_from(target.location).ok()?;
    let first = ground.scene.token_at(start)?;
    let tokens = ground.scene.tokens.get(first..)?;
    let mut depth = 0_usize;
    // The last solid tokens: what ends the list, and before it AS and the name.
    let mut solid: Vec<(&Range<usize>, TokenKind)> = Vec::new();
    let mut before = "";
    for token in tokens.iter().filter(|token| !token.kind.is_blank()) {
        let word = ground.scene.word(token);
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
        && ground.text(span).eq_ignore_ascii_case("as")
    {
        solid.pop();
    }
    let span = start..solid.last()?.0.end;
    let text = ground.text(&span);
    // What was cut out has to be an expression, and nothing else.
    let probe = tree::parse(&format!("SELECT ({text}\n)")).ok()?;
    let alone = probe.statements().next().is_some_and(|statement| {
        matches!(statement.node, tree::Node::SelectStmt(select)
            if select.target_list().len() == 1 && select.from_clause().is_empty())
    });
    if !alone || text.contains("--") {
        return None;
    }
    let nature = nature(ground, &span, from);
    Some(Expression { span, nature })
}

/// What the functions of a part of the text make of it, seen from a place of the same query: what
/// a sub-select does inside stays there.
fn nature(ground: &Ground<'_>, span: &Range<usize>, from: usize) -> Nature {
    let query = ground.resolution.scope_at(from);
    let is_here = |at: usize| span.contains(&at) && ground.resolution.scope_at(at) == query;
    let mut tokens = ground.scene.tokens.iter();
    let has_window = tokens.any(|token| {
        token.kind == TokenKind::Word
            && is_here(token.span.start)
            && ground.scene.word(token).eq_ignore_ascii_case("over")
    });
    let mut nature = match has_window {
        true => Nature::Window,
        false => Nature::Plain,
    };
    for used in &ground.resolution.uses {
        let (What::Functions { candidates, .. }, Some(at)) = (&used.what, used.at) else {
            continue;
        };
        if !span.contains(&at) {
            continue;
        }
        for function in candidates.iter().map(|id| ground.catalog().function(*id)) {
            if function.volatility == Volatility::Volatile || function.returns_set {
                return Nature::Unsteady;
            }
            match function.kind {
                FunctionKind::Aggregate { .. } if nature == Nature::Plain && is_here(at) => {
                    nature = Nature::Aggregate;
                }
                FunctionKind::Window if is_here(at) => nature = Nature::Window,
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
    ground: &Ground<'_>,
    expression: &Expression,
    clause: Clause,
    name: &str,
) -> Option<String> {
    let text = ground.text(&expression.span);
    let name = quoted(name);
    match (expression.nature, clause) {
        (Nature::Unsteady, _) => Some(format!(
            "{name} is the name of a result, which is not known here, and what it stands for \
             would not give the same value twice: compute it in a sub-select."
        )),
        (Nature::Aggregate, Clause::Where) => Some(format!(
            "{name} is the name of the aggregate {text}: a condition on it stands in HAVING, not \
             in WHERE."
        )),
        (Nature::Aggregate, Clause::On(_) | Clause::Group | Clause::From(_)) => Some(format!(
            "{name} is the name of the aggregate {text}, which cannot stand here: compute it in a \
             sub-select."
        )),
        (
            Nature::Window,
            Clause::Where | Clause::Having | Clause::On(_) | Clause::Group | Clause::From(_),
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
