//! Which values a setting may take.

use std::borrow::Cow;
use std::fmt;

use super::setting_value;

/// The values that a policy accepts for one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueRule {
    /// Whatever the server accepts: the setting cannot hurt.
    Any,
    /// Only true, in any spelling.
    OnlyOn,
    /// Only false, in any spelling.
    OnlyOff,
    /// True or false.
    Boolean,
    /// Only UTF8, in any spelling.
    OnlyUtf8,
    /// One of these words, upper and lower case alike.
    OneOf(Vec<String>),
    /// A whole number within bounds.
    Integer {
        /// The smallest value accepted.
        min: i64,
        /// The largest value accepted.
        max: i64,
    },
    /// A list of schemas in which pg_catalog, where it is named, comes first: nothing may stand
    /// before the built-in functions that the gate knows.
    SearchPath,
    /// A duration of at most so many milliseconds (zero: no bound). A longer one is lowered.
    AtMost {
        /// The bound.
        ms: u64,
    },
    /// An amount of memory, or a number that is not negative. A larger one is lowered.
    UpTo {
        /// The bound.
        most: SettingAmount,
    },
}

/// What a value is lowered to, in a unit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingAmount {
    /// Milliseconds.
    Milliseconds(u64),
    /// Memory, in kB, as the server counts it where no unit is written.
    Kibibytes(u64),
    /// Of whatever the setting counts.
    Number(u64),
}

/// A value as a client gave it.
#[derive(Clone, Copy)]
pub enum SettingValue<'v> {
    /// One text that Postgres splits itself where the setting is a list.
    Text(&'v str),
    /// The parts of a SET, already apart.
    Parts(&'v [Cow<'v, str>]),
}

/// What is to be done with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueVerdict {
    /// It may be set.
    Passes,
    /// It asks for more than the policy allows: this is set instead.
    Lowered {
        /// The bound of the policy.
        to: SettingAmount,
    },
    /// It may not be set.
    Refused,
}

impl ValueRule {
    /// Judges a value.
    pub fn judge(&self, value: SettingValue<'_>) -> ValueVerdict {
        let accepted = match self {
            Self::Any => true,
            Self::OnlyOn => value.single().and_then(setting_value::boolean) == Some(true),
            Self::OnlyOff => value.single().and_then(setting_value::boolean) == Some(false),
            Self::Boolean => value.single().and_then(setting_value::boolean).is_some(),
            Self::OnlyUtf8 => value.single().is_some_and(setting_value::is_utf8),
            Self::OneOf(words) => value
                .single()
                .is_some_and(|text| words.iter().any(|word| word.eq_ignore_ascii_case(text))),
            Self::Integer { min, max } => value
                .single()
                .and_then(setting_value::integer)
                .is_some_and(|number| (*min..=*max).contains(&number)),
            Self::SearchPath => value.keeps_catalog_first(),
            Self::AtMost { ms } => return at_most(*ms, value),
            Self::UpTo { most } => return up_to(*most, value),
        };
        if accepted {
            ValueVerdict::Passes
        } else {
            ValueVerdict::Refused
        }
    }

    /// Whether every value that the server takes for the setting `name` (in lower case) passes, so
    /// that one that is only known while the statement runs may be set unseen. A setting that the
    /// server does not hold to true and false is not taken for one, whatever the policy says.
    pub fn leaves_it_to_server(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Boolean => setting_value::is_boolean(name),
            Self::OnlyOn
            | Self::OnlyOff
            | Self::OnlyUtf8
            | Self::OneOf(_)
            | Self::Integer { .. }
            | Self::SearchPath
            | Self::AtMost { .. }
            | Self::UpTo { .. } => false,
        }
    }
}

impl fmt::Display for ValueRule {
    /// What the rule accepts, as the end of the sentence "it accepts …".
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => formatter.write_str("any value"),
            Self::OnlyOn => formatter.write_str("only on"),
            Self::OnlyOff => formatter.write_str("only off"),
            Self::Boolean => formatter.write_str("on or off"),
            Self::OnlyUtf8 => formatter.write_str("only UTF8"),
            Self::OneOf(words) => write!(formatter, "one of {}", words.join(", ")),
            Self::Integer { min, max } => write!(formatter, "a whole number from {min} to {max}"),
            Self::SearchPath => {
                formatter.write_str("schemas, pg_catalog first where it or pg_temp is named")
            }
            Self::AtMost { ms: 0 } => formatter.write_str("a duration"),
            Self::AtMost { ms } => write!(formatter, "a duration of at most {ms} ms"),
            Self::UpTo { most } => write!(formatter, "at most {most}"),
        }
    }
}

impl SettingAmount {
    /// As a value of a setting is written.
    pub fn written(self) -> String {
        match self {
            Self::Milliseconds(number) | Self::Number(number) => number.to_string(),
            Self::Kibibytes(number) => format!("{number}kB"),
        }
    }
}

impl fmt::Display for SettingAmount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Milliseconds(number) => write!(formatter, "{number} ms"),
            Self::Kibibytes(number) => write!(formatter, "{number} kB"),
            Self::Number(number) => write!(formatter, "{number}"),
        }
    }
}

impl<'v> SettingValue<'v> {
    /// The truth value that it is to the server; none where it is no such value.
    pub fn truth(self) -> Option<bool> {
        self.single().and_then(setting_value::boolean)
    }

    fn single(self) -> Option<&'v str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Parts([part]) => Some(part),
            Self::Parts(_) => None,
        }
    }

    fn keeps_catalog_first(self) -> bool {
        match self {
            Self::Text(text) => setting_value::identifiers(text)
                .is_some_and(|names| catalog_first(names.iter().map(String::as_str))),
            Self::Parts(parts) => catalog_first(parts.iter().map(AsRef::as_ref)),
        }
    }
}

impl fmt::Debug for SettingValue<'_> {
    /// Without the value: it is a literal of the client.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SettingValue(…)")
    }
}

/// Whether pg_catalog is not behind another, and pg_temp not where it can become the first schema:
/// there current_schema() makes the session's temporary schema, which is a write that a read-only
/// transaction lets through.
fn catalog_first<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    let first = names.next();
    let hides = |name: &str| match first {
        Some("pg_catalog") => name == "pg_catalog",
        _ => matches!(name, "pg_catalog" | "pg_temp"),
    };
    first != Some("pg_temp") && !names.any(hides)
}

fn at_most(ms: u64, value: SettingValue<'_>) -> ValueVerdict {
    match value.single().and_then(setting_value::milliseconds) {
        None => ValueVerdict::Refused,
        Some(_) if ms == 0 => ValueVerdict::Passes,
        Some(asked) if asked == 0 || asked > ms => ValueVerdict::Lowered {
            to: SettingAmount::Milliseconds(ms),
        },
        Some(_) => ValueVerdict::Passes,
    }
}

/// Below its bound a value may have a fraction; the server says itself what is too little.
fn up_to(most: SettingAmount, value: SettingValue<'_>) -> ValueVerdict {
    let single = value.single();
    let fits = match most {
        SettingAmount::Milliseconds(most) => single
            .and_then(setting_value::milliseconds)
            .map(|asked| asked <= most),
        SettingAmount::Kibibytes(most) => single
            .and_then(setting_value::kibibytes)
            .map(|asked| asked <= most),
        SettingAmount::Number(most) => {
            single.and_then(|text| setting_value::is_at_most(text, most))
        }
    };
    match fits {
        None => ValueVerdict::Refused,
        Some(true) => ValueVerdict::Passes,
        Some(false) => ValueVerdict::Lowered { to: most },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &ValueRule, text: &str, wanted: ValueVerdict) {
        assert_eq!(
            rule.judge(SettingValue::Text(text)),
            wanted,
            "{rule}: {text}"
        );
    }

    #[test]
    fn each_rule_accepts_its_values_only() {
        use ValueVerdict::{Passes, Refused};
        check(&ValueRule::Any, "x", Passes);
        check(&ValueRule::OnlyOn, "TRUE", Passes);
        check(&ValueRule::OnlyOn, "off", Refused);
        check(&ValueRule::OnlyOff, "0", Passes);
        check(&ValueRule::OnlyOff, "on", Refused);
        check(&ValueRule::Boolean, "yes", Passes);
        check(&ValueRule::Boolean, "maybe", Refused);
        check(&ValueRule::OnlyUtf8, "'utf-8'", Passes);
        check(&ValueRule::OnlyUtf8, "SJIS", Refused);
        let words = ValueRule::OneOf(vec!["hex".into(), "escape".into()]);
        check(&words, "HEX", Passes);
        check(&words, "base64", Refused);
        let digits = ValueRule::Integer { min: -15, max: 3 };
        check(&digits, "3", Passes);
        check(&digits, "-15", Passes);
        check(&digits, "4", Refused);
        check(&digits, "3.0", Refused);
    }

    #[test]
    fn only_rules_without_a_restriction_leave_a_value_to_the_server() {
        assert!(ValueRule::Any.leaves_it_to_server("timezone"));
        assert!(ValueRule::Boolean.leaves_it_to_server("jit"));
        assert!(ValueRule::Boolean.leaves_it_to_server("enable_seqscan"));
        // These take more than true and false.
        for name in ["synchronous_commit", "work_mem", "search_path", "app.flag"] {
            assert!(!ValueRule::Boolean.leaves_it_to_server(name), "{name}");
        }
        for rule in [
            ValueRule::OnlyOn,
            ValueRule::OnlyOff,
            ValueRule::OnlyUtf8,
            ValueRule::OneOf(vec!["on".into()]),
            ValueRule::Integer { min: 0, max: 1 },
            ValueRule::SearchPath,
            ValueRule::AtMost { ms: 0 },
        ] {
            assert!(!rule.leaves_it_to_server("jit"), "{rule}");
        }
    }

    #[test]
    fn nothing_stands_before_the_catalog() {
        use ValueVerdict::{Passes, Refused};
        for text in [
            "",
            "public",
            "pg_catalog",
            "pg_catalog, public",
            "\"$user\", public",
            "pg_catalog, pg_temp",
            "pg_catalog, public, pg_temp",
        ] {
            check(&ValueRule::SearchPath, text, Passes);
        }
        for text in [
            "evil, pg_catalog",
            "evil,PG_CATALOG",
            "a, \"pg_catalog\"",
            "a b",
            "pg_temp",
            "PG_TEMP, public",
            "\"pg_temp\", pg_catalog",
            "public, pg_temp",
        ] {
            check(&ValueRule::SearchPath, text, Refused);
        }
        let parts = [Cow::Borrowed("a, pg_catalog"), Cow::Borrowed("b")];
        assert_eq!(
            ValueRule::SearchPath.judge(SettingValue::Parts(&parts)),
            Passes
        );
        let parts = [Cow::Borrowed("evil"), Cow::Borrowed("pg_catalog")];
        assert_eq!(
            ValueRule::SearchPath.judge(SettingValue::Parts(&parts)),
            Refused
        );
    }

    #[test]
    fn a_longer_duration_is_lowered_and_no_bound_is_the_longest() {
        use ValueVerdict::{Lowered, Passes, Refused};
        let rule = ValueRule::AtMost { ms: 30_000 };
        check(&rule, "30s", Passes);
        check(&rule, "1", Passes);
        let to = SettingAmount::Milliseconds(30_000);
        check(&rule, "31s", Lowered { to });
        check(&rule, "0", Lowered { to });
        check(&rule, "1us", Lowered { to });
        check(&rule, "-1", Refused);
        check(&ValueRule::AtMost { ms: 0 }, "0", Passes);
    }

    #[test]
    fn more_memory_and_larger_numbers_are_lowered() {
        use ValueVerdict::{Lowered, Passes, Refused};
        let to = SettingAmount::Kibibytes(262_144);
        let rule = ValueRule::UpTo { most: to };
        for text in [
            "256MB", "262144", "4MB", " 64 kB ", "0.25GB", "1.5MB", "0", "99B",
        ] {
            check(&rule, text, Passes);
        }
        for text in [
            "257MB",
            "262145",
            "1GB",
            "1TB",
            "268435457B",
            "99999GB",
            "2147483648TB",
        ] {
            check(&rule, text, Lowered { to });
        }
        for text in [
            "-1",
            "1mb",
            "0x10",
            "010",
            "",
            "MB",
            "1e3",
            "4 MB MB",
            "4\u{a0}MB",
        ] {
            check(&rule, text, Refused);
        }
        let to = SettingAmount::Number(4);
        let rule = ValueRule::UpTo { most: to };
        for text in ["4", "0", "3.5", " 2 "] {
            check(&rule, text, Passes);
        }
        for text in ["5", "4.1", "99999999999999999999"] {
            check(&rule, text, Lowered { to });
        }
        for text in ["-1", "x", "0x4", "4MB", "", "inf", "nan"] {
            check(&rule, text, Refused);
        }
    }
}
