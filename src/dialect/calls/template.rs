//! [Templates](crate::template) for calls in a text that Postgres reads: `{1@}` is the
//! first argument as a point in time, `{1d}` as a date, `{1t}` as text, `{1n}` as a `numeric`,
//! `{1f}` as a `double precision`, `{1j}` as JSON, `{1b}` as a condition. `{2*}` are all arguments
//! from the second on, `{~}` is what follows the call (FILTER, OVER); where the template does not
//! name it, it follows the whole.

use super::call::{CallArgument, CallReplacement, ForeignCall, least_confidence};
use crate::confidence::Confidence;
use crate::template;

/// Fills a template for a call; none where an argument is nothing that fits.
pub fn fill_template(text: &str, call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let mut confidence = Confidence::Exact;
    let filled = template::fill(text, |place| {
        let argument = filled(place, call).ok_or(())?;
        confidence = least_confidence(confidence, argument.confidence);
        Ok::<String, ()>(argument.text)
    });
    let tail = match text.contains("{~}") {
        true => String::new(),
        false => call.tail()?,
    };
    Some(CallReplacement {
        text: filled.ok()? + &tail,
        confidence,
        kind: None,
    })
}

fn filled(place: &str, call: &ForeignCall<'_, '_>) -> Option<CallArgument> {
    let plain = |text: String| CallArgument {
        text,
        confidence: Confidence::Exact,
    };
    if place == "~" {
        return call.tail().map(plain);
    }
    let (number, wanted) = template::numbered(place)?;
    match wanted {
        "" => call.text(number).map(plain),
        "!" => call.operand(number).map(plain),
        "@" => call.temporal(number),
        "d" => call.date(number),
        "t" => call.as_text(number),
        "n" => call.numeric(number),
        "f" => call.float(number),
        "j" => call.json(number),
        "b" => call.condition(number),
        "*" => {
            let all: Option<Vec<String>> = (number..=call.count())
                .map(|number| call.text(number))
                .collect();
            Some(plain(all?.join(", ")))
        }
        _ => None,
    }
}
