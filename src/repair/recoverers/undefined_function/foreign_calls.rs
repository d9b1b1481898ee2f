//! All foreign calls of a text at once, innermost first.

use super::found_calls::{
    FoundCall, find_call, functions_of, naming_node, take_types_from_message,
};
use crate::hints;
use crate::names::suggestions::{NEAREST_MAX, nearest};
use crate::{Confidence, FailureClass, FailureOrigin, RecovererAnswer, RepairContext};
use dialect::calls::call::{CallReplacement, ForeignCall, least_confidence};
use dialect::calls::expression_kinds::ExpressionKinds;
use dialect::calls::row::FunctionEquivalent;
use dialect::calls::table;
use dialect::calls::template;
use dialect::sql_type::SqlType;
use ground::limits::FUNCTIONS_CALLS_MAX;
use resolve::UsedObject;
use resolve::expression::node_types::address;
use sql::extent::PairedTokens;
use sql::nested_edits::NestedEdits;
use sql::node_access;
use sql::tree::{A_Expr_Kind, Node, nodes};

/// Changes every foreign call of a text, or says why one cannot be changed.
pub fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let Some(mut recoverer) = CallRecoverer::of(context) else {
        return RecovererAnswer::Silent;
    };
    recoverer.repair_all();
    recoverer.answer()
}

struct CallRecoverer<'c, 's> {
    context: &'c RepairContext<'s>,
    ground: PairedTokens<'s>,
    kinds: ExpressionKinds<'s>,
    edits: NestedEdits<'s>,
    calls: Vec<FoundCall<'s>>,
    /// Items of SELECT lists without a name: what names them, and where they begin.
    items: Vec<(*const (), usize)>,
    /// Divisions and their operands.
    divisions: Vec<&'s nodes::A_Expr>,
    confidence: Confidence,
    changes: Vec<String>,
    advice: Vec<String>,
    /// Whether a word stood for a unit of time.
    had_unit: bool,
    /// Whether a dialect may be meant in which integers are divided with a fraction.
    is_fractional: bool,
    /// Where calls stood that were looked at …
    examined: Vec<usize>,
    /// … and changed.
    repaired: Vec<usize>,
}

impl<'c, 's> CallRecoverer<'c, 's> {
    fn of(context: &'c RepairContext<'s>) -> Option<Self> {
        let nodes = node_access::all(context.statement()?)?;
        let ground = PairedTokens::of(context.text, context.tokens);
        let mut in_from: Vec<*const ()> = Vec::new();
        let mut calls = Vec::new();
        let mut items = Vec::new();
        let mut divisions = Vec::new();
        for node in &nodes {
            match node {
                Node::RangeFunction(range) => in_from.extend(functions_of(range)),
                Node::FuncCall(call) => {
                    let own = address(*node).filter(|own| !in_from.contains(own));
                    if own.is_some() && calls.len() < FUNCTIONS_CALLS_MAX {
                        calls.extend(find_call(call, &ground));
                    }
                }
                Node::A_Expr(operation) if is_division(operation) => divisions.push(*operation),
                Node::SelectStmt(select) => {
                    for target in select
                        .target_list()
                        .iter()
                        .filter(|one| one.name().is_none())
                    {
                        let namer = address(naming_node(target.val()));
                        items.extend(namer.zip(node_access::place(target.location)));
                    }
                }
                _ => {}
            }
        }
        calls.sort_by_key(|call: &FoundCall<'_>| {
            let open = call.written.open;
            (call.written.end.saturating_sub(open), open)
        });
        let mut kinds = ExpressionKinds::of(context.database, context.statement());
        take_types_from_message(context, &calls, &mut kinds);
        Some(Self {
            context,
            ground,
            kinds,
            edits: NestedEdits::new(context.text),
            calls,
            items,
            divisions,
            confidence: Confidence::Exact,
            changes: Vec::new(),
            advice: Vec::new(),
            had_unit: false,
            is_fractional: false,
            examined: Vec::new(),
            repaired: Vec::new(),
        })
    }

    fn repair_all(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        for found in &calls {
            self.repair_call(found);
        }
        for division in std::mem::take(&mut self.divisions) {
            self.repair_division(division);
        }
        self.repair_rest();
    }

    fn repair_call(&mut self, found: &FoundCall<'s>) {
        let missing = self.is_missing(found);
        self.examined.push(found.place);
        let mut known = false;
        for row in table::named(found.name) {
            let fits = if missing {
                true
            } else {
                row.known && self.is_built_in(found.name)
            };
            if !fits {
                continue;
            }
            known = true;
            let call = ForeignCall {
                node: found.node,
                written: &found.written,
                ground: &self.ground,
                kinds: &self.kinds,
                edits: &self.edits,
                server_major: self.context.server_major,
            };
            let count = call.count();
            let (least, most) = row.arguments;
            let holds = count >= least
                && count <= most
                && row.when.iter().all(|(number, is)| is.holds(&call, *number));
            if !holds {
                continue;
            }
            let had_unit = (1..=count).any(|number| {
                matches!(call.argument(number), Some(Node::ColumnRef(_)))
                    && call.unit(number).is_some()
            });
            let made = match row.makes {
                FunctionEquivalent::Hint(advice) => {
                    if missing || row.known {
                        let is_named = advice.to_lowercase().contains(found.name);
                        self.advise(&match is_named {
                            true => advice.to_owned(),
                            false => format!("{}(): {advice}", found.name),
                        });
                    }
                    return;
                }
                FunctionEquivalent::Text(text) => template::fill_template(text, &call),
                FunctionEquivalent::Name(name) => renamed(&call, name),
                FunctionEquivalent::By(make) => make(&call),
            };
            if let Some(made) = made {
                let kind = made.kind.unwrap_or_else(|| call.returned(row.returns));
                self.had_unit |= had_unit;
                self.replace_call(found, made.sure(row.confidence), kind);
                return;
            }
        }
        if missing {
            self.give_up_on(found, known);
        }
    }

    /// Puts what was made in the place of a call.
    fn replace_call(&mut self, found: &FoundCall<'s>, made: CallReplacement, kind: SqlType) {
        let (first, last) = (found.written.name.first, found.written.end);
        let span = self.ground.bytes(sql::extent::TokenRange { first, last });
        self.confidence = least_confidence(self.confidence, made.confidence);
        self.changes
            .push(format!("{}() is written {}", found.name, made.text));
        self.kinds.set_kind(Node::FuncCall(found.node), kind);
        self.repaired.push(found.place);
        self.is_fractional |= !DIVIDES_WHOLLY.contains(&found.name);
        let own = address(Node::FuncCall(found.node));
        let keeps_name = made
            .text
            .get(..found.name.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(found.name))
            && made
                .text
                .get(found.name.len()..)
                .is_some_and(|rest| rest.starts_with('('));
        self.edits.replace(span, made.text);
        let item = self.items.iter().find(|(namer, _)| Some(*namer) == own);
        if let Some((_, start)) = item
            && !keeps_name
            && let Some(last) = self.ground.item_end(*start)
        {
            let end = self
                .ground
                .bytes(sql::extent::TokenRange { first: last, last })
                .end;
            self.edits
                .insert(end, &format!(" AS {}", as_label(found.name)));
        }
    }

    fn advise(&mut self, advice: &str) {
        if !self.advice.iter().any(|known| known == advice) {
            self.advice.push(advice.to_owned());
        }
    }

    fn give_up_on(&mut self, found: &FoundCall<'s>, known: bool) {
        let name = found.name;
        let database = self.context.database;
        if database.is_some_and(|database| hints::is_function(database, name)) {
            // What it takes instead is told by its signatures.
            return;
        }
        if known {
            self.advise(&format!(
                "PostgreSQL has no {name}(), and none is known to stand for it with these arguments: \
                 check their number and types."
            ));
            return;
        }
        let mut near = match (
            super::nearest_builtin::function(self.context, name),
            self.context.database,
        ) {
            (Some(near), _) => vec![format!("{near}()")],
            (None, Some(database)) => hints::nearest_functions(database, name),
            (None, None) => Vec::new(),
        };
        near.truncate(NEAREST_MAX);
        let advice = match near.is_empty() {
            true => format!(
                "PostgreSQL has no function {name}(): write what it computes with operators and \
                 functions of PostgreSQL, or CASE."
            ),
            false => format!("PostgreSQL has no function {name}(); {}.", nearest(&near)),
        };
        self.advise(&advice);
    }

    /// Of two integers Postgres gives an integer, as SQLite and SQL Server do; where other dialects
    /// have a function too, a fraction may be meant.
    fn repair_division(&mut self, division: &'s nodes::A_Expr) {
        let whole = |node| matches!(self.kinds.kind(node), SqlType::Integer | SqlType::Unclear);
        if self.is_fractional && whole(division.lexpr()) && whole(division.rexpr()) {
            self.confidence = least_confidence(self.confidence, Confidence::Likely);
        }
    }

    /// Calls that the server cannot run and that nothing was done about.
    fn repair_rest(&mut self) {
        let uses = self.context.resolution.iter().flat_map(|found| &found.uses);
        let missing = uses.filter(|used| used.what == UsedObject::MissingFunction);
        let places: Vec<usize> = missing.filter_map(|used| used.at).collect();
        for place in places {
            if self.examined.contains(&place) {
                continue;
            }
            let name = self.ground.at(place).map(|token| self.ground.word(token));
            let name = name.unwrap_or_default();
            self.advise(&format!(
                "PostgreSQL has no {name}() for these arguments: check their number and types."
            ));
        }
    }

    /// Whether the call that the server named is one that nothing was done about.
    fn leaves_error_position(&self) -> bool {
        let failure = self.context.failure;
        let is_told =
            failure.origin == FailureOrigin::Server && failure.message.starts_with("function ");
        is_told
            && failure
                .position
                .is_some_and(|at| !self.repaired.contains(&at))
    }

    fn is_missing(&self, found: &FoundCall<'_>) -> bool {
        match self.context.is_missing_function(found.place) {
            Some(missing) => missing,
            None => {
                let message = self.context.failure.message.as_str();
                let told = message.strip_prefix("function ");
                let told = told.and_then(|rest| rest.split_once('('));
                told.is_some_and(|(name, _)| name == found.name)
            }
        }
    }

    /// Whether all functions of a name came with the server.
    fn is_built_in(&self, name: &str) -> bool {
        let Some(database) = self.context.database else {
            return true;
        };
        let named = database.catalog.names().find(name);
        let functions = named.map_or(&[][..], |name| database.catalog.index().functions(name));
        functions
            .iter()
            .all(|id| database.catalog.function(*id).oid.is_built_in())
    }

    fn answer(self) -> RecovererAnswer {
        if !self.advice.is_empty() {
            return RecovererAnswer::hint(self.advice.join(" "));
        }
        let of_a_column = self.context.failure.class == FailureClass::UndefinedColumn;
        if self.edits.is_empty() || of_a_column && !self.had_unit || self.leaves_error_position() {
            return RecovererAnswer::Silent;
        }
        RecovererAnswer::changed(self.confidence, self.edits.into_edits(), self.changes)
    }
}

/// A call under another name, everything else as it is.
fn renamed(call: &ForeignCall<'_, '_>, name: &str) -> Option<CallReplacement> {
    let rest = sql::extent::TokenRange {
        first: call.written.open,
        last: call.written.end,
    };
    let rest = call.edits.text(&call.ground.bytes(rest))?;
    Some(CallReplacement::exact(format!("{name}{rest}")))
}

fn is_division(operation: &nodes::A_Expr) -> bool {
    operation.kind == A_Expr_Kind::AEXPR_OP
        && matches!(node_access::last_name(operation.name()), Some("/" | "%"))
}

/// A name as it can stand after AS.
fn as_label(name: &str) -> String {
    let plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    match name.chars().all(plain) && !name.starts_with(|first: char| first.is_ascii_digit()) {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

/// Functions that say nothing of a dialect in which integers are divided with a fraction: those of
/// SQLite and SQL Server alone, and Postgres's own.
const DIVIDES_WHOLLY: &[&str] = &[
    "strftime",
    "julianday",
    "iif",
    "total",
    "isnull",
    "len",
    "getdate",
    "dateadd",
    "charindex",
    "datename",
    "datepart",
    "datetime",
    "date",
    "printf",
    "round",
    "trunc",
    "mod",
    "log",
    "extract",
    "date_part",
    "date_trunc",
    "age",
    "to_char",
    "string_agg",
    "substr",
    "substring",
    "left",
    "right",
    "lower",
    "upper",
    "trim",
    "length",
    "replace",
    "lpad",
    "rpad",
];
