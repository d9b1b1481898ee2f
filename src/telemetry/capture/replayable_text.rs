//! Which failures are kept: those that say something of a text, and texts of reads.
//!
//! A password may stand in what is no read (ALTER ROLE … PASSWORD), so only what asks is kept. Of a
//! text that the grammar does not read nobody knows what it is: it is kept where each of its
//! statements begins as a query and no word in it writes. Even a read may hold a password, so a
//! text that mentions one is left out.

use serde_json::Value;

use crate::gate::StatementKind;
use crate::limits::capture::CAPTURE_TEXT_BYTES_MAX;
use crate::sql::lexer::{self, TokenKind};
use crate::telemetry::labels::{CaptureOutcome, StatementOutcome};

/// Whether a failure with this code is the text's: not the moment's, as a lost connection, a full
/// disk or a failed transaction are.
pub(super) fn is_replayable(code: &str) -> bool {
    let class = code.get(..2).unwrap_or_default();
    match code {
        // A timeout; what the client has cancelled comes without its text.
        "57014" => true,
        // An earlier statement has failed.
        "25P02" => false,
        _ => !["08", "40", "53", "55", "57", "58", "XX"].contains(&class),
    }
}

/// Whether the text of a statement of this kind may be kept, and else why not.
pub(super) fn text_fate(
    kind: StatementKind,
    outcome: StatementOutcome,
    text: &str,
) -> CaptureOutcome {
    if text.len() > CAPTURE_TEXT_BYTES_MAX {
        return CaptureOutcome::TooLong;
    }
    let may_ask = kind.is_query() || matches!(kind, StatementKind::Show | StatementKind::Unparsed);
    // What is known of a repaired text is known of another one.
    let is_read = match kind == StatementKind::Unparsed || outcome == StatementOutcome::Repaired {
        true => asks_throughout(text),
        false => begins_as_query(text),
    };
    match may_ask && is_read && !mentions_credential(text) {
        true => CaptureOutcome::Kept,
        false => CaptureOutcome::NoRead,
    }
}

/// Whether the first word is one that queries begin with.
fn begins_as_query(text: &str) -> bool {
    let mut words = lexer::tokens(text).filter(|token| !token.kind.is_blank());
    let first = words.find(|token| text.get(token.span.clone()) != Some("("));
    first.is_some_and(|token| {
        let word = text.get(token.span).unwrap_or_default();
        token.kind == TokenKind::Word && is_one_of(word, &BEGINNINGS)
    })
}

/// Whether a text that nobody has read asks, as far as its words tell.
fn asks_throughout(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with('{') {
        let contract: Result<Value, _> = serde_json::from_str(text);
        let sql = contract.ok();
        let sql = sql
            .as_ref()
            .and_then(|contract| contract.get("sql")?.as_str());
        return sql.is_some_and(all_ask);
    }
    match text.strip_prefix(FENCE) {
        Some(fenced) => {
            let inner = fenced.split_once('\n').map_or("", |(_, inner)| inner);
            let (inner, behind) = inner.split_once(FENCE).unwrap_or((inner, ""));
            all_ask(inner) && behind.trim().is_empty()
        }
        None => all_ask(text),
    }
}

/// Whether each statement begins as a query, and no word writes.
fn all_ask(text: &str) -> bool {
    let (mut is_beginning, mut asks) = (true, false);
    for token in lexer::tokens(text).filter(|token| !token.kind.is_blank()) {
        let is_word = token.kind == TokenKind::Word;
        let word = text.get(token.span).unwrap_or_default();
        if word == ";" {
            is_beginning = true;
        } else if is_beginning && word != "(" {
            if !is_word || !is_one_of(word, &BEGINNINGS) {
                return false;
            }
            (is_beginning, asks) = (false, true);
        } else if is_word && is_one_of(word, &WRITING) {
            return false;
        }
    }
    asks
}

/// Whether a text speaks of what lets somebody in, or has an address with a password in it.
fn mentions_credential(text: &str) -> bool {
    let folded = text.to_ascii_lowercase();
    let is_address = |rest: &str| {
        let authority = rest.split(['/', '\'', '"']).next().unwrap_or_default();
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        user.is_some_and(|user| user.contains(':'))
    };
    CREDENTIALS.iter().any(|word| folded.contains(word))
        || folded.split("://").skip(1).any(is_address)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| word.eq_ignore_ascii_case(one))
}

const BEGINNINGS: [&str; 6] = ["select", "with", "values", "table", "show", "explain"];

/// Words of statements that write, which no query of a dialect begins a clause with.
const WRITING: [&str; 12] = [
    "insert",
    "update",
    "delete",
    "merge",
    "create",
    "alter",
    "drop",
    "grant",
    "revoke",
    "copy",
    "call",
    "identified",
];

/// What texts with a password in them mention: options of roles and connections, and what columns
/// of them are called.
const CREDENTIALS: [&str; 8] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "credential",
    "api_key",
];

const FENCE: &str = "```";

#[cfg(test)]
mod tests {
    use super::*;

    fn fate(kind: StatementKind, text: &str) -> CaptureOutcome {
        text_fate(kind, StatementOutcome::Refused, text)
    }

    #[test]
    fn reads_that_the_grammar_reads_are_kept_by_kind_and_beginning() {
        for (kind, text) in [
            (StatementKind::Select, "SELECT 1"),
            (StatementKind::Select, "  -- why\n/* how */ ((select 1))"),
            (StatementKind::Select, "WITH x AS (SELECT 1) TABLE x"),
            (StatementKind::Values, "VALUES (1)"),
            (StatementKind::Table, "TABLE t"),
            (StatementKind::Show, "SHOW work_mem"),
            (StatementKind::Explain, "EXPLAIN SELECT 1"),
            (
                StatementKind::Select,
                "SELECT 'create; alter' AS \"update\"",
            ),
        ] {
            assert_eq!(fate(kind, text), CaptureOutcome::Kept, "{text}");
        }
        for kind in StatementKind::ALL {
            let is_read =
                kind.is_query() || matches!(kind, StatementKind::Show | StatementKind::Unparsed);
            let kept = fate(*kind, "SELECT 1") == CaptureOutcome::Kept;
            assert_eq!(kept, is_read, "{kind:?}");
        }
        for (kind, text) in [
            (StatementKind::Ddl, "ALTER ROLE ann PASSWORD 'x'"),
            (
                StatementKind::Several,
                "SELECT 1; ALTER ROLE ann PASSWORD 'x'",
            ),
            (StatementKind::Insert, "INSERT INTO t VALUES ('x')"),
            (StatementKind::Set, "SET work_mem = 1"),
            (StatementKind::Execute, "EXECUTE p('x')"),
        ] {
            assert_eq!(fate(kind, text), CaptureOutcome::NoRead, "{text}");
        }
    }

    #[test]
    fn of_what_nobody_has_read_only_what_looks_like_queries_is_kept() {
        let kept = |text| fate(StatementKind::Unparsed, text) == CaptureOutcome::Kept;
        for text in [
            "SELECT FROM WHERE",
            "SELECT TOP 3 * FROM [t]",
            "SELECT `a` FROM `t` LIMIT 1, 2",
            "SHOW TABLES",
            "WITH x AS (SELECT 1 SELECT",
            "```sql\nSELECT 1\n```",
            "```\nSELECT 1",
            "{\"sql\": \"SELECT 1\", \"confidence\": 1}",
            "(SELECT 1",
        ] {
            assert!(kept(text), "{text}");
        }
        for text in [
            "",
            ";",
            "SELEC 1",
            "SELECT 1; SELEC",
            "ALTER ROLE ann WITH LOGIN LOGIN PASWORD 'x'",
            "SELECT 1; ALTER ROLE ann IN IN 'x'",
            "SELECT 1; INSERT INTO t VALUES 'x'",
            "WITH x AS (SELECT 1) INSERT t VALUES 'x'",
            "EXPLAIN EXPLAIN CREATE USER ann IDENTIFIED BY 'x'",
            "```sql\nALTER ROLE ann IN 'x'\n```",
            "```sql\nSELECT 1\n```\n```\nALTER ROLE ann IN 'x'\n```",
            "```",
            "{\"sql\": \"DROP ROLE ann\"}",
            "{\"query\": \"SELECT 1\"}",
            "{SELECT 1}",
            "'SELECT'",
            "Here it is: SELECT 1",
        ] {
            assert!(!kept(text), "{text}");
        }
    }

    #[test]
    fn what_is_known_of_a_repaired_text_is_known_of_another_one() {
        let fate = |text| text_fate(StatementKind::Select, StatementOutcome::Repaired, text);
        assert_eq!(fate("SELECT TOP 1 x FROM t"), CaptureOutcome::Kept);
        assert_eq!(
            fate("SELECT 1; ALTER ROLE ann IN 'x'"),
            CaptureOutcome::NoRead
        );
    }

    #[test]
    fn what_mentions_a_password_is_left_out() {
        for text in [
            "SELECT * FROM dblink('host=h password=x', 'SELECT 1') AS t(a int)",
            "SELECT * FROM dblink('postgres://u:x@h/d', 'SELECT 1') AS t(a int)",
            "SELECT * FROM users WHERE PassWord = 'x'",
            "SELECT crypt('x', passwd_hash) FROM u",
            "SELECT 'PWD=x'",
        ] {
            let wanted = CaptureOutcome::NoRead;
            assert_eq!(fate(StatementKind::Select, text), wanted, "{text}");
            assert_eq!(fate(StatementKind::Unparsed, text), wanted, "{text}");
        }
        for text in [
            "SELECT 'https://example.com/a:b@c'",
            "SELECT mail FROM u WHERE mail = 'a@example.com'",
            "SELECT a::text FROM pages WHERE url LIKE 'http://%'",
        ] {
            assert_eq!(
                fate(StatementKind::Select, text),
                CaptureOutcome::Kept,
                "{text}"
            );
        }
    }

    #[test]
    fn a_long_text_is_left_out_whole() {
        let text = format!("SELECT '{}'", "x".repeat(CAPTURE_TEXT_BYTES_MAX));
        assert_eq!(fate(StatementKind::Select, &text), CaptureOutcome::TooLong);
    }

    #[test]
    fn failures_of_the_moment_are_none_of_a_text() {
        for code in [
            "42703", "42P01", "22012", "25006", "42501", "57014", "54000", "0A000",
        ] {
            assert!(is_replayable(code), "{code}");
        }
        for code in [
            "57P01", "08006", "40001", "53400", "55P03", "25P02", "58030", "XX000",
        ] {
            assert!(!is_replayable(code), "{code}");
        }
    }
}
