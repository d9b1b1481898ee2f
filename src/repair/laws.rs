//! The laws that every repair keeps, as one helper for the tests of all recoverers. Test code only.
//!
//! A case is the text that fails, with `⟪` where the server says that it does, and the text that
//! is wanted. Checked for each: the new text parses, is one statement, passes the gate and is no
//! wider; asked again the recoverer finds nothing more to do; outside of its edits nothing is
//! touched; parameters keep their numbers; names of output columns survive.

use std::borrow::Cow;
use std::sync::Arc;

use crate::context::tokens_of;
use crate::{
    Confidence, Failure, FailureOrigin, RecovererAnswer, RepairContext, SessionDatabase,
    TextChange, preprocessors, recoverers,
};
use catalog::fixture::CatalogFixture;
use dialect::session_database::fixture::session;
use gate::{Gate, ParameterTypes, SessionNames, Verdict};
use policy::{Dialect, Policy, Recoverer};
use sql::fingerprint::Fingerprinter;
use sql::lexer::TokenKind;
use sql::tree;

/// A text that fails, and what is wanted for it.
pub(crate) struct RepairCase<'c> {
    /// The text, with `⟪` at the place of the error where it has one.
    pub before: &'c str,
    /// What is wanted.
    pub wanted: ExpectedRepair<'c>,
}

/// What is wanted of a recoverer.
pub(crate) enum ExpectedRepair<'c> {
    /// This text, for certain.
    Exact(&'c str),
    /// This text, likely.
    Likely(&'c str),
    /// Words that hold this.
    Hint(&'c str),
    /// Nothing.
    Silence,
}

/// Whether the names of output columns are the same afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputNameLaw {
    /// They are.
    Kept,
    /// A name itself is what is repaired.
    Repaired,
}

/// Checks a recoverer (or `quote_identifiers`) in the [`world`].
pub(crate) fn check(
    recoverer: Recoverer,
    sqlstate: &str,
    names: OutputNameLaw,
    cases: &[RepairCase<'_>],
) {
    check_in(world(), recoverer, sqlstate, names, cases);
}

/// The same in another database.
pub(crate) fn check_in(
    world: CatalogFixture,
    recoverer: Recoverer,
    sqlstate: &str,
    names: OutputNameLaw,
    cases: &[RepairCase<'_>],
) {
    check_as(world, "postgres", recoverer, sqlstate, names, cases);
}

/// The same as another role.
pub(crate) fn check_as(
    world: CatalogFixture,
    role: &str,
    recoverer: Recoverer,
    sqlstate: &str,
    names: OutputNameLaw,
    cases: &[RepairCase<'_>],
) {
    let mut session = session(world, &Policy::agent());
    session.set_role(role);
    let gate = gate_under(Policy::agent());
    check_of((&session, &gate), recoverer, sqlstate, names, None, cases);
}

fn gate_under(policy: Policy) -> Gate {
    Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]))
}

/// The same of a client that names a dialect.
fn check_of(
    (session, gate): (&SessionNames, &Gate),
    recoverer: Recoverer,
    sqlstate: &str,
    names: OutputNameLaw,
    dialect: Option<Dialect>,
    cases: &[RepairCase<'_>],
) {
    for case in cases {
        let position = case.before.find(MARK);
        let before = case.before.replacen(MARK, "", 1);
        let ask = |text: &str, position| {
            let told = ToldDialects {
                named: dialect,
                ..ToldDialects::default()
            };
            ask_told(told, recoverer, text, sqlstate, position, (session, gate))
        };
        let answer = ask(&before, position);
        let (confidence, after) = match (&case.wanted, answer) {
            (ExpectedRepair::Silence, RecovererAnswer::Silent | RecovererAnswer::Doubted) => {
                continue;
            }
            (ExpectedRepair::Hint(words), RecovererAnswer::Hinted(hint)) => {
                assert!(hint.advice.contains(words), "{before}: {}", hint.advice);
                continue;
            }
            (ExpectedRepair::Exact(after), RecovererAnswer::Repaired(repair)) => {
                let text = repair.rewritten.clone().text(&before).unwrap();
                assert_eq!(text, **after, "{before}");
                assert_eq!(repair.confidence, Confidence::Exact, "{before}");
                (repair, text)
            }
            (ExpectedRepair::Likely(after), RecovererAnswer::Repaired(repair)) => {
                let text = repair.rewritten.clone().text(&before).unwrap();
                assert_eq!(text, **after, "{before}");
                assert_eq!(repair.confidence, Confidence::Likely, "{before}");
                (repair, text)
            }
            (_, RecovererAnswer::Repaired(repair)) => {
                panic!(
                    "{before}: became {}",
                    repair.rewritten.text(&before).unwrap()
                )
            }
            (_, RecovererAnswer::Hinted(hint)) => panic!("{before}: hint {}", hint.advice),
            (_, RecovererAnswer::Silent | RecovererAnswer::Doubted) => panic!("{before}: silence"),
        };
        assert!(!confidence.change.is_empty(), "{before}: without a reason");
        keeps_laws(&before, &after, names, session, gate);
        // Once more: there is nothing left to do.
        match ask(&after, None) {
            RecovererAnswer::Silent | RecovererAnswer::Doubted | RecovererAnswer::Hinted(_) => {}
            RecovererAnswer::Repaired(repair) => {
                let again = repair.rewritten.text(&after).unwrap();
                assert_eq!(again, after, "{before}: not idempotent");
            }
        }
        if let TextChange::Edits(edits) = confidence.rewritten {
            let first = edits.iter().map(|edit| edit.span.start).min().unwrap();
            let last = edits.iter().map(|edit| edit.span.end).max().unwrap();
            assert_eq!(before[..first], after[..first]);
            assert!(after.ends_with(&before[last..]), "{before}");
        }
    }
}

/// The same with the cases of a file of `tests/data/corpus/recoverers`, whose head explains them.
/// Behind `@` stands the dialect that the client names in the cases that follow.
pub(crate) fn check_file(
    world: CatalogFixture,
    recoverer: Recoverer,
    sqlstate: &str,
    names: OutputNameLaw,
    file: &str,
) {
    check_file_under(Policy::agent(), world, recoverer, sqlstate, names, file);
}

/// The same under a policy, with what it knows as it tells it to a user called ann.
pub(crate) fn check_file_under(
    policy: Policy,
    world: CatalogFixture,
    recoverer: Recoverer,
    sqlstate: &str,
    names: OutputNameLaw,
    file: &str,
) {
    let rows: Vec<(&str, String)> = (file.lines())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(' ').unwrap_or_else(|| panic!("{line}")))
        .map(|(mark, text)| (mark, unescaped(text)))
        .collect();
    let session = session(world, &policy);
    let gate = gate_under(policy);
    let (mut cases, mut dialect) = (Vec::new(), None);
    let mut left = rows.iter();
    while let Some((mark, before)) = left.next() {
        if *mark == "@" {
            check_of(
                (&session, &gate),
                recoverer,
                sqlstate,
                names,
                dialect,
                &cases,
            );
            cases.clear();
            dialect = Dialect::named(before);
            continue;
        }
        let mut wanted = || match left.next() {
            Some(("=", text)) => text.as_str(),
            _ => panic!("{before}: no line with = follows"),
        };
        let wanted = match *mark {
            "E" => ExpectedRepair::Exact(wanted()),
            "L" => ExpectedRepair::Likely(wanted()),
            "H" => ExpectedRepair::Hint(wanted()),
            "T" => ExpectedRepair::Silence,
            mark => panic!("{mark} {before}: no case"),
        };
        cases.push(RepairCase { before, wanted });
    }
    assert!(!cases.is_empty(), "{recoverer:?} has no case");
    check_of(
        (&session, &gate),
        recoverer,
        sqlstate,
        names,
        dialect,
        &cases,
    );
}

/// A text with `\n`, `\\` and `\u{feff}` in it.
fn unescaped(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        let (letter, after) = match escape.split_at(1) {
            ("n", after) => ('\n', after),
            ("\\", after) => ('\\', after),
            ("u", after) => {
                let (code, after) = after[1..].split_once('}').unwrap();
                let code = u32::from_str_radix(code, 16).unwrap();
                (char::from_u32(code).unwrap(), after)
            }
            (other, _) => panic!("{text}: what is an escaped {other}?"),
        };
        made.push_str(before);
        made.push(letter);
        rest = after;
    }
    made + rest
}

/// Looks at any text, for fuzzing: what a recoverer answers has to be edits of that text, after
/// which it parses.
pub(crate) fn fuzzed(world: CatalogFixture, recoverer: Recoverer, sqlstate: &str) -> impl Fn(&str) {
    let policy = Policy::agent();
    let session = session(world, &policy);
    let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
    let sqlstate = sqlstate.to_owned();
    move |text| {
        if let RecovererAnswer::Repaired(repair) =
            ask(recoverer, text, &sqlstate, None, &session, &gate)
        {
            let after = repair.rewritten.text(text).unwrap();
            assert!(tree::parse(&after).is_ok(), "{text}: became {after}");
        }
    }
}

fn keeps_laws(
    before: &str,
    after: &str,
    names: OutputNameLaw,
    session: &SessionNames,
    gate: &Gate,
) {
    let tree = tree::parse(after).unwrap_or_else(|_| panic!("{after}: does not parse"));
    assert_eq!(tree.statements().count(), 1, "{after}: not one statement");
    let judged = gate.judge(Cow::Borrowed(after), session);
    match judged.verdict {
        Verdict::Permitted(_) => {}
        Verdict::Clamped(_) => panic!("{after}: clamped"),
        Verdict::Refused(refusal) => panic!("{after}: {}", refusal.message),
    }
    assert!(
        judged.facts.effects.is_empty(),
        "{after}: leaves something behind"
    );
    assert_eq!(parameters(before), parameters(after), "{after}");
    let Ok(old) = tree::parse(before) else { return };
    if names == OutputNameLaw::Kept {
        let open = ParameterTypes::none_given();
        let database = SessionDatabase::of(session, &open).unwrap();
        let (old, new) = (database.resolve(&old), database.resolve(&tree));
        let of = |resolution: &resolve::Resolution<'_>| -> Vec<String> {
            let columns = resolution.output.columns.iter();
            columns.map(|one| one.name.as_str().to_owned()).collect()
        };
        if let (Some(old), Some(new)) = (old, new)
            && !old.output.columns.is_empty()
        {
            assert_eq!(of(&old), of(&new), "{after}: other names");
        }
    }
}

/// The parameters of a text, each once, in order.
fn parameters(text: &str) -> Vec<String> {
    let mut found: Vec<String> = tokens_of(text)
        .iter()
        .filter(|token| token.kind == TokenKind::Parameter)
        .map(|token| text[token.span.clone()].to_owned())
        .collect();
    found.sort();
    found.dedup();
    found
}

pub(crate) fn ask(
    recoverer: Recoverer,
    text: &str,
    sqlstate: &str,
    position: Option<usize>,
    session: &SessionNames,
    gate: &Gate,
) -> RecovererAnswer {
    ask_told(
        ToldDialects::default(),
        recoverer,
        text,
        sqlstate,
        position,
        (session, gate),
    )
}

/// The dialects that a client has told: by name, and by its earlier statements.
#[derive(Clone, Copy, Default)]
pub(crate) struct ToldDialects {
    pub named: Option<Dialect>,
    pub earlier: Option<Dialect>,
}

/// The same of a client that has told a dialect.
pub(crate) fn ask_told(
    told: ToldDialects,
    recoverer: Recoverer,
    text: &str,
    sqlstate: &str,
    position: Option<usize>,
    (session, gate): (&SessionNames, &Gate),
) -> RecovererAnswer {
    // One code is repaired in some messages alone.
    let message = match sqlstate {
        "42P10" => "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
        _ => "",
    };
    let origin = FailureOrigin::Server;
    let mut failure = Failure::reported(text, sqlstate, message, None, origin).unwrap();
    failure.position = position;
    let tokens = tokens_of(text);
    let tree = tree::parse(text).ok();
    let open = ParameterTypes::none_given();
    let database = SessionDatabase::of(session, &open).unwrap();
    let database = database.knowing(gate.policy(), "ann");
    let resolution = tree.as_ref().and_then(|tree| database.resolve(tree));
    let context = RepairContext {
        text,
        tokens: &tokens,
        tree: tree.as_ref(),
        resolution: resolution.as_ref(),
        failure: &failure,
        database: Some(&database),
        server_major: 15,
        settings: gate.policy().repair(),
        target_dialect: told.named,
        earlier_dialect: told.earlier,
        foreign_text: None,
    };
    match recoverer {
        Recoverer::QuoteIdentifiers => preprocessors::quote_identifiers::recover(&context),
        _ => recoverers::ask(recoverer, &context),
    }
}

/// Customers, orders, what was ordered, and a school table named by a spreadsheet.
pub(crate) fn world() -> CatalogFixture {
    CatalogFixture::new(15)
        .schema("archive")
        .table(
            "public.customers",
            "id int4 not null, name text not null, email text not null, country text, \
             created_at timestamptz not null, vip bool not null, parent_id int4",
        )
        .table(
            "public.orders",
            "id int4 not null, customer_id int4 not null, status text not null, \
             placed_on date not null, total_amount numeric not null, paid bool not null",
        )
        .table(
            "public.products",
            "id int4 not null, product_name text not null, price numeric not null, \
             weight float8, attributes jsonb",
        )
        .table(
            "public.order_items",
            "order_id int4 not null, product_id int4 not null, quantity int4 not null, \
             unit_price numeric not null",
        )
        .table(
            "public.Schools",
            "CDSCode text not null, School_Name text, Free_Meal_Count float8, AvgScrMath int4",
        )
        .table(
            "archive.invoices",
            "id int4 not null, order_id int4, amount numeric",
        )
        .table(
            "public.accounts",
            "account_id int4 not null, customer_id int4 not null, opened date not null, \
             rate numeric not null, label text",
        )
        .table(
            "public.payments",
            "payment_id int4 not null, account_id int4 not null, customer_id int4 not null, \
             rate numeric not null, paid_on date",
        )
        .primary_key("public.accounts", "account_id")
        .primary_key("public.payments", "payment_id")
        .primary_key("public.customers", "id")
        .primary_key("public.orders", "id")
        .primary_key("public.products", "id")
        .primary_key("public.order_items", "order_id, product_id")
        .primary_key("public.Schools", "CDSCode")
        .unique("public.customers", "email")
        .foreign_key("public.orders", "customer_id", "public.customers", "id")
        .foreign_key("public.order_items", "order_id", "public.orders", "id")
        .foreign_key("public.order_items", "product_id", "public.products", "id")
        .foreign_key(
            "public.payments",
            "account_id",
            "public.accounts",
            "account_id",
        )
        .role("reader")
}

/// Where the server says that the text fails.
const MARK: &str = "⟪";

#[test]
fn the_helper_sees_silence() {
    let silent = RepairCase {
        before: "SELECT 1",
        wanted: ExpectedRepair::Silence,
    };
    check(
        Recoverer::AmbiguousColumn,
        "42702",
        OutputNameLaw::Kept,
        &[silent],
    );
}
