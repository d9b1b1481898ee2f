//! Whether a client wants to hear notices: what `client_min_messages` is, as far as it is known.
//!
//! The server does not tell. What a client sets is followed; wherever that leaves a doubt, notices
//! count as wanted.

use crate::gate::{Facts, SessionEffect, SettingScope, StatementKind};
use crate::sql::lexer;

/// What is known.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ClientMinMessages {
    /// What RESET returns to.
    first: NoticeLevel,
    /// What holds outside of the open transaction, and again after a ROLLBACK.
    base: NoticeLevel,
    now: NoticeLevel,
    /// What COMMIT would leave, where that was set.
    committing: Option<NoticeLevel>,
    fate: TransactionDoubt,
}

/// A value of the setting.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum NoticeLevel {
    /// Notices are wanted, or it is not known that they are not.
    #[default]
    Loud,
    /// They are not wanted.
    Quiet,
    /// Nor are warnings.
    Mute,
}

/// What a statement does to the setting, once it has succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoticeLevelChange {
    to: NoticeLevelTarget,
    scope: SettingScope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoticeLevelTarget {
    Level(NoticeLevel),
    First,
}

/// What will have become of the open transaction.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum TransactionDoubt {
    #[default]
    Kept,
    /// Something failed, or a part was rolled back.
    InDoubt,
}

impl ClientMinMessages {
    /// What a session begins with.
    pub fn at_startup(parameters: &[(String, String)]) -> Self {
        let mut named = parameters.iter().filter(|(name, _)| name == SETTING);
        let first = named.next_back();
        let first = first.map_or(NoticeLevel::Loud, |(_, value)| NoticeLevel::of(value));
        Self {
            first,
            base: first,
            now: first,
            ..Self::default()
        }
    }

    /// Whether notices are certainly not wanted.
    pub fn is_quiet(&self) -> bool {
        self.now != NoticeLevel::Loud
    }

    /// Whether warnings are certainly not wanted either.
    pub fn is_mute(&self) -> bool {
        self.now == NoticeLevel::Mute
    }

    /// A statement has succeeded.
    pub fn succeeded(&mut self, kind: StatementKind, change: Option<NoticeLevelChange>) {
        if let Some(NoticeLevelChange { to, scope }) = change {
            self.now = match to {
                NoticeLevelTarget::Level(level) => level,
                NoticeLevelTarget::First => self.first,
            };
            if scope == SettingScope::Session {
                self.committing = Some(self.now);
            }
        }
        if matches!(kind, StatementKind::Rollback) {
            self.failed();
        }
    }

    /// Something has failed, or was taken back: with it, perhaps, what was set before.
    pub fn failed(&mut self) {
        if self.is_moving() {
            self.fate = TransactionDoubt::InDoubt;
            self.now = NoticeLevel::Loud;
        }
    }

    /// No transaction is open any more.
    pub fn idle(&mut self) {
        match (self.committing.take(), self.fate) {
            (Some(committed), TransactionDoubt::Kept) => self.base = committed,
            (Some(committed), TransactionDoubt::InDoubt) if committed != self.base => {
                self.base = NoticeLevel::Loud
            }
            (Some(_), TransactionDoubt::InDoubt) | (None, _) => {}
        }
        self.now = self.base;
        self.fate = TransactionDoubt::Kept;
    }

    fn is_moving(&self) -> bool {
        self.committing.is_some() || self.now != self.base
    }
}

impl NoticeLevel {
    fn of(value: &str) -> Self {
        let is = |name: &&str| value.eq_ignore_ascii_case(name);
        if ["error", "fatal", "panic"].iter().any(is) {
            Self::Mute
        } else if is(&"warning") {
            Self::Quiet
        } else {
            Self::Loud
        }
    }
}

impl NoticeLevelChange {
    /// What a text does to the setting, if anything.
    pub fn of(text: &str, facts: &Facts) -> Option<Self> {
        let effects = &facts.effects;
        if effects
            .iter()
            .any(|effect| matches!(effect, SessionEffect::DiscardAll))
        {
            return Some(FIRST);
        }
        let is_touched = |effect: &SessionEffect| matches!(effect, SessionEffect::SettingsTouched);
        if !effects.iter().any(is_touched) {
            return None;
        }
        let words = tokens(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["set", "local", SETTING, "to" | "=", value] => {
                Some(to(value, SettingScope::Transaction))
            }
            ["set", SETTING, "to" | "=", value]
            | ["set", "session", SETTING, "to" | "=", value] => {
                Some(to(value, SettingScope::Session))
            }
            ["reset", SETTING | "all"] => Some(FIRST),
            [
                "select",
                "set_config",
                "(",
                SETTING,
                ",",
                value,
                ",",
                is_local,
                ")",
            ] => match *is_local {
                "false" => Some(to(value, SettingScope::Session)),
                "true" => Some(to(value, SettingScope::Transaction)),
                _ => Some(UNKNOWN),
            },
            _ if cannot_name_it(text, facts) => None,
            _ => Some(UNKNOWN),
        }
    }
}

/// Whether a text that sets something sets something else.
fn cannot_name_it(text: &str, facts: &Facts) -> bool {
    let mentions = |word: &str| {
        let (text, word) = (text.as_bytes(), word.as_bytes());
        (text.windows(word.len())).any(|window| window.eq_ignore_ascii_case(word))
    };
    let is_spelled_out = !text.contains('\\') && !mentions("u&");
    let is_set = matches!(facts.kind, StatementKind::Set | StatementKind::Reset);
    is_spelled_out && !mentions(SETTING) && (is_set || mentions("set_config"))
}

/// The tokens of a short text in lower case, literals and names without their quotes.
fn tokens(text: &str) -> Vec<String> {
    let tokens = lexer::tokens(text).filter(|token| !token.kind.is_blank());
    let words = tokens.take(WORDS_MAX).map(|token| {
        let word = text.get(token.span).unwrap_or_default();
        word.trim_matches(['\'', '"']).to_ascii_lowercase()
    });
    let mut words: Vec<String> = words.collect();
    if words.last().is_some_and(|last| last == ";") {
        words.pop();
    }
    words
}

fn to(value: &str, scope: SettingScope) -> NoticeLevelChange {
    let to = match value {
        "default" => NoticeLevelTarget::First,
        value => NoticeLevelTarget::Level(NoticeLevel::of(value)),
    };
    NoticeLevelChange { to, scope }
}

const FIRST: NoticeLevelChange = NoticeLevelChange {
    to: NoticeLevelTarget::First,
    scope: SettingScope::Session,
};

const UNKNOWN: NoticeLevelChange = NoticeLevelChange {
    to: NoticeLevelTarget::Level(NoticeLevel::Loud),
    scope: SettingScope::Session,
};

const SETTING: &str = "client_min_messages";

/// More than the longest form that is understood.
const WORDS_MAX: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{Gate, SessionNames, Verdict};
    use crate::policy::Policy;
    use crate::sql::fingerprint::Fingerprinter;
    use std::sync::Arc;

    /// Statements of a session, each succeeding, and whether it is quiet at the end. `;` ends a
    /// transaction, `!` is something that fails.
    fn check(script: &[&str], quiet: bool) {
        let gate = Gate::new(Arc::new(Policy::bi()), Fingerprinter::new(None, [7; 32]));
        let mut client_min_messages = ClientMinMessages::default();
        for text in script {
            match *text {
                ";" => client_min_messages.idle(),
                "!" => client_min_messages.failed(),
                text => {
                    let judgement = gate.judge(text.into(), &SessionNames::of_no_database());
                    assert!(matches!(judgement.verdict, Verdict::Permitted(_)), "{text}");
                    let change = NoticeLevelChange::of(text, &judgement.facts);
                    client_min_messages.succeeded(judgement.facts.kind, change);
                }
            }
        }
        assert_eq!(client_min_messages.is_quiet(), quiet, "{script:?}");
    }

    #[test]
    fn what_is_set_is_followed() {
        for text in [
            "SET client_min_messages = warning",
            "set session Client_Min_Messages to 'ERROR';",
            "SELECT set_config('client_min_messages', 'error', false)",
        ] {
            check(&[text], true);
            check(&[text, ";"], true);
            check(&[text, ";", "SET TimeZone = 'UTC'", ";"], true);
            for end in [
                "SET client_min_messages = notice",
                "RESET client_min_messages",
                "SET client_min_messages TO DEFAULT",
                "RESET ALL",
                "DISCARD ALL",
            ] {
                check(&[text, ";", end, ";"], false);
            }
        }
        check(&["BEGIN", "SET LOCAL client_min_messages = error"], true);
        check(
            &[
                "BEGIN",
                "SET LOCAL client_min_messages = error",
                "COMMIT",
                ";",
            ],
            false,
        );
    }

    #[test]
    fn doubt_is_loud() {
        let set = "SET client_min_messages = error";
        check(&["BEGIN", set, "COMMIT", ";"], true);
        check(&["BEGIN", set, "ROLLBACK", ";"], false);
        check(&["BEGIN", set, "!"], false);
        check(&["BEGIN", set, "!", "ROLLBACK", ";"], false);
        check(&["BEGIN; SET client_min_messages = error", ";"], false);
        check(
            &[
                "SELECT set_config('client_min_messages', 'error', false) WHERE false",
                ";",
            ],
            false,
        );
        check(
            &[
                "SELECT set_config(E'client\\x5fmin_messages', 'error', false)",
                ";",
            ],
            false,
        );
    }

    #[test]
    fn a_session_may_begin_quiet() {
        let quiet = ("client_min_messages".to_owned(), "warning".to_owned());
        assert!(ClientMinMessages::at_startup(&[quiet]).is_quiet());
        assert!(!ClientMinMessages::at_startup(&[]).is_quiet());
    }
}
