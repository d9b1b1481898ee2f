//! Where a statement makes the number of an object into its name: the text in which that happens
//! for what is shown alone.
//!
//! `x::regclass` and `pg_get_viewdef(x)` are replaced by a SELECT that evaluates `x` once and gives
//! NULL where the object is not shown. What is written around `x` is replaced, and `x` stays: what
//! is left of a text is in parentheses that are closed where they were. Whatever is not found here
//! is refused by `check`, which looks at the changed text.

use std::ops::Range;

use super::functions::{ArgumentForm, ServedFunction};
use super::lists::ShownLists;
use super::relation_sets;
use super::{conditions, functions};
use crate::context::JudgeContext;
use sql::extent::{PairedTokens, TokenRange};
use sql::lexer;
use sql::node_access::place;
use sql::tree::{self, Node, nodes};

/// A change of a text.
pub(crate) struct GuardEdit {
    /// The bytes that are replaced.
    pub(crate) from: Range<usize>,
    /// What stands there instead.
    pub(crate) instead: String,
}

/// The changes to a statement, those of what stands outside before those of what is in it. What
/// stands in one of the `trusted` parts of the text is left as it is.
pub(crate) fn of(node: Node<'_>, context: &JudgeContext<'_>, lists: &ShownLists) -> Vec<GuardEdit> {
    let (text, trusted) = (context.text, &context.trusted);
    // Those of a PREPARE are of its own.
    let is_prepare = matches!(node, Node::PrepareStmt(_));
    let has_type = |number| !is_prepare && context.parameters.has_type(number);
    let is_judged = |at: usize| !trusted.iter().any(|span| span.contains(&at));
    let mut found = Vec::new();
    let mut tokens = None;
    let mut waiting = vec![node];
    let mut children = Vec::new();
    while let Some(next) = waiting.pop() {
        let location = match next {
            Node::TypeCast(cast) => place(cast.location),
            Node::FuncCall(call) => place(call.location),
            _ => None,
        };
        if location.is_some_and(is_judged) {
            let guard = match next {
                Node::TypeCast(cast) => cast_guard(cast, &has_type),
                Node::FuncCall(call) => call_guard(call, &has_type),
                _ => None,
            };
            if let Some(guard) = guard {
                let tokens = tokens.get_or_insert_with(|| paired(text));
                found.extend(guard.edits(next, tokens, lists).unwrap_or_default());
            }
        }
        if let Some(call) = relation_sets::named_by_call(next)
            && place(call.location).is_some_and(is_judged)
            && call_guard(call, &has_type).is_some()
        {
            let tokens = tokens.get_or_insert_with(|| paired(text));
            let named = relation_sets::column_name(next, call, tokens);
            found.extend(named.map(|(at, instead)| GuardEdit {
                from: at..at,
                instead,
            }));
        }
        // What is not known under a node is refused where it is judged.
        if tree::children(next, &mut children).is_err() {
            return found;
        }
        waiting.extend(children.drain(..).rev());
    }
    found
}

fn paired(text: &str) -> PairedTokens<'_> {
    let all: Vec<_> = lexer::tokens(text).collect();
    PairedTokens::of(text, &all)
}

/// What is put around the arguments.
struct Guard {
    /// What the SELECT stands in.
    opening: &'static str,
    closing: &'static str,
    /// What is evaluated for what is shown.
    result: String,
    /// What stands in FROM beside the arguments.
    beside: String,
    /// What each argument stands in.
    around: Vec<(&'static str, String)>,
    /// What is shown.
    rows: &'static str,
}

impl Guard {
    fn edits(
        &self,
        node: Node<'_>,
        tokens: &PairedTokens<'_>,
        lists: &ShownLists,
    ) -> Option<Vec<GuardEdit>> {
        let mut between = Vec::new();
        let spans = match node {
            Node::TypeCast(cast) => cast_spans(cast, tokens)?,
            Node::FuncCall(call) => call_spans(call, tokens)?,
            _ => return None,
        };
        let (last, separators) = spans.split_last()?;
        let mut around = self.around.iter().peekable();
        for (place, span) in separators.iter().enumerate() {
            let before = match place {
                0 => format!("{}(SELECT {} FROM (SELECT ", self.opening, self.result),
                _ => self
                    .around
                    .get(place.checked_sub(1)?)
                    .map(|(_, behind)| format!("\n{behind}, "))?,
            };
            let (opening, _) = around.next()?;
            between.push(GuardEdit {
                from: span.clone(),
                instead: format!("{before}{opening}"),
            });
        }
        let (_, behind) = self.around.last()?;
        let names = ["a", "b", "c"].get(..self.around.len())?.join(", ");
        let rows = conditions::sql(self.rows);
        let mut from = self.beside.clone();
        if let Some(named) = conditions::lists(&rows) {
            lists.fill(&format!(" CROSS JOIN {named}"), &mut from);
        }
        between.push(GuardEdit {
            from: last.clone(),
            instead: format!(
                "\n{behind} OFFSET 0) AS g({names}){from} WHERE {rows}){}",
                self.closing
            ),
        });
        around.next().is_none().then_some(between)
    }
}

/// The guard of a cast to a type that shows an object by its name.
fn cast_guard(cast: &nodes::TypeCast, has_type: &impl Fn(i32) -> bool) -> Option<Guard> {
    let name = cast.type_name()?;
    let mut names = name.names().iter().map(|part| part.sval());
    let own = match (names.next()??, names.next(), names.next()) {
        (name, None, _) => name,
        ("pg_catalog", Some(name), None) => name?,
        _ => return None,
    };
    let is_plain = name.array_bounds().is_empty() && name.typmods().is_empty() && !name.setof;
    let (type_name, rows) = CASTS
        .iter()
        .find(|(type_name, _)| *type_name == own)
        .filter(|_| is_plain)?;
    let named = output_name(cast.arg()).unwrap_or(type_name);
    let named = named.replace('"', "\"\"");
    Some(Guard {
        opening: "",
        closing: "",
        beside: String::new(),
        result: format!("CAST(g.a AS pg_catalog.{type_name}) AS \"{named}\""),
        around: vec![number_of(type_name, is_untyped(cast.arg(), has_type))],
        rows,
    })
}

/// The name that a column gets from an expression that is cast.
fn output_name(node: Node<'_>) -> Option<&str> {
    match node {
        Node::ColumnRef(column) => column.fields().iter().next_back()?.as_str(),
        Node::FuncCall(call) => call.funcname().iter().next_back()?.as_str(),
        Node::TypeCast(cast) => output_name(cast.arg()).or_else(|| {
            let names = cast.type_name()?.names();
            names.iter().next_back()?.sval()
        }),
        _ => None,
    }
}

/// The guard of a call that is answered for what is shown.
fn call_guard(call: &nodes::FuncCall, has_type: &impl Fn(i32) -> bool) -> Option<Guard> {
    let mut names = call.funcname().iter().map(|part| part.as_str());
    let name = match (names.next()??, names.next(), names.next()) {
        (name, None, _) => name,
        ("pg_catalog", Some(name), None) => name?,
        _ => return None,
    };
    let served = functions::served(name)?;
    let given = call.args().len();
    let is_plain = call.agg_order().is_empty()
        && matches!(call.agg_filter(), Node::None)
        && call.over().is_none()
        && !call.agg_distinct
        && !call.agg_star
        && !call.agg_within_group
        && !call.func_variadic;
    let has_names = call
        .args()
        .iter()
        .any(|argument| matches!(argument, Node::NamedArgExpr(_)));
    let fits = (served.least..=served.arguments.len()).contains(&given);
    let untyped = call.args().iter();
    let untyped: Vec<bool> = untyped.map(|node| is_untyped(node, has_type)).collect();
    (is_plain && !has_names && fits).then(|| of_call(served, &untyped))
}

fn of_call(served: &ServedFunction, untyped: &[bool]) -> Guard {
    let forms = served.arguments.iter().take(untyped.len());
    let passed = forms.clone().zip(["g.a", "g.b", "g.c"]);
    let passed: Vec<String> = passed
        .map(|(form, name)| match form {
            ArgumentForm::Regclass => format!("CAST({name} AS pg_catalog.regclass)"),
            ArgumentForm::Relation | ArgumentForm::Of(_) | ArgumentForm::Given => name.to_owned(),
        })
        .collect();
    let call = format!("pg_catalog.{}({})", served.name, passed.join(", "));
    let (opening, closing, result, beside) = match served.gives_relations {
        false => ("", "", call, String::new()),
        true => (
            "pg_catalog.unnest(ARRAY",
            ")",
            "p.r".to_owned(),
            format!(" CROSS JOIN LATERAL {call} AS p(r)"),
        ),
    };
    Guard {
        opening,
        closing,
        result,
        beside,
        around: forms
            .zip(untyped)
            .map(|(form, untyped)| around(*form, *untyped))
            .collect(),
        rows: served.rows,
    }
}

/// What an argument stands in.
fn around(form: ArgumentForm, untyped: bool) -> (&'static str, String) {
    match form {
        ArgumentForm::Relation | ArgumentForm::Regclass => number_of("regclass", untyped),
        ArgumentForm::Of(name) => ("CAST((", format!(") AS pg_catalog.{name})")),
        ArgumentForm::Given => ("(", ")".into()),
    }
}

/// The number of an object by a value of such a type. A parameter without a type is a text: else
/// it would be of this type wherever it stands.
fn number_of(type_name: &str, untyped: bool) -> (&'static str, String) {
    let behind = format!(") AS pg_catalog.{type_name}) AS pg_catalog.oid)");
    match untyped {
        true => ("CAST(CAST(CAST((", format!(") AS pg_catalog.text{behind}")),
        false => ("CAST(CAST((", behind),
    }
}

/// Whether an operand is a parameter whose type the server is to find.
fn is_untyped(node: Node<'_>, has_type: &impl Fn(i32) -> bool) -> bool {
    matches!(node, Node::ParamRef(parameter) if !has_type(parameter.number))
}

/// What stands before the operand of a cast, and behind it.
fn cast_spans(cast: &nodes::TypeCast, tokens: &PairedTokens<'_>) -> Option<Vec<Range<usize>>> {
    let at = tokens.at(place(cast.location)?)?;
    let type_at = tokens.at(place(cast.type_name()?.location)?)?;
    let next = type_at.checked_add(1)?;
    let type_end = match tokens.word(next) {
        "." => type_at.checked_add(2)?,
        _ => type_at,
    };
    if tokens.word(at) == "::" {
        if type_at != at.checked_add(1)? {
            return None;
        }
        let operand = tokens.bytes(tokens.left_of(at, cast.arg())?);
        let behind = tokens.bytes(TokenRange {
            first: at,
            last: type_end,
        });
        return Some(vec![operand.start..operand.start, behind]);
    }
    let open = at.checked_add(1)?;
    let close = tokens.partner(open)?;
    let word_as = type_at.checked_sub(1)?;
    let is_cast = tokens.is(at, "CAST")
        && tokens.word(open) == "("
        && tokens.is(word_as, "AS")
        && close == type_end.checked_add(1)?;
    is_cast.then(|| {
        let before = TokenRange {
            first: at,
            last: open,
        };
        let behind = TokenRange {
            first: word_as,
            last: close,
        };
        vec![tokens.bytes(before), tokens.bytes(behind)]
    })
}

/// What stands before the first argument of a call, between them, and behind the last.
fn call_spans(call: &nodes::FuncCall, tokens: &PairedTokens<'_>) -> Option<Vec<Range<usize>>> {
    let written = tokens.call(place(call.location)?)?;
    let is_plain =
        written.prefix.is_none() && written.order.is_none() && written.end == written.close;
    if !is_plain || written.arguments.len() != call.args().len() {
        return None;
    }
    let mut spans = vec![tokens.bytes(TokenRange {
        first: written.name.first,
        last: written.open,
    })];
    for argument in &written.arguments {
        let behind = argument.last.checked_add(1)?;
        spans.push(tokens.bytes(TokenRange {
            first: behind,
            last: behind,
        }));
    }
    Some(spans)
}

/// The types that are cast to, and what is shown of each.
#[rustfmt::skip]
const CASTS: &[(&str, &str)] = &[
    ("regclass", "@class(g.a)"),
    ("regproc", "@function(g.a)"),
    ("regprocedure", "@function(g.a) AND @refs('1255', g.a)"),
    ("regtype", "@type(g.a)"),
    ("regoper", "@refs('2617', g.a)"),
    ("regoperator", "@refs('2617', g.a)"),
    ("regnamespace", "@schema(g.a)"),
    ("regconfig", "@refs('3602', g.a)"),
    ("regdictionary", "@refs('3600', g.a)"),
    ("regcollation", "@refs('3456', g.a)"),
];
