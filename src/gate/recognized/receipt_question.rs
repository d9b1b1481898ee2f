//! `SHOW pgsieve.receipt`, by which a client asks for the receipt of its last statement.
//!
//! No server knows the setting. What goes upstream is a SELECT of one NULL under the setting's
//! name, in the order, the transaction and the formats of any other statement; the session puts the
//! receipt into its row. Whoever sends that SELECT asks the same.

use crate::context::{JudgeContext, TextOrigin};
use crate::rules::RuleResult;
use crate::{Refusal, Rule};
use ground::sqlstate;
use policy::mask_key::RECEIPT;
use sql::edit::TextEdit;
use sql::lexer::tokens;

/// Whether a SHOW of this setting asks for a receipt.
pub(crate) fn is_asked_by(setting: &str) -> bool {
    setting.eq_ignore_ascii_case(RECEIPT)
}

/// Whether a text is the one that runs in the place of the question.
pub(crate) fn is_question(text: &str) -> bool {
    if !text.contains(RECEIPT) {
        return false;
    }
    let words = |text| {
        let shown = tokens(text).filter(|token| !token.kind.is_blank());
        shown.map(move |token| text.get(token.span).unwrap_or_default())
    };
    let mut own = words(text);
    words(QUESTION_TEXT).all(|word| own.next() == Some(word)) && own.all(|word| word == ";")
}

/// Notes that the question's text runs in the place of a SHOW. The result is judged again.
///
/// # Errors
/// It is not alone in its message.
pub(crate) fn put_in(context: &mut JudgeContext<'_>) -> RuleResult {
    if context.statements > 1 || context.text_origin != TextOrigin::Own {
        return Err(not_alone());
    }
    let from = context.statement.start;
    let own = context
        .text
        .get(context.statement.clone())
        .unwrap_or_default();
    let mut shown = tokens(own).filter(|token| !token.kind.is_blank());
    let Some(first) = shown.next() else {
        return Err(not_alone());
    };
    let last = shown
        .filter(|token| own.get(token.span.clone()) != Some(";"))
        .last();
    let last = last.map_or(first.span.end, |last| last.span.end);
    context.edits.push(TextEdit {
        span: from + first.span.start..from + last,
        replacement: QUESTION_TEXT.to_owned(),
    });
    context.is_own_question = true;
    Ok(())
}

fn not_alone() -> Box<Refusal> {
    Refusal::new(
        Rule::Settings,
        "SHOW pgsieve.receipt stands in a message with other statements",
        "Send it by itself, behind the statement that the receipt is wanted of.",
    )
    .with_sqlstate(sqlstate::FEATURE_NOT_SUPPORTED)
    .about(format_args!("{RECEIPT}"))
}

/// Its LIMIT keeps the policy from adding one.
const QUESTION_TEXT: &str = "SELECT NULL::pg_catalog.text AS \"pgsieve.receipt\" LIMIT 1";

#[cfg(test)]
mod tests {
    use crate::{Gate, SessionNames, Verdict};
    use policy::Policy;
    use sql::fingerprint::Fingerprinter;
    use std::sync::Arc;

    fn gate(policy: Policy) -> Gate {
        Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]))
    }

    #[test]
    fn a_show_of_the_receipt_becomes_the_question() {
        let gate = gate(Policy::agent());
        let names = SessionNames::of_no_database();
        for text in [
            "SHOW pgsieve.receipt",
            "show Pgsieve.RECEIPT;",
            " /* of the chart */ SHOW \"pgsieve\".receipt -- now",
        ] {
            let judgement = gate.judge(text.into(), &names);
            let Verdict::Clamped(clamp) = judgement.verdict else {
                panic!("{text}");
            };
            assert!(!clamp.is_lowered && clamp.notice.is_none(), "{text}");
            let judged = gate.judge(clamp.text.as_str().into(), &names);
            assert!(judged.facts.asks_receipt, "{}", clamp.text);
            assert!(matches!(judged.verdict, Verdict::Permitted(_)));
        }
        for text in [
            "SELECT NULL::text AS \"pgsieve.receipt\"",
            "SELECT 1 AS \"pgsieve.receipt\" LIMIT 1",
            "SHOW server_version",
        ] {
            assert!(
                !gate.judge(text.into(), &names).facts.asks_receipt,
                "{text}"
            );
        }
    }

    #[test]
    fn it_stands_alone() {
        let gate = gate(Policy::bi());
        for text in [
            "SHOW pgsieve.receipt; SHOW pgsieve.receipt",
            "SELECT 1; SHOW pgsieve.receipt",
            "SELECT current_setting('pgsieve.receipt')",
            "SET pgsieve.receipt = 'x'",
            "RESET pgsieve.receipt",
            "SELECT set_config('pgsieve.receipt', 'x', false)",
        ] {
            let judgement = gate.judge(text.into(), &SessionNames::of_no_database());
            assert!(matches!(judgement.verdict, Verdict::Refused(_)), "{text}");
        }
    }
}
