//! Whether a client wants to hear notices, whether it wants repairs and how much it hears of them,
//! on which grounding it stands, and what it wants of receipts: what `client_min_messages`,
//! `pgsieve.repairs`, `pgsieve.show_repaired`, `pgsieve.grounding`, `pgsieve.receipts`,
//! `pgsieve.receipt_nonce` and `pgsieve.min_lsn` are, as far as it is known.
//!
//! The server does not tell. What a client sets is followed; wherever that leaves a doubt, notices
//! and repairs count as wanted, and a server must have replayed the furthest position that was
//! named.

use std::num::NonZeroU64;

use super::followed_setting::{FollowedSetting, SettingChange};
use crate::gate::{Facts, SessionEffect, SettingScope, StatementKind};
use crate::hex;
use crate::lsn::Lsn;
use crate::policy::SettingValue;
use crate::policy::mask_key::{
    GROUNDING, MIN_LSN, RECEIPT_NONCE, RECEIPTS, REPAIRS, SHOW_REPAIRED,
};
use crate::policy::settings::receipt_nonce::ReceiptNonce;
use crate::sql::lexer;

/// What is known.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Most sessions leave all of them as they are.
    followed: Option<Box<FollowedSettings>>,
}

/// The settings.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FollowedSettings {
    level: FollowedSetting<NoticeLevel>,
    repairs: FollowedSetting<RepairWish>,
    show_repaired: FollowedSetting<Switch>,
    grounding: FollowedSetting<NamedGrounding>,
    receipts: FollowedSetting<Switch>,
    receipt_nonce: FollowedSetting<ReceiptNonce>,
    min_lsn: FollowedSetting<NamedLsn>,
    /// The furthest position that the client has named.
    furthest: Option<Lsn>,
    /// Whether it may have named one that is not known.
    is_lsn_unclear: bool,
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

/// Whether statements of the session are to be repaired: `pgsieve.repairs`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum RepairWish {
    /// They are, or it is not known that they are not.
    #[default]
    Wanted,
    /// The client wants its statements as they are, with the errors that they meet.
    Unwanted,
}

/// Whether the notice of a repair has the statement that ran: `pgsieve.show_repaired`; whether each
/// result is followed by its receipt: `pgsieve.receipts`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// That is not so, or it is not known that it is to be.
    #[default]
    Off,
    /// It is.
    On,
}

/// The version of the grounding that the client's prompt was made of: `pgsieve.grounding`; none
/// where it names none, or it is not known which.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct NamedGrounding(Option<NonZeroU64>);

/// What a server must have replayed for reads of the session: `pgsieve.min_lsn`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum NamedLsn {
    /// It is not known what.
    #[default]
    InDoubt,
    /// Nothing.
    None,
    /// This.
    At(Lsn),
}

/// What a statement does to these settings, once it has succeeded.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ClientSettingsChange {
    level: Option<SettingChange<NoticeLevel>>,
    repairs: Option<SettingChange<RepairWish>>,
    show_repaired: Option<SettingChange<Switch>>,
    grounding: Option<SettingChange<NamedGrounding>>,
    receipts: Option<SettingChange<Switch>>,
    receipt_nonce: Option<SettingChange<ReceiptNonce>>,
    min_lsn: Option<SettingChange<NamedLsn>>,
    /// Whether the text names the setting in a form that is not understood.
    is_lsn_unclear: bool,
}

impl ClientSettings {
    /// What a session begins with.
    pub fn at_startup(parameters: &[(String, String)]) -> Self {
        let value = |setting: &str| {
            let mut named =
                (parameters.iter()).filter(|(name, _)| name.eq_ignore_ascii_case(setting));
            named.next_back().map(|(_, value)| value.as_str())
        };
        let mut followed = FollowedSettings {
            level: FollowedSetting::beginning(value(SETTING).map(NoticeLevel::of)),
            repairs: FollowedSetting::beginning(value(REPAIRS).map(RepairWish::of)),
            show_repaired: FollowedSetting::beginning(value(SHOW_REPAIRED).map(Switch::of)),
            grounding: FollowedSetting::beginning(value(GROUNDING).map(NamedGrounding::of)),
            receipts: FollowedSetting::beginning(value(RECEIPTS).map(Switch::of)),
            receipt_nonce: FollowedSetting::beginning(value(RECEIPT_NONCE).map(nonce_of)),
            min_lsn: FollowedSetting::beginning(Some(NamedLsn::of(
                value(MIN_LSN).unwrap_or_default(),
            ))),
            furthest: None,
            is_lsn_unclear: false,
        };
        followed.note_lsn();
        let is_usual = followed == FollowedSettings::default();
        Self {
            followed: (!is_usual).then(|| Box::new(followed)),
        }
    }

    /// Whether notices are certainly not wanted.
    pub fn is_quiet(&self) -> bool {
        self.level() != NoticeLevel::Loud
    }

    /// Whether warnings are certainly not wanted either.
    pub fn is_mute(&self) -> bool {
        self.level() == NoticeLevel::Mute
    }

    /// Whether repairs are wanted, or HINTs in their place.
    pub fn repair_wish(&self) -> RepairWish {
        let followed = self.followed.as_ref();
        followed.map_or(RepairWish::Wanted, |followed| followed.repairs.now())
    }

    /// Whether the client certainly wants to see the statement that ran in the place of its own.
    pub fn shows_repaired(&self) -> bool {
        let followed = self.followed.as_ref();
        followed.is_some_and(|followed| followed.show_repaired.now() == Switch::On)
    }

    /// Whether each result is certainly to be followed by its receipt.
    pub fn wants_receipts(&self) -> bool {
        let followed = self.followed.as_ref();
        followed.is_some_and(|followed| followed.receipts.now() == Switch::On)
    }

    /// What receipts are to have in them.
    pub fn receipt_nonce(&self) -> ReceiptNonce {
        let followed = self.followed.as_ref();
        followed.map_or_else(ReceiptNonce::default, |followed| {
            followed.receipt_nonce.now()
        })
    }

    /// The version of the grounding that the client certainly stands on.
    pub fn grounding(&self) -> Option<NonZeroU64> {
        let NamedGrounding(version) = self.followed.as_ref()?.grounding.now();
        version
    }

    /// What a server must have replayed for reads of the session, as far as it is known.
    pub fn min_lsn(&self) -> Option<Lsn> {
        let followed = self.followed.as_ref()?;
        match followed.min_lsn.now() {
            NamedLsn::At(lsn) => Some(lsn),
            NamedLsn::None => None,
            NamedLsn::InDoubt => followed.furthest,
        }
    }

    /// Whether that may be more than is known.
    pub fn is_lsn_unclear(&self) -> bool {
        let followed = self.followed.as_ref();
        followed.is_some_and(|followed| {
            followed.is_lsn_unclear && followed.min_lsn.now() == NamedLsn::InDoubt
        })
    }

    /// A statement has succeeded.
    pub fn succeeded(&mut self, kind: StatementKind, change: Option<ClientSettingsChange>) {
        if let Some(change) = change {
            let followed = self.followed.get_or_insert_default();
            followed.level.change(change.level);
            followed.repairs.change(change.repairs);
            followed.show_repaired.change(change.show_repaired);
            followed.grounding.change(change.grounding);
            followed.receipts.change(change.receipts);
            followed.receipt_nonce.change(change.receipt_nonce);
            followed.min_lsn.change(change.min_lsn);
            followed.is_lsn_unclear |= change.is_lsn_unclear;
            followed.note_lsn();
        }
        if matches!(kind, StatementKind::Rollback) {
            self.failed();
        }
    }

    /// Something has failed, or was taken back: with it, perhaps, what was set before.
    pub fn failed(&mut self) {
        if let Some(followed) = &mut self.followed {
            followed.level.failed();
            followed.repairs.failed();
            followed.show_repaired.failed();
            followed.grounding.failed();
            followed.receipts.failed();
            followed.receipt_nonce.failed();
            followed.min_lsn.failed();
        }
    }

    /// No transaction is open any more.
    pub fn idle(&mut self) {
        if let Some(followed) = &mut self.followed {
            followed.level.idle();
            followed.repairs.idle();
            followed.show_repaired.idle();
            followed.grounding.idle();
            followed.receipts.idle();
            followed.receipt_nonce.idle();
            followed.min_lsn.idle();
        }
    }

    fn level(&self) -> NoticeLevel {
        let followed = self.followed.as_ref();
        followed.map_or(NoticeLevel::Loud, |followed| followed.level.now())
    }
}

impl FollowedSettings {
    /// A position may have been named.
    fn note_lsn(&mut self) {
        if let NamedLsn::At(lsn) = self.min_lsn.now() {
            self.furthest = self.furthest.max(Some(lsn));
        }
    }
}

impl Default for FollowedSettings {
    /// What is so where a client says nothing.
    fn default() -> Self {
        Self {
            level: FollowedSetting::default(),
            repairs: FollowedSetting::default(),
            show_repaired: FollowedSetting::default(),
            grounding: FollowedSetting::default(),
            receipts: FollowedSetting::default(),
            receipt_nonce: FollowedSetting::default(),
            min_lsn: FollowedSetting::beginning(Some(NamedLsn::None)),
            furthest: None,
            is_lsn_unclear: false,
        }
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

impl RepairWish {
    fn of(value: &str) -> Self {
        match SettingValue::Text(value).truth() {
            Some(false) => Self::Unwanted,
            Some(true) | None => Self::Wanted,
        }
    }
}

impl Switch {
    fn of(value: &str) -> Self {
        match SettingValue::Text(value).truth() {
            Some(true) => Self::On,
            Some(false) | None => Self::Off,
        }
    }
}

impl NamedGrounding {
    fn of(value: &str) -> Self {
        Self(hex::number(value).and_then(NonZeroU64::new))
    }
}

impl NamedLsn {
    fn of(value: &str) -> Self {
        match value {
            "" => Self::None,
            value => Lsn::of(value).map_or(Self::InDoubt, Self::At),
        }
    }
}

/// The word of the setting; none where it is no word.
fn nonce_of(value: &str) -> ReceiptNonce {
    ReceiptNonce::of(value).unwrap_or_default()
}

impl ClientSettingsChange {
    /// Whether a server must perhaps have replayed more after it.
    pub fn names_lsn(self) -> bool {
        let named = self.min_lsn.and_then(SettingChange::value);
        self.is_lsn_unclear || matches!(named, Some(NamedLsn::At(_) | NamedLsn::InDoubt))
    }

    /// What a text does to the settings, if anything.
    pub fn of(text: &str, facts: &Facts) -> Option<Self> {
        let effects = &facts.effects;
        if facts.discards_all() {
            return Some(Self {
                level: Some(SettingChange::FIRST),
                repairs: Some(SettingChange::FIRST),
                show_repaired: Some(SettingChange::FIRST),
                grounding: Some(SettingChange::FIRST),
                receipts: Some(SettingChange::FIRST),
                receipt_nonce: Some(SettingChange::FIRST),
                min_lsn: Some(SettingChange::FIRST),
                is_lsn_unclear: false,
            });
        }
        let is_touched = |effect: &SessionEffect| matches!(effect, SessionEffect::SettingsTouched);
        if !effects.iter().any(is_touched) {
            return None;
        }
        let words = tokens(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let set = SettingText { words, text, facts };
        let change = Self {
            level: set.change(SETTING, NoticeLevel::of),
            repairs: set.change(REPAIRS, RepairWish::of),
            show_repaired: set.change(SHOW_REPAIRED, Switch::of),
            grounding: set.change(GROUNDING, NamedGrounding::of),
            receipts: set.change(RECEIPTS, Switch::of),
            receipt_nonce: set.change(RECEIPT_NONCE, nonce_of),
            min_lsn: set.change(MIN_LSN, NamedLsn::of),
            is_lsn_unclear: false,
        };
        let is_unknown = change
            .min_lsn
            .is_some_and(|change| change.is_unknown() || change.value() == Some(NamedLsn::InDoubt));
        let change = Self {
            is_lsn_unclear: is_unknown && mentions(text, own_name(MIN_LSN)),
            ..change
        };
        let is_none = change == Self::default();
        (!is_none).then_some(change)
    }
}

/// A text that sets something.
struct SettingText<'t> {
    words: Vec<&'t str>,
    text: &'t str,
    facts: &'t Facts,
}

impl SettingText<'_> {
    /// What it does to a setting; none where that is certainly nothing.
    fn change<T>(&self, setting: &str, value_of: fn(&str) -> T) -> Option<SettingChange<T>> {
        match change_of(&self.words, setting, value_of) {
            None if !cannot_name_it(self.text, self.facts, setting) => Some(SettingChange::UNKNOWN),
            change => change,
        }
    }
}

/// What the words of a statement do to a setting, where they are of a form that is understood.
fn change_of<T>(
    words: &[&str],
    setting: &str,
    value_of: fn(&str) -> T,
) -> Option<SettingChange<T>> {
    let to = |value: &str, scope| match value {
        "default" => SettingChange::first(scope),
        value => SettingChange::to(value_of(value), scope),
    };
    let is_named = |name: &str| name.eq_ignore_ascii_case(setting);
    match words {
        ["set", "local", name, "to" | "=", value] if is_named(name) => {
            Some(to(value, SettingScope::Transaction))
        }
        ["set", name, "to" | "=", value] | ["set", "session", name, "to" | "=", value]
            if is_named(name) =>
        {
            Some(to(value, SettingScope::Session))
        }
        ["reset", name] if is_named(name) || *name == "all" => Some(SettingChange::FIRST),
        [
            "select",
            "set_config",
            "(",
            name,
            ",",
            value,
            ",",
            local,
            ")",
        ] if is_named(name) => match *local {
            "false" => Some(to(value, SettingScope::Session)),
            "true" => Some(to(value, SettingScope::Transaction)),
            _ => Some(SettingChange::UNKNOWN),
        },
        _ => None,
    }
}

/// Whether a text that sets something sets something else.
fn cannot_name_it(text: &str, facts: &Facts, setting: &str) -> bool {
    let mentions = |word: &str| mentions(text, word);
    let is_set = match facts.kind {
        StatementKind::Set | StatementKind::Reset => true,
        // Drivers open their sessions with several SETs at once.
        StatementKind::Several => !text.contains('(') && !UNDOING.into_iter().any(mentions),
        _ => false,
    };
    !may_name(text, own_name(setting)) && (is_set || mentions("set_config"))
}

/// A setting without what stands before its dot.
fn own_name(setting: &str) -> &str {
    setting.rsplit('.').next().unwrap_or(setting)
}

/// Whether a word may stand in a text, spelled in whichever way.
fn may_name(text: &str, word: &str) -> bool {
    text.contains('\\') || mentions(text, "u&") || mentions(text, word)
}

fn mentions(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    (text.windows(word.len())).any(|window| window.eq_ignore_ascii_case(word))
}

/// The tokens of a short text: words in lower case, literals and quoted names without their quotes
/// as they are.
fn tokens(text: &str) -> Vec<String> {
    let tokens = lexer::tokens(text).filter(|token| !token.kind.is_blank());
    let words = tokens.take(WORDS_MAX).map(|token| {
        let word = text.get(token.span).unwrap_or_default();
        match word.trim_matches(['\'', '"']) {
            plain if plain.len() == word.len() => word.to_ascii_lowercase(),
            quoted => quoted.to_owned(),
        }
    });
    let mut words: Vec<String> = words.collect();
    if words.last().is_some_and(|last| last == ";") {
        words.pop();
    }
    // A name of two parts is one word.
    if let Some(dot) = words.iter().position(|word| word == ".")
        && let (Some(first), Some(second)) = (dot.checked_sub(1), words.get(dot + 1).cloned())
    {
        let whole = format!("{}.{second}", words.get(first).map_or("", String::as_str));
        words.splice(first..=dot + 1, [whole]);
    }
    words
}

const SETTING: &str = "client_min_messages";

/// Words of statements that set many settings back, or end what others are set in.
const UNDOING: [&str; 6] = ["reset", "discard", "rollback", "abort", "commit", "end"];

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
        assert_eq!(follow(script).is_quiet(), quiet, "{script:?}");
    }

    fn follow(script: &[&str]) -> ClientSettings {
        let gate = Gate::new(Arc::new(Policy::bi()), Fingerprinter::new(None, [7; 32]));
        let mut client_settings = ClientSettings::default();
        for text in script {
            match *text {
                ";" => client_settings.idle(),
                "!" => client_settings.failed(),
                text => {
                    let judgement = gate.judge(text.into(), &SessionNames::of_no_database());
                    assert!(matches!(judgement.verdict, Verdict::Permitted(_)), "{text}");
                    let change = ClientSettingsChange::of(text, &judgement.facts);
                    client_settings.succeeded(judgement.facts.kind, change);
                }
            }
        }
        client_settings
    }

    #[test]
    fn in_doubt_the_furthest_position_counts() {
        let lsn = |script: &[&str]| follow(script).min_lsn().map(|lsn| lsn.to_string());
        let check = |script: &[&str], expected: Option<&str>| {
            assert_eq!(lsn(script).as_deref(), expected, "{script:?}");
        };
        let (near, far) = (
            "SET pgsieve.min_lsn = '0/10'",
            "SET pgsieve.min_lsn TO '2/0'",
        );
        check(&[], None);
        check(&[near, ";"], Some("0/10"));
        check(&[far, ";", near, ";"], Some("0/10"));
        check(&[far, ";", "RESET pgsieve.min_lsn", ";"], None);
        check(&[far, ";", "SET pgsieve.min_lsn = ''", ";"], None);
        check(&[far, ";", "DISCARD ALL", ";"], None);
        check(
            &["SELECT set_config('pgsieve.min_lsn', '1/0', false)", ";"],
            Some("1/0"),
        );
        check(&["BEGIN", "SET LOCAL pgsieve.min_lsn = '1/0'"], Some("1/0"));
        check(
            &["BEGIN", "SET LOCAL pgsieve.min_lsn = '1/0'", "COMMIT", ";"],
            None,
        );
        // What was taken back or has failed may have been any of them.
        check(&["BEGIN", far, "ROLLBACK", ";"], Some("2/0"));
        check(&[near, ";", "BEGIN", far, "!"], Some("2/0"));
        check(
            &[
                far,
                ";",
                "BEGIN",
                near,
                "SAVEPOINT s",
                "RESET pgsieve.min_lsn",
                "!",
            ],
            Some("2/0"),
        );
        check(&[far, ";", "BEGIN", near, "!", "COMMIT", ";"], Some("2/0"));
        check(&[far, ";", "SET TimeZone = 'UTC'", ";"], Some("2/0"));
        // Drivers put their sessions back so.
        let back = "SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;";
        check(&[back, ";"], None);
        check(&[far, ";", back, ";"], Some("2/0"));
        let unclear = |script: &[&str]| follow(script).is_lsn_unclear();
        for text in [
            "SET TimeZone = 'UTC'; SET pgsieve.min_lsn = '0/1'",
            "SET \"pgsieve\".\"min_lsn\" = E'0\\x2f1'",
        ] {
            assert!(unclear(&[text, ";"]), "{text}");
            assert!(!unclear(&[text, ";", near, ";"]), "{text}");
        }
        for text in [
            back,
            near,
            "SET application_name = E'a\\\\b'",
            "SET U&\"TimeZone\" = 'UTC'",
            "RESET ALL",
            "SET TimeZone = 'UTC'",
            "SELECT 'min_lsn'",
        ] {
            assert!(!unclear(&[text, ";"]), "{text}");
        }
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
    fn repaired_statements_are_shown_where_that_is_certainly_wanted() {
        let shows = |script: &[&str]| follow(script).shows_repaired();
        for text in [
            "SET pgsieve.show_repaired = on",
            "SET SESSION \"pgsieve\".show_repaired TO 'true'",
            "SELECT set_config('pgsieve.show_repaired', '1', false)",
        ] {
            assert!(shows(&[text]) && shows(&[text, ";"]), "{text}");
            assert!(shows(&[text, ";", "SET TimeZone = 'UTC'", ";"]), "{text}");
            for end in [
                "SET pgsieve.show_repaired = off",
                "RESET pgsieve.show_repaired",
                "SET pgsieve.show_repaired TO DEFAULT",
                "RESET ALL",
                "DISCARD ALL",
            ] {
                assert!(!shows(&[text, ";", end, ";"]), "{text} {end}");
            }
        }
        let set = "SET LOCAL pgsieve.show_repaired = on";
        assert!(shows(&["BEGIN", set]));
        assert!(!shows(&["BEGIN", set, "COMMIT", ";"]));
        let set = "SET pgsieve.show_repaired = on";
        assert!(shows(&["BEGIN", set, "COMMIT", ";"]));
        assert!(!shows(&["BEGIN", set, "ROLLBACK", ";"]));
        assert!(!shows(&["BEGIN", set, "!"]));
        let on = (SHOW_REPAIRED.to_owned(), "on".to_owned());
        let mut begun = ClientSettings::at_startup(&[on]);
        assert!(begun.shows_repaired() && !begun.is_quiet());
        begun.idle();
        assert!(begun.shows_repaired());
    }

    #[test]
    fn repairs_are_wanted_unless_that_is_certainly_not_so() {
        let unwanted = |script: &[&str]| follow(script).repair_wish() == RepairWish::Unwanted;
        assert!(!unwanted(&[]));
        for text in [
            "SET pgsieve.repairs = off",
            "SET SESSION \"pgsieve\".repairs TO 'false'",
            "SELECT set_config('pgsieve.repairs', '0', false)",
        ] {
            assert!(unwanted(&[text]) && unwanted(&[text, ";"]), "{text}");
            assert!(
                unwanted(&[text, ";", "SET TimeZone = 'UTC'", ";"]),
                "{text}"
            );
            assert!(unwanted(&[text, ";", "!", ";"]), "{text}");
            for end in [
                "SET pgsieve.repairs = on",
                "RESET pgsieve.repairs",
                "SET pgsieve.repairs TO DEFAULT",
                "RESET ALL",
                "DISCARD ALL",
            ] {
                assert!(!unwanted(&[text, ";", end, ";"]), "{text} {end}");
            }
        }
        let local = "SET LOCAL pgsieve.repairs = off";
        assert!(unwanted(&["BEGIN", local]));
        assert!(!unwanted(&["BEGIN", local, "COMMIT", ";"]));
        assert!(!unwanted(&["BEGIN", local, "!"]));
        let set = "SET pgsieve.repairs = off";
        assert!(unwanted(&["BEGIN", set, "COMMIT", ";"]));
        assert!(!unwanted(&["BEGIN", set, "ROLLBACK", ";"]));
        let on = "SET LOCAL pgsieve.repairs = on";
        assert!(unwanted(&[set, ";", "BEGIN", on, "ROLLBACK", ";"]));
        let mut script = vec![set, ";", "BEGIN", on];
        assert!(!unwanted(&script));
        script.extend(["COMMIT", ";"]);
        assert!(unwanted(&script));
        let begin = |value: &str| {
            let parameter = (REPAIRS.to_owned(), value.to_owned());
            ClientSettings::at_startup(&[parameter])
        };
        assert_eq!(begin("off").repair_wish(), RepairWish::Unwanted);
        assert_eq!(begin("on").followed, None);
    }

    #[test]
    fn several_settings_at_once_leave_those_that_they_do_not_name() {
        let set = "SET client_min_messages = error";
        for several in [
            "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'",
            "SET TimeZone TO 'UTC'; SHOW server_version",
        ] {
            check(&[set, ";", several, ";"], true);
        }
        for several in [
            "SET TimeZone = 'UTC'; RESET ALL",
            "SET TimeZone = 'UTC'; SET client_min_messages = notice",
            "SET TimeZone = 'UTC'; SELECT set_config('client_min_messages', 'notice', false)",
            "SET TimeZone = 'UTC'; DISCARD ALL",
        ] {
            check(&[set, ";", several, ";"], false);
        }
        check(
            &["BEGIN", set, "SET TimeZone = 'UTC'; ROLLBACK", ";"],
            false,
        );
    }

    #[test]
    fn the_grounding_that_a_client_stands_on_is_followed() {
        let version = "0123456789abcdef";
        let number = NonZeroU64::new(0x0123_4567_89ab_cdef);
        let stands = |script: &[&str]| follow(script).grounding();
        for text in [
            format!("SET pgsieve.grounding = '{version}'"),
            format!(
                "SET SESSION \"pgsieve\".grounding TO '{}'",
                version.to_uppercase()
            ),
            format!("SELECT set_config('pgsieve.grounding', '{version}', false)"),
        ] {
            assert_eq!(stands(&[&text]), number, "{text}");
            assert_eq!(stands(&[&text, ";", "SET TimeZone = 'UTC'", ";"]), number);
            for end in [
                "SET pgsieve.grounding = ''",
                "RESET pgsieve.grounding",
                "SET pgsieve.grounding TO DEFAULT",
                "RESET ALL",
                "DISCARD ALL",
            ] {
                assert_eq!(stands(&[&text, ";", end, ";"]), None, "{text} {end}");
            }
        }
        let (set, local) = (
            format!("SET pgsieve.grounding = '{version}'"),
            format!("SET LOCAL pgsieve.grounding = '{version}'"),
        );
        assert_eq!(stands(&["BEGIN", &local]), number);
        assert_eq!(stands(&["BEGIN", &local, "COMMIT", ";"]), None);
        assert_eq!(stands(&["BEGIN", &set, "COMMIT", ";"]), number);
        assert_eq!(stands(&["BEGIN", &set, "ROLLBACK", ";"]), None);
        assert_eq!(stands(&["BEGIN", &set, "!"]), None);
        let first = (GROUNDING.to_owned(), version.to_owned());
        let mut begun = ClientSettings::at_startup(&[first]);
        assert_eq!(begun.grounding(), number);
        begun.idle();
        assert_eq!(begun.grounding(), number);
        let nothing = (GROUNDING.to_owned(), String::new());
        assert_eq!(ClientSettings::at_startup(&[nothing]).followed, None);
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
        assert!(ClientSettings::at_startup(&[quiet]).is_quiet());
        assert!(!ClientSettings::at_startup(&[]).is_quiet());
    }
}
