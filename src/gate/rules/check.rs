//! The one helper by which rules show their cases: what they see, and where they stay silent.

use std::borrow::Cow;
use std::sync::Arc;

use crate::gate::{Gate, Judgement, Rule, SessionNames, Verdict};
use crate::policy::Policy;
use crate::sql::fingerprint::Fingerprinter;

/// Under `agent`: each of `fires` is refused by exactly `rule`, none of `silent` is refused at all.
pub(in crate::gate) fn check(rule: Rule, fires: &[&str], silent: &[&str]) {
    check_gate(&gate(Policy::agent()), rule, fires, silent);
}

/// The same under `bi`.
pub(in crate::gate) fn check_bi(rule: Rule, fires: &[&str], silent: &[&str]) {
    check_gate(&gate(Policy::bi()), rule, fires, silent);
}

/// The same under a policy given as text.
pub(in crate::gate) fn check_yaml(yaml: &str, rule: Rule, fires: &[&str], silent: &[&str]) {
    check_gate(&gate(Policy::from_yaml(yaml).unwrap()), rule, fires, silent);
}

/// Under `agent`: the text is answered with a changed one, which is permitted, and told of.
pub(in crate::gate) fn clamped(before: &str, after: &str) {
    let gate = gate(Policy::agent());
    let judgement = gate.judge(Cow::Borrowed(before), &SessionNames::default());
    let Verdict::Clamped(clamp) = judgement.verdict else {
        panic!("not lowered: {before}: {judgement:?}");
    };
    assert_eq!(clamp.text, after);
    assert!(
        clamp.notice.contains(" ms: policy agent gives no more"),
        "{}",
        clamp.notice
    );
    let again = gate.judge(Cow::Owned(clamp.text), &SessionNames::default());
    assert!(matches!(again.verdict, Verdict::Permitted(_)), "{again:?}");
}

/// The verdict under `agent` for a session with these names.
pub(in crate::gate) fn judged_with<'t>(sql: &'t str, names: &SessionNames) -> Judgement<'t> {
    gate(Policy::agent()).judge(Cow::Borrowed(sql), names)
}

/// The rule that refused.
pub(in crate::gate) fn rule_of(judgement: &Judgement<'_>) -> Option<Rule> {
    match &judgement.verdict {
        Verdict::Refused(refusal) => Some(refusal.rule),
        Verdict::Permitted(_) | Verdict::Clamped(_) => None,
    }
}

/// A gate for a policy.
pub(in crate::gate) fn gate(policy: Policy) -> Gate {
    Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]))
}

fn check_gate(gate: &Gate, rule: Rule, fires: &[&str], silent: &[&str]) {
    for sql in fires {
        fires_on(gate, rule, sql);
    }
    for sql in silent {
        let judgement = gate.judge(Cow::Borrowed(sql), &SessionNames::default());
        let refusal = match &judgement.verdict {
            Verdict::Refused(refusal) => format!("{}: {}", refusal.detail, refusal.message),
            Verdict::Permitted(permit) => {
                assert_eq!(
                    permit.text(),
                    *sql,
                    "a permit holds the text that was judged"
                );
                continue;
            }
            Verdict::Clamped(_) => "lowered".to_owned(),
        };
        panic!("refused: {}: {refusal}", start(sql));
    }
}

/// The laws of a refusal, and that no dressing of the text gets around it.
fn fires_on(gate: &Gate, rule: Rule, sql: &str) {
    let dressed = [
        sql.to_owned(),
        format!("{sql};"),
        format!("/* SELECT 1; */ {sql} -- the end"),
        format!("\n\t{sql}\n;;"),
    ];
    for text in dressed {
        let names = SessionNames::default();
        let judgement = gate.judge(Cow::Borrowed(&text), &names);
        let Verdict::Refused(refusal) = &judgement.verdict else {
            panic!("not refused by {}: {}", rule.name(), start(&text));
        };
        assert_eq!(refusal.rule, rule, "{}: {}", start(&text), refusal.detail);
        let detail = format!("rule: {}", rule.name());
        assert!(refusal.detail.starts_with(&detail), "{}", refusal.detail);
        assert!(!refusal.message.is_empty() && !refusal.hint.is_empty());
        assert!(refusal.hint.ends_with('.'), "{}", refusal.hint);
        assert!(judgement.facts.effects.is_empty() && !judgement.facts.cacheable);
        assert!(!format!("{judgement:?}").contains(refusal.message.as_str()));
    }
}

fn start(sql: &str) -> String {
    sql.chars().take(200).collect()
}
