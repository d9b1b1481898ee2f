//! What asks for a transaction or a session that may write, lowered to one that only reads.
//!
//! Drivers open each transaction with READ WRITE, or set `default_transaction_read_only` back to
//! off when a connection returns to its pool; what writes is refused when it comes. So, where the
//! policy says `read_write: lower`, the words become those of a session that only reads, and the
//! changed text is judged again. Nothing passes with the words that stood there: an edit that does
//! not take them away leaves a text that is lowered once more, or refused.
//!
//! What is put in takes as many characters as what stood there: the server counts places in what
//! runs, and the client in what it sent.
//! <https://www.postgresql.org/docs/current/sql-set-transaction.html>

use std::ops::Range;

use crate::context::JudgeContext;
use crate::rules::{RuleResult, settings};
use crate::{Rule, settings as setting};
use policy::{Policy, ReadWrite};
use sql::edit::TextEdit;
use sql::lexer::{Token, TokenKind, tokens};
use sql::tree::{VariableSetKind, nodes};

/// READ WRITE among the modes of a transaction, READ standing at `location`. Nobody is told: that
/// it stays what it was changes nothing until something is written.
pub(crate) fn mode(location: i32, context: &mut JudgeContext<'_>) -> RuleResult {
    if !is_lowered(context.policy) {
        return Err(setting::stays_read_only(Rule::Settings));
    }
    let mut words = words_from(context.text, location);
    match (words.next(), words.next()) {
        (Some(read), Some(write))
            if is_word(context.text, &read, "read") && is_word(context.text, &write, "write") =>
        {
            replace(&write.span, "ONLY", context)
        }
        _ => Err(settings::not_lowerable()),
    }
}

/// The value of one of the two settings, where it stands in a SET.
pub(crate) fn value(name: &str, location: i32, context: &mut JudgeContext<'_>) -> RuleResult {
    let (kind, span) = literal(context.text, location).ok_or_else(settings::not_lowerable)?;
    let is_bare = matches!(
        kind,
        TokenKind::Word | TokenKind::Number | TokenKind::Operator
    );
    let word = match (is_bare, span.len()) {
        (true, 0 | 1) => "1",
        (true, _) => "on",
        // Without quotes it might grow together with the word before it.
        (false, 0..=3) => "'1'",
        (false, _) => "'on'",
    };
    replace(&span, word, context)?;
    add_notice(name, context);
    Ok(())
}

/// The same in a call of set_config, where it is a text.
pub(crate) fn text(name: &str, location: i32, context: &mut JudgeContext<'_>) -> RuleResult {
    let (_, span) = literal(context.text, location).ok_or_else(settings::not_lowerable)?;
    let word = if span.len() > 3 { "'on'" } else { "'1'" };
    replace(&span, word, context)?;
    add_notice(name, context);
    Ok(())
}

/// NULL in the place of a text in a call of set_config: the value that the session began with.
pub(crate) fn null(location: i32, context: &mut JudgeContext<'_>) -> RuleResult {
    let (_, span) = literal(context.text, location).ok_or_else(settings::not_lowerable)?;
    replace(&span, "NULL", context)
}

/// RESET of `transaction_read_only`, or its DEFAULT: of the server, not of the session, so that it
/// would be off.
pub(crate) fn reset(set: &nodes::VariableSetStmt, context: &mut JudgeContext<'_>) -> RuleResult {
    if !is_lowered(context.policy) {
        return Err(setting::stays_read_only(Rule::Settings));
    }
    let start = i32::try_from(context.statement.start).map_err(|_| settings::not_lowerable())?;
    let end = context.statement.end;
    let words = words_from(context.text, start).take_while(|word| word.span.end <= end);
    let last = words.last().ok_or_else(settings::not_lowerable)?;
    match set.kind {
        VariableSetKind::VAR_SET_DEFAULT if is_word(context.text, &last, "default") => {
            replace(&last.span, "on", context)?;
        }
        // The tag is that of RESET, and what the session began with is on.
        VariableSetKind::VAR_RESET => {
            replace(&last.span, "\"default_transaction_read_only\"", context)?;
        }
        _ => return Err(settings::not_lowerable()),
    }
    add_notice(set.name().unwrap_or_default(), context);
    Ok(())
}

/// Whether the policy has READ WRITE lowered.
pub(crate) fn is_lowered(policy: &Policy) -> bool {
    match policy.read_write() {
        ReadWrite::Lower => true,
        ReadWrite::Refuse => false,
    }
}

/// What a client is told that has set `name` to off.
pub(crate) fn notice(name: &str) -> String {
    format!("{name} stays on: this connection only reads")
}

fn add_notice(name: &str, context: &mut JudgeContext<'_>) {
    let words = notice(&name.to_ascii_lowercase());
    if !context.notice.contains(&words) {
        context.add_notice(format_args!("{words}"));
    }
}

fn replace(span: &Range<usize>, word: &str, context: &mut JudgeContext<'_>) -> RuleResult {
    // What a model says is not the client's to have changed.
    if context.trusts(Some(span.start)) {
        return Err(setting::stays_read_only(Rule::Settings));
    }
    let replaced = context.text.get(span.clone());
    let characters = replaced.map_or(0, |replaced| replaced.chars().count());
    context.edits.push(TextEdit {
        span: span.clone(),
        replacement: format!("{word:<characters$}"),
    });
    Ok(())
}

/// The literal at a place, with its sign and its UESCAPE.
fn literal(text: &str, location: i32) -> Option<(TokenKind, Range<usize>)> {
    let mut words = words_from(text, location);
    let first = words.next()?;
    let last = match first.kind {
        TokenKind::Operator => words.next()?,
        TokenKind::UnicodeString | TokenKind::UnicodeName => match words.next() {
            Some(word) if is_word(text, &word, "uescape") => words.next()?,
            _ => first.clone(),
        },
        _ => first.clone(),
    };
    Some((first.kind, first.span.start..last.span.end))
}

/// The tokens from a place on that mean something to the grammar.
fn words_from(text: &str, location: i32) -> impl Iterator<Item = Token> {
    let start = usize::try_from(location).unwrap_or(usize::MAX);
    let rest = text.get(start..).unwrap_or_default();
    let words = tokens(rest).filter(|token| !token.kind.is_blank());
    words.map(move |token| Token {
        kind: token.kind,
        span: start.saturating_add(token.span.start)..start.saturating_add(token.span.end),
    })
}

fn is_word(text: &str, token: &Token, word: &str) -> bool {
    token.kind == TokenKind::Word
        && text
            .get(token.span.clone())
            .is_some_and(|own| own.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use crate::rules::check::{agent_with, check_yaml, gate};
    use crate::{Rule, SessionNames, Verdict};
    use policy::Policy;

    /// What a text is lowered to, and what the client is told.
    fn lowered(before: &str) -> (String, Option<String>) {
        let gate = gate(Policy::agent());
        let names = SessionNames::of_no_database();
        let judgement = gate.judge(Cow::Borrowed(before), &names);
        let Verdict::Clamped(clamp) = judgement.verdict else {
            panic!("not lowered: {before}: {judgement:?}");
        };
        let again = gate.judge(Cow::Owned(clamp.text.clone()), &names);
        assert!(
            matches!(again.verdict, Verdict::Permitted(_)),
            "{before} became {}: {again:?}",
            clamp.text
        );
        (clamp.text, clamp.notice)
    }

    /// A text that nobody is told of: it only opens a transaction, or says how those to come are.
    fn silent(before: &str, after: &str) {
        assert_eq!(lowered(before), (after.to_owned(), None), "{before}");
    }

    fn told(before: &str, after: &str) {
        let name = if before.to_ascii_lowercase().contains("default_t") {
            "default_transaction_read_only"
        } else {
            "transaction_read_only"
        };
        let notice = format!("{name} stays on: this connection only reads");
        assert_eq!(
            lowered(before),
            (after.to_owned(), Some(notice)),
            "{before}"
        );
    }

    #[test]
    fn modes_of_transactions_only_read() {
        silent("BEGIN READ WRITE", "BEGIN READ ONLY ");
        silent("begin read write;", "begin read ONLY ;");
        silent(
            "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE -- x",
            "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY  -- x",
        );
        silent(
            "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE DEFERRABLE",
            "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY  DEFERRABLE",
        );
        silent(
            "BEGIN READ ONLY, READ WRITE, READ/* é */Write",
            "BEGIN READ ONLY, READ ONLY , READ/* é */ONLY ",
        );
        silent(
            "START TRANSACTION READ -- the mode\nWRITE",
            "START TRANSACTION READ -- the mode\nONLY ",
        );
        silent("SET TRANSACTION READ WRITE", "SET TRANSACTION READ ONLY ");
        silent(
            "SET LOCAL TRANSACTION READ WRITE",
            "SET LOCAL TRANSACTION READ ONLY ",
        );
        silent(
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY ",
        );
        silent(
            "/* é */ COMMIT; BEGIN READ WRITE; ROLLBACK",
            "/* é */ COMMIT; BEGIN READ ONLY ; ROLLBACK",
        );
    }

    #[test]
    fn settings_stay_on_in_every_spelling() {
        for (before, after) in [
            ("off", "on"),
            ("OFF", "on"),
            ("false", "on"),
            ("0", "1"),
            ("-0", "on"),
            ("+ 0", "on"),
            ("00", "on"),
            ("f", "1"),
            ("n", "1"),
            ("no", "on"),
            ("of", "on"),
            ("'off'", "'on'"),
            ("'f'", "'1'"),
            ("'0'", "'1'"),
            ("\"off\"", "'on'"),
            ("\"f\"", "'1'"),
            ("$$off$$", "'on'"),
            ("E'\\x6fff'", "'on'"),
            ("U&'\\006fff'", "'on'"),
            ("U&'!006fff' UESCAPE '!'", "'on'"),
            ("'o'\n'ff'", "'on'"),
        ] {
            for (head, tail) in [
                ("SET default_transaction_read_only = ", ""),
                ("SET SESSION \"Default_Transaction_Read_Only\" TO ", ";"),
                ("SET LOCAL transaction_read_only=", " -- x"),
                (
                    "SET transaction_read_only TO ",
                    "; SHOW transaction_read_only",
                ),
            ] {
                // As long as what stood there.
                let after = format!("{after:<width$}", width = before.chars().count());
                let [before, after] = [before, &after].map(|value| format!("{head}{value}{tail}"));
                told(&before, &after);
            }
        }
        told(
            "SET default_transaction_read_only TO'off'",
            "SET default_transaction_read_only TO'on' ",
        );
    }

    #[test]
    fn what_would_be_the_servers_default_is_the_sessions() {
        told(
            "SET transaction_read_only TO DEFAULT",
            "SET transaction_read_only TO on     ",
        );
        told(
            "SET LOCAL transaction_read_only = default -- x",
            "SET LOCAL transaction_read_only = on      -- x",
        );
        told(
            "RESET Transaction_Read_Only;",
            "RESET \"default_transaction_read_only\";",
        );
        told(
            "RESET/**/\"transaction_read_only\"",
            "RESET/**/\"default_transaction_read_only\"",
        );
    }

    #[test]
    fn calls_of_set_config_stay_on() {
        told(
            "SELECT set_config('default_transaction_read_only', 'off', false)",
            "SELECT set_config('default_transaction_read_only', 'on' , false)",
        );
        told(
            "SELECT set_config('Transaction_Read_Only', '0'::text, true), 1",
            "SELECT set_config('Transaction_Read_Only', '1'::text, true), 1",
        );
        told(
            "SELECT set_config('transaction_read_only', NULL, false)",
            "SELECT set_config('transaction_read_only', 'on', false)",
        );
        told(
            "PREPARE p AS SELECT 1 WHERE set_config('transaction_read_only','f',false) = $1",
            "PREPARE p AS SELECT 1 WHERE set_config('transaction_read_only','1',false) = $1",
        );
        told(
            "SELECT set_config('jit', set_config('transaction_read_only', 'off', false), false)",
            "SELECT set_config('jit', set_config('transaction_read_only', 'on' , false), false)",
        );
    }

    #[test]
    fn several_are_told_of_once_each() {
        let (text, notice) = lowered(
            "SET transaction_read_only = off; SET transaction_read_only = no; \
             SET statement_timeout = 0; BEGIN READ WRITE",
        );
        assert_eq!(
            text,
            "SET transaction_read_only = on ; SET transaction_read_only = on; \
             SET statement_timeout = '30000'; BEGIN READ ONLY "
        );
        assert_eq!(
            notice.as_deref(),
            Some(
                "transaction_read_only stays on: this connection only reads; \
                 statement_timeout is 30000 ms: policy agent allows no more"
            )
        );
    }

    #[test]
    fn a_policy_may_refuse_them() {
        const STRICT: &str = include_str!("../../../policies/strict.yaml");
        check_yaml(
            STRICT,
            Rule::Settings,
            &[
                "BEGIN READ WRITE",
                "START TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE, DEFERRABLE",
                "SET TRANSACTION READ WRITE",
                "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
                "SET default_transaction_read_only = off",
                "SET LOCAL transaction_read_only TO DEFAULT",
                "RESET transaction_read_only",
                "SELECT set_config('transaction_read_only', 'off', false)",
                "SELECT set_config('transaction_read_only', NULL, false)",
            ],
            &["BEGIN READ ONLY", "SET default_transaction_read_only = on"],
        );
        let denies = agent_with(
            &[(
                "  read_write: lower\n",
                "  read_write: lower\n  deny: [\"*_read_only\"]\n",
            )],
            "",
        );
        let denied = gate(denies);
        let names = SessionNames::of_no_database();
        let judgement = denied.judge("SET default_transaction_read_only = off".into(), &names);
        let Verdict::Refused(refusal) = judgement.verdict else {
            panic!("{judgement:?}");
        };
        assert_eq!(refusal.rule, Rule::SettingDenied);
    }
}
