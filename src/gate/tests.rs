//! The gate as a whole: what real clients send, and what a judgement says of a text.

use std::borrow::Cow;

use super::rules::check::{check, check_bi, gate, rule_of};
use super::{Rule, SessionEffect, SessionNames, StatementKind, Verdict};
use policy::Policy;

#[test]
fn what_clients_send_passes_under_the_default() {
    check(
        Rule::Settings,
        &[],
        &[
            "SET extra_float_digits = 3",
            "SET application_name = 'PostgreSQL JDBC Driver'",
            "SET SESSION search_path TO 'public'",
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "BEGIN READ ONLY",
            "SET DateStyle = 'ISO';SET extra_float_digits = 2;show transaction_isolation",
            "set search_path = \"public\"",
            "SHOW search_path",
            "SELECT current_schema(),session_user",
            "SELECT set_config('TimeZone','UTC',false)",
            "select pg_catalog.version()",
            "show transaction isolation level",
            "show standard_conforming_strings",
            "SELECT t.oid, typarray FROM pg_type t JOIN pg_namespace ns ON typnamespace = ns.oid \
             WHERE typname = 'hstore'",
            "SET client_encoding TO 'UTF8'",
            "SHOW transaction_read_only",
            "SELECT pg_is_in_recovery()",
            "SELECT version();",
            "show timezone;",
            "DISCARD ALL",
            "DISCARD PLANS",
            "DEALLOCATE ALL",
            "SELECT pg_advisory_unlock_all();\nCLOSE ALL;\nUNLISTEN *;\nRESET ALL;",
            "",
            ";",
            "-- ping",
            "/* ping */",
            "SELECT 1",
        ],
    );
}

#[test]
fn what_dump_tools_and_long_set_ups_send_passes_under_bi() {
    check_bi(
        Rule::Settings,
        &[],
        &[
            "SELECT pg_catalog.set_config('search_path', '', false);",
            "SET DATESTYLE = ISO; SET INTERVALSTYLE = POSTGRES; SET extra_float_digits TO 3",
            "SET synchronize_seqscans TO off",
            "SET client_encoding = 'UTF8'; SET standard_conforming_strings = on; \
             SET check_function_bodies = false; SET xmloption = content; \
             SET client_min_messages = warning; SET row_security = off",
            "BEGIN",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            "LOCK TABLE public.a, public.b IN ACCESS SHARE MODE",
            "BEGIN;declare \"C\" cursor with hold for select 1 limit 5;fetch 100 in \"C\"",
            "SAVEPOINT _EXEC_SVP_1;select 1",
        ],
    );
}

#[test]
fn a_judgement_says_what_a_text_is() {
    let cases: &[(&str, StatementKind, u32)] = &[
        ("", StatementKind::Empty, 0),
        (" ;; -- x", StatementKind::Empty, 0),
        ("SELECT 1", StatementKind::Select, 1),
        ("VALUES (1)", StatementKind::Values, 1),
        ("TABLE t", StatementKind::Table, 1),
        ("SELECT * FROM t", StatementKind::Select, 1),
        ("TABLE t UNION TABLE t", StatementKind::Select, 1),
        ("WITH x AS (SELECT 1) TABLE x", StatementKind::Table, 1),
        ("SHOW ALL", StatementKind::Show, 1),
        ("RESET ALL; SHOW ALL", StatementKind::Several, 2),
        ("DROP TABLE t", StatementKind::Ddl, 1),
        ("SELEC", StatementKind::Unparsed, 0),
    ];
    let gate = gate(Policy::agent());
    for (sql, kind, statements) in cases {
        let judgement = gate.judge(Cow::Borrowed(sql), &SessionNames::of_no_database());
        let facts = &judgement.facts;
        assert_eq!(
            (facts.kind, facts.statements),
            (*kind, *statements),
            "{sql}"
        );
    }
}

#[test]
fn a_judgement_says_what_a_text_changes() {
    let names = |sql: &str| -> String {
        let judgement =
            gate(Policy::bi()).judge(Cow::Borrowed(sql), &SessionNames::of_no_database());
        assert_eq!(rule_of(&judgement), None, "{sql}");
        judgement
            .facts
            .effects
            .iter()
            .map(|effect| format!("{effect:?} "))
            .collect()
    };
    assert_eq!(names("SELECT 1"), "");
    assert_eq!(names("SET jit = off"), "SettingsTouched ");
    assert_eq!(
        names("SET search_path = a"),
        "SettingsTouched SearchPathSet "
    );
    assert_eq!(
        names("SELECT set_config('jit', 'off', false)"),
        "SettingsTouched "
    );
    assert_eq!(names("EXPLAIN SELECT set_config('jit', 'off', false)"), "");
    assert_eq!(names("EXPLAIN DECLARE c CURSOR FOR SELECT 1"), "");
    assert_eq!(
        names("PREPARE p AS SELECT set_config('jit', 'off', false)"),
        "Prepare "
    );
    assert_eq!(
        names("PREPARE p AS SELECT set_config('jit', 'off', false); EXECUTE p"),
        "Prepare SettingsTouched "
    );
    assert_eq!(
        names("DECLARE c CURSOR FOR SELECT 1; CLOSE c"),
        "DeclareCursor CloseCursor "
    );
    assert_eq!(
        names("CLOSE ALL; DEALLOCATE a; DEALLOCATE ALL; DISCARD ALL; DISCARD TEMP"),
        "CloseAllCursors Deallocate DeallocateAll DiscardAll SearchPathSet SettingSet "
    );
}

#[test]
fn a_prepared_statement_is_remembered_by_what_it_runs() {
    let gate = gate(Policy::agent());
    let mut names = SessionNames::of_no_database();
    let judgement = gate.judge(Cow::Borrowed("PREPARE \"My p\" AS TABLE t"), &names);
    for effect in &judgement.facts.effects {
        names.apply(effect);
    }
    assert_eq!(
        names.prepared("My p").unwrap().facts.kind,
        StatementKind::Table
    );
    let execute = gate.judge(Cow::Borrowed("EXECUTE \"My p\""), &names);
    assert!(matches!(execute.verdict, Verdict::Permitted(_)));
    assert!(!execute.facts.cacheable);
    for gone in [SessionEffect::DeallocateAll, SessionEffect::DiscardAll] {
        let mut names = names.clone();
        names.apply(&gone);
        let execute = gate.judge(Cow::Borrowed("EXECUTE \"My p\""), &names);
        assert_eq!(rule_of(&execute), Some(Rule::PreparedName));
    }
}

#[test]
fn a_session_holds_only_so_many_names() {
    let gate = gate(Policy::agent());
    let mut names = SessionNames::of_no_database();
    let judgement = gate.judge(Cow::Borrowed("SELECT 1"), &names);
    for number in 0..ground::limits::SESSION_NAMES_MAX {
        names.add_prepared(
            &format!("p{number}"),
            judgement.facts.clone(),
            "SELECT 1".into(),
        );
    }
    for sql in ["PREPARE q AS SELECT 1", "DECLARE c CURSOR FOR SELECT 1"] {
        let refused = gate.judge(Cow::Borrowed(sql), &names);
        assert_eq!(rule_of(&refused), Some(Rule::TooManyNames), "{sql}");
    }
}

#[test]
fn nothing_of_a_text_is_in_debug_output() {
    let gate = gate(Policy::agent());
    for sql in [
        "SELECT 'canary7'",
        "SELEC 'canary7'",
        "SELECT pg_sleep('canary7')",
        "SET statement_timeout = '100000canary7'",
        "SELECT set_config('canary7', 'canary7', false)",
        "SET statement_timeout = /* canary7 */ 0",
        "PREPARE canary7 AS SELECT 1",
    ] {
        let judgement = gate.judge(Cow::Borrowed(sql), &SessionNames::of_no_database());
        assert!(!format!("{judgement:?}").contains("canary7"), "{sql}");
        if let Verdict::Refused(refusal) = &judgement.verdict
            && refusal.rule != Rule::SyntaxError
        {
            assert!(!refusal.message.contains("canary7"), "{sql}");
        }
    }
}

#[test]
fn rule_names_are_different_and_stable_words() {
    let mut names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Rule::ALL.len());
    let plain = |name: &str| {
        name.chars()
            .all(|letter| letter.is_ascii_lowercase() || letter == '_')
    };
    assert!(names.iter().all(|name| plain(name)));
}

/// A string that goes on behind a comment runs without it, and places stay where they were.
#[test]
fn strings_that_go_on_behind_a_comment_are_read() {
    let gate = crate::rules::check::gate(policy::Policy::agent());
    let names = crate::SessionNames::of_no_database();
    let judged = |text: &'static str| gate.judge(text.into(), &names).verdict;
    let crate::Verdict::Permitted(permit) = judged("SELECT 'a' -- é\n'b', 1") else {
        panic!("it is one string");
    };
    assert_eq!(permit.text(), "SELECT 'a'     \n'b', 1");
    // One literal, in which a backslash escapes as in its first part.
    let literal = judged("SELECT E'a' -- x\n'\\'; DELETE FROM t; --'");
    assert!(matches!(literal, crate::Verdict::Permitted(_)));
    for text in [
        "SELECT E'a' -- x\n'\\''; DELETE FROM t; --'",
        "SELECT 'a' -- x\n'\\'; DELETE FROM t; --'",
        "SELECT 'a' -- x\n'b'; DELETE FROM t",
        "SELECT 'a' -- x\n'b' FROM FROM",
        "SELECT 'a' -- x\n'b",
    ] {
        let verdict = judged(text);
        assert!(matches!(verdict, crate::Verdict::Refused(_)), "{text}");
    }
}
