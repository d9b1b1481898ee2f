//! Templates: expressions of Postgres with places for the arguments of a foreign function.
//!
//! `{1}` is the first argument as it is written; a letter after the number asks for more: `{1!}`
//! can stand beside any operator, `{1@}` is a point in time, `{1d}` a date, `{1t}` text, `{1n}`
//! a `numeric`, `{1f}` a `double precision`, `{1j}` JSON, `{1b}` a condition. `{2*}` are all
//! arguments from the second on, `{~}` is what follows the call (FILTER, OVER); where the template
//! does not name it, it follows the whole.

use super::call::{CallArgument, CallReplacement, ForeignCall, least_confidence};
use crate::repair::Confidence;

/// Fills a template for a call; none where an argument is nothing that fits.
pub fn fill_template(template: &str, call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let mut text = String::new();
    let mut confidence = Confidence::Exact;
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (place, after) = after.split_once('}')?;
        let argument = filled(place, call)?;
        text.push_str(&argument.text);
        confidence = least_confidence(confidence, argument.confidence);
        rest = after;
    }
    text.push_str(rest);
    if !template.contains("{~}") {
        text.push_str(&call.tail()?);
    }
    Some(CallReplacement {
        text,
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
    let digits = place.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let number: usize = digits.parse().ok()?;
    match place.strip_prefix(digits)? {
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
