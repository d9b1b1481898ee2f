//! `engine_syntax`: what an engine that is no Postgres reads otherwise.
//!
//! # Sees
//! Where the engine behind cuts texts into tokens by itself (CockroachDB): literals, names,
//! operators and comments that are other ones there, or end elsewhere. SHOW of what is no setting,
//! names with a database in them, and RESET ALL.
//!
//! # Why
//! The text judged is to be the text run. In `b'\'` the backslash escapes there, a carriage return
//! does not end a comment, and `#--` begins none: behind each of them the engine could run a
//! statement that stands within a literal or a comment for Postgres.
//!
//! # Before
//! Examples with such an engine are in the tests of this rule.
//!
//! # After
//! - `SELECT B'01', $$a$$`
//!
//! # When not
//! Before engines that are made of Postgres: their lexer is Postgres's. Texts that Postgres's
//! grammar does not read (`AS OF SYSTEM TIME`) are refused before every engine, as `syntax_error`.

use crate::context::JudgeContext;
use crate::rules::RuleResult;
use crate::settings;
use crate::{Refusal, Rule};
use ground::engine::{Engine, EngineLexer};
use ground::limits::NAME_BYTES_MAX;
use sql::lexer::{self, TokenKind};
use sql::tree::nodes;

/// Looks at each token of the text.
pub(crate) fn check_text(context: &JudgeContext<'_>) -> RuleResult {
    let Some(engine) = other_reader(context) else {
        return Ok(());
    };
    let text = context.text;
    let mut behind = None;
    for token in lexer::tokens(text) {
        let own = text.get(token.span.clone()).unwrap_or_default();
        let rest = text.get(token.span.end..).unwrap_or_default();
        if let Some(what) = difference(token.kind, own, (behind, rest)) {
            return Err(refusal(engine, what));
        }
        behind = own.bytes().next_back();
    }
    Ok(())
}

/// SHOW of another word than the name of a setting is a statement of the engine's own.
pub(crate) fn check_show(name: &str, context: &JudgeContext<'_>) -> RuleResult {
    match other_reader(context) {
        Some(engine)
            if !settings::is_known(&name.to_ascii_lowercase())
                && !name.contains('.')
                && !SHOWN_OF_ENGINE.contains(&name) =>
        {
            Err(refusal(engine, "SHOW of what is no setting of Postgres"))
        }
        Some(_) | None => Ok(()),
    }
}

/// RESET ALL resets `transaction_read_only` as well there, which Postgres leaves alone: the rest of
/// its transaction could write.
pub(crate) fn check_reset_all(context: &JudgeContext<'_>) -> RuleResult {
    match other_reader(context) {
        Some(engine) => Err(refusal(engine, "RESET ALL")),
        None => Ok(()),
    }
}

/// A name with a database in it is of another database, where Postgres knows only its own.
pub(crate) fn check_relation(table: &nodes::RangeVar, context: &JudgeContext<'_>) -> RuleResult {
    match other_reader(context) {
        Some(engine) if table.catalogname().is_some_and(|name| !name.is_empty()) => {
            Err(refusal(engine, "a name with a database in it"))
        }
        Some(_) | None => Ok(()),
    }
}

fn other_reader(context: &JudgeContext<'_>) -> Option<Engine> {
    let engine = context.basis().engine?;
    (engine.lexer() == EngineLexer::Own).then_some(engine)
}

/// What of a token is another thing there; `behind` is the byte before it, `rest` the text behind
/// it.
fn difference(
    kind: TokenKind,
    own: &str,
    (behind, rest): (Option<u8>, &str),
) -> Option<&'static str> {
    match kind {
        TokenKind::Space => own.contains('\u{b}').then_some("a vertical tab"),
        TokenKind::LineComment | TokenKind::BlockComment if behind.is_some_and(glues) => {
            Some("a comment right behind an operator")
        }
        TokenKind::LineComment => {
            let ends_alone = rest.starts_with('\r') && !rest.starts_with("\r\n");
            ends_alone.then_some("a comment that a carriage return ends")
        }
        TokenKind::BlockComment
        | TokenKind::Number
        | TokenKind::Parameter
        | TokenKind::Punctuation => None,
        TokenKind::Word => name_difference(own),
        TokenKind::QuotedName => name_difference(own.trim_matches('"')),
        TokenKind::String | TokenKind::EscapeString => literal_difference(kind, own),
        TokenKind::UnicodeName | TokenKind::UnicodeString => Some("U& before quotes"),
        TokenKind::BitString => Some("a literal with b or x before its quote"),
        TokenKind::DollarString => Some("a literal in dollars"),
        TokenKind::Operator => (!OPERATORS.contains(&own)).then_some("an operator of this name"),
        // The grammar refuses them.
        TokenKind::UnterminatedLiteral
        | TokenKind::UnterminatedComment
        | TokenKind::JunkNumber
        | TokenKind::Other => Some("a token that is none"),
    }
}

/// Letters beyond ASCII are folded and composed there, and nothing is cut off.
fn name_difference(name: &str) -> Option<&'static str> {
    if !name.is_ascii() {
        return Some("a name with letters beyond ASCII");
    }
    (name.len() > NAME_BYTES_MAX).then_some("a name that Postgres cuts off")
}

/// Both read the pieces of a literal alike where there is white space with a line end between them
/// and nothing else, and escapes where both know them.
fn literal_difference(kind: TokenKind, literal: &str) -> Option<&'static str> {
    let escapes = kind == TokenKind::EscapeString;
    let mut letters = literal
        .bytes()
        .skip_while(|letter| *letter != b'\'')
        .peekable();
    // The quote that begins it.
    letters.next();
    while let Some(letter) = letters.next() {
        match letter {
            b'\\' if escapes => match letters.next() {
                Some(escaped) if ESCAPES.contains(&escaped) => {}
                Some(_) | None => return Some("an escape in a literal"),
            },
            b'\'' if letters.peek() == Some(&b'\'') => {
                letters.next();
            }
            b'\'' => {
                let mut breaks = false;
                loop {
                    match letters.next() {
                        None => return None,
                        Some(b'\'') if breaks => break,
                        Some(b'\n') => breaks = true,
                        Some(b' ' | b'\t' | b'\r' | b'\x0c') => {}
                        Some(_) => return Some("a literal that goes on behind a comment"),
                    }
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether what stands behind this may be taken for a part of it.
fn glues(letter: u8) -> bool {
    b"~!@#^&|`?+-*/%<>=:.$".contains(&letter)
}

fn refusal(engine: Engine, what: &str) -> Box<Refusal> {
    let title = engine.title();
    Refusal::new(
        Rule::EngineSyntax,
        &format!("{what} is not allowed: {title} may read it otherwise than it is judged"),
        "Write it in words that both read alike: plain '…' literals, names in ASCII, white space \
         around comments.",
    )
    .about(format_args!("{what}, before {title}"))
}

/// Operators that are one token to both, whatever stands behind them.
const OPERATORS: [&str; 31] = [
    "+", "-", "*", "/", "%", "^", "=", "<", ">", "<=", ">=", "<>", "!=", "||", "~", "!~", "~*",
    "!~*", "->", "->>", "#>", "#>>", "@>", "<@", "?", "?|", "?&", "&&", "&", "|", "#",
];

/// What may stand behind a backslash, for both the same.
const ESCAPES: &[u8] = b"\\'nrtbf";

/// What the engine's own clients ask of their session.
const SHOWN_OF_ENGINE: [&str; 2] = ["crdb_version", "database"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionNames;
    use crate::rules::check::{gate, judged_with, rule_of};
    use policy::Policy;

    fn session(engine: Engine) -> SessionNames {
        let mut names = SessionNames::of_no_database();
        names.set_engine(engine);
        names
    }

    fn unescaped(text: &str) -> String {
        let marks = [
            ("\\\\", "\u{1}"),
            ("\\r", "\r"),
            ("\\n", "\n"),
            ("\\t", "\t"),
            ("\\v", "\u{b}"),
            ("\\u{212a}", "\u{212a}"),
            ("\\u{17f}", "\u{17f}"),
            ("\u{1}", "\\"),
        ];
        let replace = |text: String, (mark, meant): &(&str, &str)| text.replace(mark, meant);
        marks.iter().fold(text.to_owned(), replace)
    }

    /// How many of the cases are as they should be, and those that are not.
    fn failed(cases: &str) -> (usize, Vec<String>) {
        let lines = cases.lines().filter(|line| !line.starts_with('#'));
        let mut failed = Vec::new();
        let mut count = 0;
        for line in lines {
            let (verdict, text) = line.split_once('\t').expect("a tab");
            let text = unescaped(text);
            count += 1;
            let own = rule_of(&judged_with(&text, &session(Engine::CockroachDb)));
            let wanted = match verdict {
                "pass" => None,
                "refuse" => Some(Rule::EngineSyntax),
                other => panic!("{other}"),
            };
            // What it refuses for is this alone: before a Postgres it passes.
            let usual = rule_of(&judged_with(&text, &session(Engine::YugabyteDb)));
            if own != wanted || usual.is_some() {
                failed.push(format!("{text:?}: {own:?}, before a Postgres {usual:?}"));
            }
        }
        (count, failed)
    }

    #[test]
    fn what_both_read_alike_passes_and_nothing_else() {
        let (count, failed) = failed(include_str!("../../../tests/data/engines/texts.tsv"));
        assert!(failed.is_empty(), "{failed:#?} of {count}");
    }

    #[test]
    fn held_out_texts() {
        let cases = include_str!("../../../tests/data/engines/held_out_texts.tsv");
        let (count, failed) = failed(cases);
        assert!(failed.is_empty(), "{failed:#?} of {count}");
    }

    #[test]
    fn what_only_the_engine_reads_is_refused_as_before() {
        for sql in [
            "SELECT * FROM t AS OF SYSTEM TIME '-10s'",
            "SELECT * FROM [DELETE FROM t RETURNING *]",
            "SELECT * FROM t@i",
            "SET CLUSTER SETTING a = 1",
            "UPSERT INTO t VALUES (1)",
            "SELECT 1:::int",
            "EXPERIMENTAL SCRUB TABLE t",
        ] {
            let rule = rule_of(&judged_with(sql, &session(Engine::CockroachDb)));
            assert_eq!(rule, Some(Rule::SyntaxError), "{sql}");
        }
    }

    #[test]
    fn functions_of_engines_are_not_known() {
        for (engine, call) in [
            (Engine::CockroachDb, "crdb_internal.force_panic('x')"),
            (
                Engine::CockroachDb,
                "crdb_internal.unsafe_delete_descriptor(1)",
            ),
            (Engine::CockroachDb, "unique_rowid()"),
            (Engine::YugabyteDb, "yb_cancel_transaction('x')"),
            (
                Engine::YugabyteDb,
                "yb_increment_all_db_catalog_versions(true)",
            ),
            (Engine::Aurora, "aws_s3.query_export_to_s3('SELECT 1', 'b')"),
            (Engine::Aurora, "aws_lambda.invoke('f', '{}')"),
            (Engine::Aurora, "aurora_stat_reset_wal_cache()"),
            (Engine::Citus, "run_command_on_workers('SELECT 1')"),
            (
                Engine::Citus,
                "master_run_on_worker('{a}', '{1}', '{x}', true)",
            ),
        ] {
            let rule = rule_of(&judged_with(&format!("SELECT {call}"), &session(engine)));
            assert_eq!(rule, Some(Rule::UnknownFunction), "{call}");
        }
    }

    #[test]
    fn a_verdict_before_one_engine_is_none_before_another() {
        let gate = gate(Policy::agent());
        let sql = "SELECT B'01'";
        let mut names = session(Engine::Postgres);
        let basis = names.basis();
        assert_eq!(rule_of(&gate.judge(sql.into(), &names)), None);
        names.set_engine(Engine::CockroachDb);
        assert_ne!(names.basis(), basis);
        let rule = rule_of(&gate.judge(sql.into(), &names));
        assert_eq!(rule, Some(Rule::EngineSyntax));
    }
}
