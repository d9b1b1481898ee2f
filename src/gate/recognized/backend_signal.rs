//! Calls of `pg_cancel_backend` and `pg_terminate_backend` that pgsieve carries out itself.
//!
//! Drivers and tools stop a statement of theirs by its process id, over another connection. Where
//! the policy says `cancel_own: allow`, a statement that is nothing but such a call runs with
//! `false` in the call's place, and is judged again as that: the server never sees the call. The
//! session looks for the process id among sessions of its own, does what was asked for once the
//! row has come, and makes `true` of it where that was done. Nobody else's session is reached, and
//! nobody is told whether it is there.
//!
//! Superset asks over `pg_stat_activity`, of which it names one row by its process id: the same.
//! <https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-SIGNAL>

use std::fmt;
use std::ops::Range;

use super::single_call::{called, is_column, is_one, is_plain};
use crate::context::{JudgeContext, TextOrigin};
use crate::functions::BuiltinEffect;
use crate::rules;
use crate::rules::{CalledName, RuleResult};
use crate::{Facts, ParameterTypes};
use policy::PlainChoice;
use sql::edit::TextEdit;
use sql::lexer::tokens;
use sql::tree::{A_Expr_Kind, ConstValue, Node, SyntaxTree, nodes};

/// What is done to another session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// What it runs is cancelled: `pg_cancel_backend`.
    Cancel,
    /// It ends: `pg_terminate_backend`.
    Terminate,
}

/// A call that was taken out of a text. Its numbers are the client's: they are shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct BackendSignal {
    /// What it does.
    pub kind: SignalKind,
    /// Whose session.
    pub pid: SignalArgument,
    /// How long it waits for the end of that session, in milliseconds.
    pub timeout: SignalArgument,
}

/// A call with its numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SignalCall {
    /// What it does.
    pub kind: SignalKind,
    /// Whose session.
    pub pid: i32,
    /// How long it waits for the end of that session, in milliseconds; not negative.
    pub timeout_ms: i64,
}

/// An argument of the call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SignalArgument {
    /// This number.
    Literal(i64),
    /// The value that a Bind gives.
    Parameter {
        /// Its place, from 1.
        number: u16,
        /// Its type, by the server's number, or zero.
        oid: u32,
        /// What the text makes of it, by the name that the server has for it.
        cast: &'static str,
    },
}

impl SignalKind {
    /// The name of the function.
    pub fn function(self) -> &'static str {
        match self {
            Self::Cancel => "pg_cancel_backend",
            Self::Terminate => "pg_terminate_backend",
        }
    }

    fn of(called: CalledName<'_>) -> Option<Self> {
        let of_server = matches!(called.schema, None | Some("pg_catalog"));
        [Self::Cancel, Self::Terminate]
            .into_iter()
            .find(|kind| of_server && kind.function() == called.name)
    }
}

/// Takes the call out of a text that is nothing but such a call, where the policy lets it; says
/// whether there was one. What is left has to be judged.
pub(crate) fn take_out(tree: &SyntaxTree, context: &mut JudgeContext<'_>) -> bool {
    let is_own = context.text_origin == TextOrigin::Own && context.rewrite.is_none();
    let found = match context.policy.statements().cancel_own {
        PlainChoice::Allow if is_own => found(tree, context),
        PlainChoice::Allow | PlainChoice::Refuse => None,
    };
    let Some((signal, edit)) = found else {
        return false;
    };
    context.statements = 1;
    context.signal = Some(Box::new(signal));
    context.edits.push(edit);
    true
}

/// What is said of another use of the two functions.
pub(crate) fn hint(called: CalledName<'_>, context: &JudgeContext<'_>) -> Option<&'static str> {
    match (
        context.policy.statements().cancel_own,
        SignalKind::of(called)?,
    ) {
        (PlainChoice::Refuse, _) => None,
        (PlainChoice::Allow, SignalKind::Cancel) => Some(
            "Send SELECT pg_cancel_backend(pid) by itself, with a number or one parameter: it \
             reaches your own sessions.",
        ),
        (PlainChoice::Allow, SignalKind::Terminate) => Some(
            "Send SELECT pg_terminate_backend(pid) by itself, with a number or one parameter: it \
             reaches your own sessions.",
        ),
    }
}

/// What was prepared or bound with the call taken out is not run by another statement: nobody would
/// carry the call out.
pub(crate) fn runs_alone(facts: &Facts) -> RuleResult {
    let Some(signal) = facts.signal.get() else {
        return Ok(());
    };
    let name = signal.kind.function();
    let called = CalledName { schema: None, name };
    Err(rules::function_effects::refusal(
        called,
        name,
        BuiltinEffect::ServerControl,
    ))
}

fn found(tree: &SyntaxTree, context: &JudgeContext<'_>) -> Option<(BackendSignal, TextEdit)> {
    let mut statements = tree.statements();
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return None;
    };
    let Node::SelectStmt(select) = only.node else {
        return None;
    };
    let mut targets = select.target_list().iter();
    let (Some(target), None) = (targets.next(), targets.next()) else {
        return None;
    };
    let call = called(target).filter(|call| is_plain(select) && is_bare(call))?;
    let kind = SignalKind::of(CalledName::of(call.funcname()))?;
    if context.policy.may_deny(Some("pg_catalog"), kind.function()) {
        return None;
    }
    let signal = match named_row(select) {
        SignalRows::None => of_arguments(kind, call, context)?,
        SignalRows::OfActivity(pid) => of_activity(kind, call, pid, context)?,
        SignalRows::Other => return None,
    };
    let name = match target.name() {
        Some(_) => String::new(),
        None => format!(" AS {}", kind.function()),
    };
    let span = span_of(call, context.text)?;
    let value = match named_row(select) {
        SignalRows::None => signal.value(),
        SignalRows::OfActivity(_) | SignalRows::Other => "false".to_owned(),
    };
    let replacement = format!("{value}{name}");
    Some((signal, TextEdit { span, replacement }))
}

/// A call that says nothing beside its arguments.
fn is_bare(call: &nodes::FuncCall) -> bool {
    call.funcname().len() <= 2
        && !call.agg_distinct
        && !call.agg_star
        && !call.agg_within_group
        && call
            .args()
            .iter()
            .all(|one| !matches!(one, Node::NamedArgExpr(_)))
}

/// Where the rows of the SELECT come from.
enum SignalRows<'t> {
    /// There is one, from nowhere.
    None,
    /// That of `pg_stat_activity` with this process id.
    OfActivity(Node<'t>),
    Other,
}

fn named_row(select: &nodes::SelectStmt) -> SignalRows<'_> {
    let mut from = select.from_clause().iter();
    match (from.next(), from.next(), select.where_clause()) {
        (None, None, Node::None) => SignalRows::None,
        (Some(Node::RangeVar(table)), None, Node::A_Expr(compared))
            if table.relname() == Some("pg_stat_activity")
                && matches!(table.schemaname(), None | Some("pg_catalog"))
                && table.catalogname().is_none()
                && table.alias().is_none()
                && compared.kind == A_Expr_Kind::AEXPR_OP
                && is_one(compared.name(), "=")
                && is_column(compared.lexpr(), "pid") =>
        {
            SignalRows::OfActivity(compared.rexpr())
        }
        _ => SignalRows::Other,
    }
}

fn of_arguments(
    kind: SignalKind,
    call: &nodes::FuncCall,
    context: &JudgeContext<'_>,
) -> Option<BackendSignal> {
    let arguments = call.args();
    let pid = argument(arguments.get(0)?, &PIDS, &context.parameters)?;
    let timeout = match (kind, arguments.get(1)) {
        (_, None) => SignalArgument::Literal(0),
        (SignalKind::Terminate, Some(timeout)) if has_timeout(context) => {
            argument(timeout, &TIMEOUTS, &context.parameters)?
        }
        (SignalKind::Cancel | SignalKind::Terminate, Some(_)) => return None,
    };
    let is_once = pid.parameter().is_none() || pid.parameter() != timeout.parameter();
    let fits = arguments.len() <= 2 && is_once && pid.is_pid() && timeout.is_time();
    fits.then_some(BackendSignal { kind, pid, timeout })
}

fn of_activity(
    kind: SignalKind,
    call: &nodes::FuncCall,
    pid: Node<'_>,
    context: &JudgeContext<'_>,
) -> Option<BackendSignal> {
    let of_row = call.args().len() == 1 && is_column(call.args().get(0)?, "pid");
    let pid = argument(pid, &ROW_PIDS, &context.parameters)?;
    (of_row && pid.is_pid()).then_some(BackendSignal {
        kind,
        pid,
        timeout: SignalArgument::Literal(0),
    })
}

/// Whether the server's function has a second argument: since 14.
fn has_timeout(context: &JudgeContext<'_>) -> bool {
    context.server_major().is_none_or(|major| major >= 14)
}

/// The types that a value may have for the server to take the call.
struct AcceptedTypes {
    /// Those of parameters without a cast, zero where the server finds it.
    given: &'static [u32],
    /// Those that a cast may name.
    cast: &'static [&'static str],
    /// That of the argument itself.
    own: &'static str,
}

/// A number, a parameter, or a cast of one of them.
fn argument(
    node: Node<'_>,
    types: &AcceptedTypes,
    parameters: &ParameterTypes,
) -> Option<SignalArgument> {
    match node {
        Node::TypeCast(cast) => {
            let name = named_by(cast, types.cast)?;
            match cast.arg() {
                Node::ParamRef(parameter) => of_parameter(parameter, (OF_CAST, name), parameters),
                Node::A_Const(constant) => literal(constant),
                _ => None,
            }
        }
        Node::ParamRef(parameter) => of_parameter(parameter, (types.given, types.own), parameters),
        Node::A_Const(constant) => literal(constant),
        _ => None,
    }
}

fn of_parameter(
    parameter: &nodes::ParamRef,
    (taken, cast): (&[u32], &'static str),
    parameters: &ParameterTypes,
) -> Option<SignalArgument> {
    let number = u16::try_from(parameter.number).ok()?;
    let place = usize::from(number).checked_sub(1)?;
    let ParameterTypes::Given(types) = parameters else {
        return None;
    };
    let oid = types.get(place).copied().unwrap_or_default();
    let fits = taken.contains(&oid);
    fits.then_some(SignalArgument::Parameter { number, oid, cast })
}

fn literal(constant: &nodes::A_Const) -> Option<SignalArgument> {
    if constant.isnull {
        return None;
    }
    let number = match constant.val()? {
        ConstValue::Integer(number) => i64::from(number),
        ConstValue::Float(number) => number.parse().ok()?,
        ConstValue::String(text) => number_of(text)?,
        _ => return None,
    };
    Some(SignalArgument::Literal(number))
}

/// A text as the server reads a number from it; what else it reads so is left to it.
pub fn number_of(text: &str) -> Option<i64> {
    text.trim_matches(|letter: char| letter.is_ascii_whitespace())
        .parse()
        .ok()
}

/// The type of the server that a cast names, where it is one of these.
fn named_by(cast: &nodes::TypeCast, types: &[&'static str]) -> Option<&'static str> {
    let name = cast.type_name()?;
    let names = name.names();
    let last = names.iter().next_back()?.sval()?;
    let of_server = match names.len() {
        1 => true,
        2 => names.get(0)?.sval()? == "pg_catalog",
        _ => false,
    };
    let is_plain = !name.setof && name.typmods().is_empty() && name.array_bounds().is_empty();
    let mut known = types.iter().copied();
    known.find(|known| of_server && is_plain && *known == last)
}

/// The bytes of a call, from its name to its closing parenthesis.
fn span_of(call: &nodes::FuncCall, text: &str) -> Option<Range<usize>> {
    let start = usize::try_from(call.location).ok()?;
    let rest = text.get(start..)?;
    let mut depth = 0_u32;
    for token in tokens(rest) {
        match rest.get(token.span.clone())? {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(start..start.checked_add(token.span.end)?),
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

impl BackendSignal {
    /// What stands in the call's place: false, or NULL where an argument is.
    fn value(&self) -> String {
        let given = |argument: SignalArgument| match argument {
            SignalArgument::Literal(_) => None,
            SignalArgument::Parameter { number, cast, .. } => {
                Some(format!("(${number})::pg_catalog.{cast} IS NOT NULL"))
            }
        };
        match (given(self.pid), given(self.timeout)) {
            (None, None) => "false".to_owned(),
            (Some(one), None) | (None, Some(one)) => format!("CASE WHEN {one} THEN false END"),
            (Some(one), Some(other)) => format!("CASE WHEN {one} AND {other} THEN false END"),
        }
    }
}

impl From<SignalCall> for BackendSignal {
    fn from(call: SignalCall) -> Self {
        Self {
            kind: call.kind,
            pid: SignalArgument::Literal(call.pid.into()),
            timeout: SignalArgument::Literal(call.timeout_ms),
        }
    }
}

impl SignalArgument {
    fn parameter(self) -> Option<u16> {
        match self {
            Self::Parameter { number, .. } => Some(number),
            Self::Literal(_) => None,
        }
    }

    fn is_pid(self) -> bool {
        match self {
            Self::Literal(number) => i32::try_from(number).is_ok(),
            Self::Parameter { .. } => true,
        }
    }

    fn is_time(self) -> bool {
        match self {
            Self::Literal(number) => number >= 0,
            Self::Parameter { .. } => true,
        }
    }
}

impl fmt::Debug for BackendSignal {
    /// Without the numbers.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Signal({:?}, …)", self.kind)
    }
}

impl fmt::Debug for SignalCall {
    /// Without the numbers.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SignalCall({:?}, …)", self.kind)
    }
}

const PIDS: AcceptedTypes = AcceptedTypes {
    given: &[0, INT2, INT4],
    cast: &["int2", "int4"],
    own: "int4",
};

const TIMEOUTS: AcceptedTypes = AcceptedTypes {
    given: &[0, INT2, INT4, INT8],
    cast: &["int2", "int4", "int8"],
    own: "int8",
};

/// What `pid` is compared with.
const ROW_PIDS: AcceptedTypes = AcceptedTypes {
    given: &[0, INT2, INT4, INT8],
    cast: &["int2", "int4", "int8"],
    own: "int4",
};

/// The types of parameters behind a cast to a number.
const OF_CAST: &[u32] = &[0, INT2, INT4, INT8, TEXT, UNKNOWN, VARCHAR];

const INT8: u32 = 20;
const INT2: u32 = 21;
const INT4: u32 = 23;
const TEXT: u32 = 25;
const UNKNOWN: u32 = 705;
const VARCHAR: u32 = 1043;

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::rules::check::{agent_with, check, check_yaml, gate};
    use crate::{Gate, Rule, SessionNames, Verdict};
    use policy::Policy;

    /// What a text is lowered to, and the call that was taken out of it.
    fn taken_out(gate: &Gate, before: &str, types: &[u32]) -> Option<(String, BackendSignal)> {
        let names = SessionNames::of_no_database();
        let parameters = ParameterTypes::given(types.iter().copied());
        let judgement = gate.judge_with(Cow::Borrowed(before), &parameters, &names);
        let Verdict::Clamped(clamp) = judgement.verdict else {
            return None;
        };
        assert_eq!(clamp.notice, None, "{before}");
        let again = gate.judge_with(Cow::Owned(clamp.text.clone()), &parameters, &names);
        let permitted = matches!(again.verdict, Verdict::Permitted(_));
        assert!(permitted, "{before} became {}: {again:?}", clamp.text);
        Some((clamp.text, *clamp.signal.expect("a call")))
    }

    fn lowered(before: &str, after: &str, types: &[u32]) {
        let got = taken_out(&gate(Policy::agent()), before, types);
        assert_eq!(
            got.map(|(text, _)| text).as_deref(),
            Some(after),
            "{before}"
        );
    }

    #[test]
    fn literals_go() {
        for (before, after) in [
            (
                "SELECT pg_cancel_backend(7)",
                "SELECT false AS pg_cancel_backend",
            ),
            (
                "select PG_CANCEL_BACKEND ( 7 );",
                "select false AS pg_cancel_backend;",
            ),
            (
                "SELECT pg_catalog.pg_terminate_backend('7') -- stop",
                "SELECT false AS pg_terminate_backend -- stop",
            ),
            (
                "SELECT pg_cancel_backend(7) AS done",
                "SELECT false AS done",
            ),
            ("SELECT pg_cancel_backend(7) done", "SELECT false done"),
            (
                "SELECT pg_cancel_backend(/* ( */ '7'::int /* ) */) \"Done\"",
                "SELECT false \"Done\"",
            ),
            (
                "SELECT pg_cancel_backend(CAST(7 AS integer))",
                "SELECT false AS pg_cancel_backend",
            ),
            (
                "SELECT pg_cancel_backend(int '7')",
                "SELECT false AS pg_cancel_backend",
            ),
            (
                "SELECT pg_cancel_backend(-1)",
                "SELECT false AS pg_cancel_backend",
            ),
            (
                "SELECT pg_terminate_backend(7, 100)",
                "SELECT false AS pg_terminate_backend",
            ),
            (
                "SELECT pg_terminate_backend(7, 3000000000)",
                "SELECT false AS pg_terminate_backend",
            ),
            (
                "SELECT U&\"pg\\005fcancel_backend\"(7)",
                "SELECT false AS pg_cancel_backend",
            ),
        ] {
            lowered(before, after, &[]);
        }
    }

    #[test]
    fn parameters_stay_with_their_types() {
        const ONE: &str = "SELECT CASE WHEN ($1)::pg_catalog.int4 IS NOT NULL THEN false END AS pg_cancel_backend";
        lowered("SELECT pg_cancel_backend($1);", &format!("{ONE};"), &[]);
        lowered("SELECT pg_cancel_backend($1::int)", ONE, &[]);
        for types in [&[INT4][..], &[INT2], &[0]] {
            lowered("SELECT pg_cancel_backend($1)", ONE, types);
        }
        for types in [&[TEXT][..], &[VARCHAR], &[INT8]] {
            lowered(
                "SELECT pg_cancel_backend(($1)::pg_catalog.int4)",
                ONE,
                types,
            );
            let bare = taken_out(
                &gate(Policy::agent()),
                "SELECT pg_cancel_backend($1)",
                types,
            );
            assert_eq!(bare, None, "{types:?}");
        }
        lowered(
            "SELECT pg_cancel_backend($1::int2)",
            "SELECT CASE WHEN ($1)::pg_catalog.int2 IS NOT NULL THEN false END \
             AS pg_cancel_backend",
            &[],
        );
        lowered(
            "SELECT pg_terminate_backend($2, $1)",
            "SELECT CASE WHEN ($2)::pg_catalog.int4 IS NOT NULL AND ($1)::pg_catalog.int8 \
             IS NOT NULL THEN false END AS pg_terminate_backend",
            &[],
        );
        lowered(
            "SELECT pg_terminate_backend(7, $1)",
            "SELECT CASE WHEN ($1)::pg_catalog.int8 IS NOT NULL THEN false END \
             AS pg_terminate_backend",
            &[],
        );
    }

    #[test]
    fn one_row_of_pg_stat_activity_may_be_named() {
        for (condition, types) in [
            ("pid='7'", &[][..]),
            ("pid = 7", &[]),
            ("pid = $1", &[]),
            ("pid = $1", &[INT8]),
            ("pid = $1::bigint", &[TEXT]),
        ] {
            let tail = format!("FROM pg_stat_activity WHERE {condition}");
            let before = format!("SELECT pg_terminate_backend(pid) {tail}");
            lowered(
                &before,
                &format!("SELECT false AS pg_terminate_backend {tail}"),
                types,
            );
        }
        lowered(
            "SELECT pg_cancel_backend(pid) x FROM pg_catalog.pg_stat_activity WHERE pid = 7",
            "SELECT false x FROM pg_catalog.pg_stat_activity WHERE pid = 7",
            &[],
        );
    }

    #[test]
    fn what_was_asked_for_is_kept() {
        let agent = gate(Policy::agent());
        let (_, signal) = taken_out(&agent, "SELECT pg_terminate_backend($1, 9)", &[INT4]).unwrap();
        assert_eq!(signal.kind, SignalKind::Terminate);
        assert!(signal.timeout == SignalArgument::Literal(9));
        let of = SignalArgument::Parameter {
            number: 1,
            oid: INT4,
            cast: "int4",
        };
        assert!(signal.pid == of);
        assert_eq!(format!("{signal:?}"), "Signal(Terminate, …)");
    }

    /// Uses that are refused as any other function is that does something.
    const OTHERS: &[&str] = &[
        "SELECT pg_cancel_backend(NULL)",
        "SELECT pg_cancel_backend(7), 1",
        "SELECT pg_cancel_backend(7), pg_cancel_backend(8)",
        "SELECT pg_cancel_backend(7) WHERE true",
        "SELECT pg_cancel_backend(7) FROM pg_class",
        "SELECT * FROM pg_cancel_backend(7)",
        "SELECT (SELECT pg_cancel_backend(7))",
        "SELECT NOT pg_cancel_backend(7)",
        "SELECT pg_cancel_backend(7)::text",
        "SELECT pg_cancel_backend(7 + 1)",
        "SELECT pg_cancel_backend(pg_backend_pid())",
        "SELECT pg_cancel_backend('x')",
        "SELECT pg_cancel_backend('0x10')",
        "SELECT pg_cancel_backend(7.5)",
        "SELECT pg_cancel_backend(3000000000)",
        "SELECT pg_cancel_backend('7'::text)",
        "SELECT pg_cancel_backend('7'::public.int4)",
        "SELECT pg_cancel_backend(ARRAY[7])",
        "SELECT pg_cancel_backend(7, 1)",
        "SELECT pg_cancel_backend()",
        "SELECT pg_cancel_backend(VARIADIC '7')",
        "SELECT pg_cancel_backend(DISTINCT 7)",
        "SELECT pg_cancel_backend(7) OVER ()",
        "SELECT pg_cancel_backend(7) FILTER (WHERE true)",
        "SELECT DISTINCT pg_cancel_backend(7)",
        "SELECT pg_cancel_backend(7) LIMIT 0",
        "SELECT pg_cancel_backend(7) ORDER BY 1",
        "SELECT pg_cancel_backend(7) UNION SELECT true",
        "WITH w AS (SELECT 1) SELECT pg_cancel_backend(7)",
        "VALUES (pg_cancel_backend(7))",
        "EXPLAIN SELECT pg_cancel_backend(7)",
        "COPY (SELECT pg_cancel_backend(7)) TO STDOUT",
        "PREPARE p AS SELECT pg_cancel_backend(7)",
        "DECLARE c CURSOR FOR SELECT pg_cancel_backend(7)",
        "BEGIN; SELECT pg_cancel_backend(7)",
        "SELECT pg_terminate_backend(7, -1)",
        "SELECT pg_terminate_backend(7, 1, 1)",
        "SELECT pg_terminate_backend(pid => 7)",
        "SELECT pg_terminate_backend($1, $1)",
        "SELECT d.pg_catalog.pg_terminate_backend(7)",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> 7",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = pg_backend_pid()",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = 7 OR true",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid IN (7, 8)",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ANY ('{7}')",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE leader_pid = 7",
        "SELECT pg_terminate_backend(leader_pid) FROM pg_stat_activity WHERE pid = 7",
        "SELECT pg_terminate_backend(pid, 9) FROM pg_stat_activity WHERE pid = 7",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity a (pid) WHERE pid = 7",
        "SELECT pg_terminate_backend(pid) FROM public.pg_stat_activity WHERE pid = 7",
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE pid = 7",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity, pg_class WHERE pid = 7",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'x'",
    ];

    #[test]
    fn every_other_use_is_refused_with_the_one_that_passes() {
        check(Rule::FunctionEffects, OTHERS, &[]);
        let agent = gate(Policy::agent());
        for other in OTHERS {
            let judgement = agent.judge(Cow::Borrowed(other), &SessionNames::of_no_database());
            let Verdict::Refused(refusal) = judgement.verdict else {
                panic!("{other}");
            };
            assert!(refusal.hint.contains("(pid) by itself"), "{}", refusal.hint);
        }
        let operator =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid OPERATOR(s.=) 7";
        check(Rule::OperatorSchema, &[operator], &[]);
        let own = "SELECT shop.pg_cancel_backend(7)";
        check(Rule::UnknownFunction, &[own], &[]);
    }

    #[test]
    fn a_policy_may_refuse_it() {
        const STRICT: &str = include_str!("../../../policies/strict.yaml");
        let own = [
            "SELECT pg_cancel_backend(7)",
            "SELECT pg_terminate_backend($1)",
        ];
        check_yaml(STRICT, Rule::FunctionEffects, &own, &[]);
        let judgement = gate(Policy::from_yaml(STRICT).unwrap());
        let judgement = judgement.judge(own[0].into(), &SessionNames::of_no_database());
        let Verdict::Refused(refusal) = judgement.verdict else {
            panic!("{judgement:?}");
        };
        assert!(!refusal.hint.contains("by itself"), "{}", refusal.hint);
        let denies = agent_with(
            &[(
                "\nfunctions:\n",
                "\nfunctions:\n  deny: [pg_catalog.pg_cancel_backend]\n",
            )],
            "",
        );
        assert!(taken_out(&gate(denies), own[0], &[]).is_none());
        let kinds = agent_with(
            &[("\nstatements:\n", "\nstatements:\n  deny: [select]\n")],
            "",
        );
        let kinds = gate(kinds);
        let names = SessionNames::of_no_database();
        let Verdict::Clamped(clamp) = kinds.judge(own[0].into(), &names).verdict else {
            panic!("the call is there");
        };
        let again = kinds.judge(Cow::Owned(clamp.text), &names);
        assert!(matches!(again.verdict, Verdict::Refused(_)), "{again:?}");
    }
}
