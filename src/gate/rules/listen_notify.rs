//! `listen_notify`: LISTEN and NOTIFY.
//!
//! # Sees
//! NOTIFY, and LISTEN where `statements.listen` is `refuse`. `pg_notify()` is `function_effects`.
//!
//! # Why
//! NOTIFY reaches other sessions, in a read-only transaction too; LISTEN is a state of the server
//! session that would be left for its next user, brings payloads that no rule has seen, and while
//! its transaction is open holds the server's queue of notifications back.
//!
//! No code of an error makes a listener give up: lib/pq's Listener, PostgREST and graphile-worker
//! connect and try again for ever, whatever a refusal says. So where `statements.listen` is
//! `ignore`, what goes upstream is UNLISTEN of the same channel, which does nothing; the client
//! gets the tag that it waits for and a NOTICE that no notification will come.
//!
//! # Before
//! - `NOTIFY jobs, 'run'`
//! - `LISTEN jobs` (strict)
//!
//! # After
//! - `UNLISTEN *`
//!
//! # When not
//! UNLISTEN passes: drivers send it when they reset a session.

use crate::context::{JudgeContext, TextOrigin};
use crate::rules::{RuleResult, node_unknown};
use crate::{Refusal, Rule, StatementKind};
use catalog::quoted;
use policy::ListenChoice;
use sql::edit::TextEdit;
use sql::lexer::{TokenKind, tokens};
use sql::tree::Node;

/// LISTEN, where the policy has it ignored: it becomes an UNLISTEN, which is judged again.
pub(crate) fn check(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    let Node::ListenStmt(listen) = node else {
        return Err(node_unknown::refusal(node));
    };
    let refused = || refusal(node, StatementKind::Listen);
    let is_ignored = context.policy.statements().listen == ListenChoice::Ignore;
    // A body or a literal is no text that anything could be put into.
    if !is_ignored || context.text_origin != TextOrigin::Own {
        return Err(refused());
    }
    let own = context
        .text
        .get(context.statement.clone())
        .unwrap_or_default();
    let mut words = tokens(own).filter(|token| !token.kind.is_blank());
    let verb = words.next().filter(|token| {
        let word = own.get(token.span.clone()).unwrap_or_default();
        token.kind == TokenKind::Word && word.eq_ignore_ascii_case("listen")
    });
    let at = verb.ok_or_else(refused)?.span.start + context.statement.start;
    context.edits.push(TextEdit {
        span: at..at,
        replacement: "UN".to_owned(),
    });
    context.listens.push(context.index);
    let channel = quoted(listen.conditionname().unwrap_or_default());
    context.add_notice(format_args!(
        "LISTEN {channel} is ignored: no notification will come"
    ));
    Ok(())
}

/// Whether the statement at hand is a LISTEN that runs as UNLISTEN.
pub(crate) fn is_lowered(context: &JudgeContext<'_>) -> bool {
    context.listens.last() == Some(&context.index)
}

pub(crate) fn refusal(node: Node<'_>, kind: StatementKind) -> Box<Refusal> {
    let (verb, channel) = match node {
        Node::NotifyStmt(notify) => ("NOTIFY", notify.conditionname()),
        Node::ListenStmt(listen) => ("LISTEN", listen.conditionname()),
        _ => ("LISTEN", None),
    };
    let channel = quoted(channel.unwrap_or_default());
    Refusal::new(
        Rule::ListenNotify,
        &format!("{verb} {channel} is not allowed: notifications are not forwarded"),
        "Ask again with a SELECT from time to time; UNLISTEN is accepted.",
    )
    .about(format_args!("{}", kind.name()))
}

#[cfg(test)]
mod tests {
    use crate::rules::check::{check, check_bi, check_strict, gate};
    use crate::{Gate, Rule, SessionNames, Verdict};
    use policy::Policy;

    #[test]
    fn notifications_are_seen() {
        check(
            Rule::ListenNotify,
            &["NOTIFY a", "NOTIFY a, 'x'"],
            &["UNLISTEN a", "UNLISTEN *"],
        );
        check_bi(Rule::ListenNotify, &["LISTEN a; NOTIFY a"], &[]);
        check_strict(
            Rule::ListenNotify,
            &[
                "LISTEN a",
                "LISTEN \"A b\"",
                "NOTIFY a",
                "LISTEN a; SELECT 1",
            ],
            &["UNLISTEN a"],
        );
    }

    /// What runs in the place of a text, what is told, and which of its statements are LISTEN.
    fn lowered(gate: &Gate, text: &str) -> (String, String, Vec<u32>) {
        let names = SessionNames::of_no_database();
        let Verdict::Clamped(clamp) = gate.judge(text.into(), &names).verdict else {
            panic!("{text}");
        };
        let again = gate.judge(clamp.text.as_str().into(), &names).verdict;
        assert!(matches!(again, Verdict::Permitted(_)), "{text}");
        (clamp.text, clamp.notice.unwrap_or_default(), clamp.listens)
    }

    #[test]
    fn what_is_ignored_listens_to_nothing() {
        for gate in [gate(Policy::agent()), gate(Policy::bi())] {
            for (text, runs, listens) in [
                ("LISTEN jobs", "UNLISTEN jobs", vec![0]),
                (
                    "/* x */ listen \"Jobs\" ; -- x",
                    "/* x */ UNlisten \"Jobs\" ; -- x",
                    vec![0],
                ),
                (
                    "BEGIN; LISTEN a; LISTEN listen; COMMIT",
                    "BEGIN; UNLISTEN a; UNLISTEN listen; COMMIT",
                    vec![1, 2],
                ),
            ] {
                let (own, notice, marked) = lowered(&gate, text);
                assert_eq!((&*own, marked), (runs, listens), "{text}");
                assert!(
                    notice.ends_with("is ignored: no notification will come"),
                    "{notice}"
                );
            }
        }
        let (_, notice, _) = lowered(&gate(Policy::agent()), "LISTEN \"A b\"");
        assert_eq!(
            notice,
            "LISTEN \"A b\" is ignored: no notification will come"
        );
    }

    #[test]
    fn lists_of_kinds_hold() {
        let denies = crate::rules::check::agent_with(
            &[("\nstatements:\n", "\nstatements:\n  deny: [listen]\n")],
            "",
        );
        let names = SessionNames::of_no_database();
        let verdict = gate(denies).judge("LISTEN a".into(), &names).verdict;
        let Verdict::Refused(refusal) = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(refusal.rule, Rule::StatementDenied);
    }
}
