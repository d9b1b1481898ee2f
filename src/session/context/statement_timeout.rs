//! How long one statement may run: what the session's `statement_timeout` is right now.
//!
//! It begins as the policy and the client's startup packet have it. A client may lower it, for the
//! session or a transaction; where that leaves a doubt, the longest that may hold counts.

use std::time::Duration;

use super::tracked_setting::{Before, Change, Ended, Followed, Place, Possible};
use crate::gate::{Effect, STATEMENT_TIMEOUT, SetTo, Settings, Surety};
use crate::policy::Policy;
use crate::policy::settings::setting_value::milliseconds;

/// The `statement_timeout` of one session.
#[derive(Debug)]
pub struct StatementTime {
    followed: Followed<u64>,
    /// What counts where the value is not known: zero where nothing bounds it.
    otherwise_ms: u64,
    max: Option<Duration>,
}

impl StatementTime {
    /// That of a session that began with this value, as it is written; none where nobody has set
    /// one.
    pub fn new(written: Option<&str>, policy: &Policy) -> Self {
        let mut time = Self {
            followed: Followed::new(written.and_then(milliseconds)),
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
    pub fn sent(&mut self, effect: &Effect) {
        self.change(effect, |followed, change| followed.sent(&change));
    }

    /// A statement with this effect has succeeded.
    pub fn applied(&mut self, effect: &Effect, ran: Surety) {
        self.change(effect, |followed, change| match ran {
            Surety::Certain => followed.applied(&change),
            Surety::Possible => followed.applied(&change.possibly()),
        });
    }

    /// A statement has ended, and its effects are applied.
    pub fn ended(&mut self, ended: Ended) {
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
    pub fn ready(&mut self, place: Place, under_way: Before) {
        if self.is_moving() {
            self.followed.ready(place, under_way);
            self.settle();
        }
    }

    fn change(&mut self, effect: &Effect, act: impl FnOnce(&mut Followed<u64>, Change<'_, u64>)) {
        let Effect::SettingSet {
            settings,
            value,
            scope,
            surety,
        } = effect
        else {
            return;
        };
        match settings {
            Settings::One(name) if &**name != STATEMENT_TIMEOUT => return,
            Settings::One(_) | Settings::All => {}
        }
        let to = match value {
            SetTo::To(written) => match written.as_deref().and_then(milliseconds) {
                Some(ms) => SetTo::To(ms),
                None => SetTo::Unknown,
            },
            SetTo::Default => SetTo::Default,
            SetTo::Unknown | SetTo::Perhaps => SetTo::Unknown,
        };
        let change = Change {
            to: &to,
            scope: *scope,
            surety: *surety,
        };
        act(&mut self.followed, change);
        self.settle();
    }

    fn settle(&mut self) {
        let longest = match self.followed.possible(Before::Others) {
            // Zero is no bound, and longer than any.
            Possible::Known(values) if values.contains(&0) => Some(0),
            Possible::Known(values) => values.into_iter().max(),
            Possible::Unsure(_) | Possible::Unknown => None,
        };
        let ms = longest.unwrap_or(self.otherwise_ms);
        self.max = (ms > 0).then(|| Duration::from_millis(ms));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Scope;

    fn set(value: &str, scope: Scope) -> Effect {
        Effect::SettingSet {
            settings: Settings::One(STATEMENT_TIMEOUT.into()),
            value: SetTo::To(Some(value.into())),
            scope,
            surety: Surety::Certain,
        }
    }

    fn seconds(time: &StatementTime) -> Option<u64> {
        time.max().map(|max| max.as_secs())
    }

    #[test]
    fn it_begins_as_it_was_set_and_else_as_the_policy_has_it() {
        let agent = Policy::agent();
        let own = Duration::from_millis(agent.timeouts().statement_timeout_ms);
        assert_eq!(StatementTime::new(None, &agent).max(), Some(own));
        assert_eq!(seconds(&StatementTime::new(Some("5s"), &agent)), Some(5));
        assert_eq!(StatementTime::new(Some("soon"), &agent).max(), Some(own));
        assert_eq!(StatementTime::new(Some("0"), &agent).max(), None);
    }

    #[test]
    fn what_is_set_holds_when_nothing_else_may() {
        let mut time = StatementTime::new(Some("30s"), &Policy::agent());
        let lower = set("2s", Scope::Session);
        time.sent(&lower);
        assert_eq!(seconds(&time), Some(30));
        time.applied(&lower, Surety::Certain);
        time.ended(Ended::Well);
        time.ready(Place::Outside, Before::Nothing);
        assert_eq!(seconds(&time), Some(2));
        let higher = set("20s", Scope::Transaction);
        time.sent(&higher);
        assert_eq!(seconds(&time), Some(20));
        time.applied(&higher, Surety::Certain);
        time.ended(Ended::Well);
        time.ready(Place::Within, Before::Nothing);
        assert_eq!(seconds(&time), Some(20));
        time.ready(Place::Outside, Before::Nothing);
        assert_eq!(seconds(&time), Some(2));
        let all = Effect::SettingSet {
            settings: Settings::All,
            value: SetTo::Default,
            scope: Scope::Session,
            surety: Surety::Certain,
        };
        time.applied(&all, Surety::Certain);
        time.ended(Ended::Well);
        time.ready(Place::Outside, Before::Nothing);
        assert_eq!(seconds(&time), Some(30));
    }
}
