//! A setting of the session as it is followed by the statements that set it. The server does not
//! tell of it; wherever that leaves a doubt, it counts as its type's default.

use crate::gate::SettingScope;

/// What is known of a setting.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct FollowedSetting<T> {
    /// What RESET returns to.
    first: T,
    /// What holds outside of the open transaction, and again after a ROLLBACK.
    base: T,
    now: T,
    /// What COMMIT would leave, where that was set.
    committing: Option<T>,
    fate: TransactionDoubt,
}

/// What a statement does to a setting, once it has succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SettingChange<T> {
    to: SettingTarget<T>,
    scope: SettingScope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettingTarget<T> {
    Value(T),
    First,
    Unknown,
}

/// What will have become of the open transaction.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum TransactionDoubt {
    #[default]
    Kept,
    /// Something failed, or a part was rolled back.
    InDoubt,
}

impl<T> SettingChange<T> {
    /// The session begins with it again.
    pub(super) const FIRST: Self = Self::first(SettingScope::Session);

    /// Nobody knows what it is.
    pub(super) const UNKNOWN: Self = Self {
        to: SettingTarget::Unknown,
        scope: SettingScope::Session,
    };

    /// What the session began with, for a time.
    pub(super) const fn first(scope: SettingScope) -> Self {
        let to = SettingTarget::First;
        Self { to, scope }
    }

    /// A value, for a time.
    pub(super) fn to(value: T, scope: SettingScope) -> Self {
        let to = SettingTarget::Value(value);
        Self { to, scope }
    }
}

impl<T: Copy> SettingChange<T> {
    /// Which value it gives; none where it takes one back, or it is not known which.
    pub(super) fn value(self) -> Option<T> {
        match self.to {
            SettingTarget::Value(value) => Some(value),
            SettingTarget::First | SettingTarget::Unknown => None,
        }
    }

    /// Whether nobody knows what it is then.
    pub(super) fn is_unknown(self) -> bool {
        matches!(self.to, SettingTarget::Unknown)
    }
}

impl<T: Copy + Default + PartialEq> FollowedSetting<T> {
    /// What a session begins with.
    pub(super) fn beginning(first: Option<T>) -> Self {
        let first = first.unwrap_or_default();
        Self {
            first,
            base: first,
            now: first,
            committing: None,
            fate: TransactionDoubt::Kept,
        }
    }

    /// Its value at this moment.
    pub(super) fn now(&self) -> T {
        self.now
    }

    /// A statement that changes it has succeeded.
    pub(super) fn change(&mut self, change: Option<SettingChange<T>>) {
        let Some(SettingChange { to, scope }) = change else {
            return;
        };
        self.now = match to {
            SettingTarget::Value(value) => value,
            SettingTarget::First => self.first,
            SettingTarget::Unknown => T::default(),
        };
        if scope == SettingScope::Session {
            self.committing = Some(self.now);
        }
    }

    /// Something has failed, or was taken back: with it, perhaps, what was set before.
    pub(super) fn failed(&mut self) {
        if self.committing.is_some() || self.now != self.base {
            self.fate = TransactionDoubt::InDoubt;
            self.now = T::default();
        }
    }

    /// No transaction is open any more.
    pub(super) fn idle(&mut self) {
        match (self.committing.take(), self.fate) {
            (Some(committed), TransactionDoubt::Kept) => self.base = committed,
            (Some(committed), TransactionDoubt::InDoubt) if committed != self.base => {
                self.base = T::default();
            }
            (Some(_), TransactionDoubt::InDoubt) | (None, _) => {}
        }
        self.now = self.base;
        self.fate = TransactionDoubt::Kept;
    }
}
