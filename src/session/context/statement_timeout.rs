//! How long one statement may run: what the session's `statement_timeout` is right now.
//!
//! It begins as the policy and the client's startup packet have it. A client may lower it, for the
//! session or a transaction; where that leaves a doubt, the longest that may hold counts.

use std::time::Duration;

use super::tracked_setting::{
    EarlierStatements, PossibleValues, StatementEnd, TrackedChange, TrackedSetting,
    TransactionPosition,
};
use crate::gate::{AssignedValue, Certainty, CustomSettings, STATEMENT_TIMEOUT, SessionEffect};
use crate::policy::Policy;
use crate::policy::settings::setting_value::milliseconds;

/// The `statement_timeout` of one session.
#[derive(Debug)]
pub struct StatementTimeout {
    followed: TrackedSetting<u64>,
    /// What counts where the value is not known: zero where nothing bounds it.
    otherwise_ms: u64,
    max: Option<Duration>,
}

impl StatementTimeout {
    /// That of a session that began with this value, as it is written; none where nobody has set
    /// one.
    pub fn new(written: Option<&str>, policy: &Policy) -> Self {
        let mut time = Self {
            followed: TrackedSetting::new(written.and_then(milliseconds)),
            otherwise_ms: policy.timeouts().statement_timeout_ms,
            max: None,
        };
        time.settle();
        time
    }

    /// The longest that a statement may run now; none where nothing bounds it.
    pub fn max(&self) -> Option<Duration> {
        self.max
    }

    /// Whether anything is to be settled when statements fail or transactions end.
    pub fn is_moving(&self) -> bool {
        self.followed.is_moving()
    }

    /// A statement with this effect is on its way.
    pub fn sent(&mut self, effect: &SessionEffect) {
        self.change(effect, |followed, change| followed.sent(&change));
    }

    /// A statement with this effect has succeeded.
    pub fn applied(&mut self, effect: &SessionEffect, ran: Certainty) {
        self.change(effect, |followed, change| match ran {
            Certainty::Certain => followed.applied(&change),
            Certainty::Possible => followed.applied(&change.possibly()),
        });
    }

    /// A statement has ended, and its effects are applied.
    pub fn ended(&mut self, ended: StatementEnd) {
        if self.is_moving() {
            self.followed.ended(ended);
            self.settle();
        }
    }

    /// Something has failed.
    pub fn doubted(&mut self) {
        if self.is_moving() {
            self.followed.doubted();
            self.settle();
        }
    }

    /// The upstream is ready for the next statement.
    pub fn ready(&mut self, place: TransactionPosition, under_way: EarlierStatements) {
        if self.is_moving() {
            self.followed.ready(place, under_way);
            self.settle();
        }
    }

    fn change(
        &mut self,
        effect: &SessionEffect,
        act: impl FnOnce(&mut TrackedSetting<u64>, TrackedChange<'_, u64>),
    ) {
        let SessionEffect::SettingSet {
            settings,
            value,
            scope,
            surety,
        } = effect
        else {
            return;
        };
        match settings {
            CustomSettings::One(name) if &**name != STATEMENT_TIMEOUT => return,
            CustomSettings::One(_) | CustomSettings::All => {}
        }
        let to = match value {
            AssignedValue::To(written) => match written.as_deref().and_then(milliseconds) {
                Some(ms) => AssignedValue::To(ms),
                None => AssignedValue::Unknown,
            },
            AssignedValue::Default => AssignedValue::Default,
            AssignedValue::Unknown | AssignedValue::Perhaps => AssignedValue::Unknown,
        };
        let change = TrackedChange {
            to: &to,
            scope: *scope,
            surety: *surety,
        };
        act(&mut self.followed, change);
        self.settle();
    }

    fn settle(&mut self) {
        let longest = match self.followed.possible(EarlierStatements::Others) {
            // Zero is no bound, and longer than any.
            PossibleValues::Known(values) if values.contains(&0) => Some(0),
            PossibleValues::Known(values) => values.into_iter().max(),
            PossibleValues::Unsure(_) | PossibleValues::Unknown => None,
        };
        let ms = longest.unwrap_or(self.otherwise_ms);
        self.max = (ms > 0).then(|| Duration::from_millis(ms));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::SettingScope;

    fn set(value: &str, scope: SettingScope) -> SessionEffect {
        SessionEffect::SettingSet {
            settings: CustomSettings::One(STATEMENT_TIMEOUT.into()),
            value: AssignedValue::To(Some(value.into())),
            scope,
            surety: Certainty::Certain,
        }
    }

    fn seconds(time: &StatementTimeout) -> Option<u64> {
        time.max().map(|max| max.as_secs())
    }

    #[test]
    fn it_begins_as_it_was_set_and_else_as_the_policy_has_it() {
        let agent = Policy::agent();
        let own = Duration::from_millis(agent.timeouts().statement_timeout_ms);
        assert_eq!(StatementTimeout::new(None, &agent).max(), Some(own));
        assert_eq!(seconds(&StatementTimeout::new(Some("5s"), &agent)), Some(5));
        assert_eq!(StatementTimeout::new(Some("soon"), &agent).max(), Some(own));
        assert_eq!(StatementTimeout::new(Some("0"), &agent).max(), None);
    }

    #[test]
    fn what_is_set_holds_when_nothing_else_may() {
        let mut time = StatementTimeout::new(Some("30s"), &Policy::agent());
        let lower = set("2s", SettingScope::Session);
        time.sent(&lower);
        assert_eq!(seconds(&time), Some(30));
        time.applied(&lower, Certainty::Certain);
        time.ended(StatementEnd::Well);
        time.ready(TransactionPosition::Outside, EarlierStatements::Nothing);
        assert_eq!(seconds(&time), Some(2));
        let higher = set("20s", SettingScope::Transaction);
        time.sent(&higher);
        assert_eq!(seconds(&time), Some(20));
        time.applied(&higher, Certainty::Certain);
        time.ended(StatementEnd::Well);
        time.ready(TransactionPosition::Within, EarlierStatements::Nothing);
        assert_eq!(seconds(&time), Some(20));
        time.ready(TransactionPosition::Outside, EarlierStatements::Nothing);
        assert_eq!(seconds(&time), Some(2));
        let all = SessionEffect::SettingSet {
            settings: CustomSettings::All,
            value: AssignedValue::Default,
            scope: SettingScope::Session,
            surety: Certainty::Certain,
        };
        time.applied(&all, Certainty::Certain);
        time.ended(StatementEnd::Well);
        time.ready(TransactionPosition::Outside, EarlierStatements::Nothing);
        assert_eq!(seconds(&time), Some(30));
    }
}
