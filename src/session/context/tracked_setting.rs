//! A setting that is followed: what it may be right now.
//!
//! Servers do not tell most settings (search_path only from 18 on), so every change is followed:
//! what was sent may hold from then on; what was answered holds; what a transaction did goes with
//! it. Where that leaves a doubt, every value that may hold is kept, and who asks gets all of them.

use std::fmt;

use crate::gate::{AssignedValue, Certainty, SearchPaths, SessionEffect, SettingScope};
use crate::limits;

/// A search_path as its names, `$user` among them.
pub type SearchPathNames = Box<[Box<str>]>;

/// What is known of a setting.
pub struct TrackedSetting<T> {
    /// What the session began with, where that is known.
    first: Option<T>,
    /// What became of it. Most sessions never change most settings.
    history: Option<Box<SettingHistory<T>>>,
}

/// What became of a setting.
struct SettingHistory<T> {
    /// What RESET returns to: what the session began with.
    first: PossibleValues<T>,
    /// What holds outside of the open transaction, and again after a ROLLBACK.
    base: PossibleValues<T>,
    /// What holds now, by what was answered.
    current: PossibleValues<T>,
    /// What COMMIT would leave, if that is not `base`.
    committing: Option<PossibleValues<T>>,
    /// Everything that held at some time in the open transaction.
    seen: PossibleValues<T>,
    /// What was sent and may hold before its answer is here.
    pending: PossibleValues<T>,
    /// What the end of the transaction, once it is over, will have been.
    ending: TransactionOutcome,
    /// What the server said last, where it says anything: then it does at every rest.
    told: Option<PossibleValues<T>>,
}

/// What a statement does to a setting, as the gate found it.
pub struct TrackedChange<'e, T> {
    /// What it sets it to.
    pub to: &'e AssignedValue<T>,
    /// For how long.
    pub scope: SettingScope,
    /// Whether it happens for sure when the statement succeeds.
    pub surety: Certainty,
}

/// A statement that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementEnd {
    /// Well, and no transaction with it.
    Well,
    /// Well, and with it a transaction or a part of one.
    With(TransactionEnd),
    /// In an error.
    Failed,
    /// Among others, of which nobody says what became of them.
    Scrambled,
}

/// A statement that ends a transaction, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionEnd {
    /// COMMIT: its changes stay.
    Commit,
    /// ROLLBACK, to a savepoint or of the whole: the two have the same command tag.
    Rollback,
    /// DISCARD ALL: servers commit it at once, even where a ROLLBACK follows before the next Sync.
    AtOnce,
}

/// Where the upstream stands when it is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionPosition {
    /// No transaction is open.
    Outside,
    /// One is.
    Within,
}

/// What will run before a statement that is judged now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierStatements {
    /// Nothing that could change a setting: all answers are here, or what is on its way neither
    /// sets anything nor ends a transaction.
    Nothing,
    /// Statements that may.
    Others,
}

/// How a transaction will have ended when it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransactionOutcome {
    /// Its changes stay.
    Kept,
    /// They are undone: the last that was said is ROLLBACK.
    Undone,
    /// Something has failed.
    InDoubt,
}

/// Values of which any may hold.
#[derive(Clone, PartialEq, Eq)]
pub enum PossibleValues<T> {
    /// These.
    Known(Vec<T>),
    /// These, unless a function that the policy names has set another one.
    Unsure(Vec<T>),
    /// Any there is.
    Unknown,
}

impl<T: Clone + Eq> TrackedSetting<T> {
    /// A session that begins with this value; none if it is not known.
    pub fn new(first: Option<T>) -> Self {
        Self {
            first,
            history: None,
        }
    }

    /// All values that may hold when what is judged now begins to run: at once, or after other
    /// statements, of which any may end a transaction, or fail, or go back to a savepoint.
    pub fn possible(&self, before: EarlierStatements) -> PossibleValues<T> {
        match &self.history {
            None => PossibleValues::of(self.first.clone()),
            Some(history) => history.possible(before),
        }
    }

    /// A statement with this change is on its way.
    pub fn sent(&mut self, change: &TrackedChange<'_, T>) {
        self.history().sent(change);
    }

    /// A statement with this change has succeeded.
    pub fn applied(&mut self, change: &TrackedChange<'_, T>) {
        self.history().applied(change);
    }

    /// Whether anything is to be settled when statements fail or transactions end.
    pub fn is_moving(&self) -> bool {
        self.history.as_ref().is_some_and(|it| it.is_moving())
    }

    /// A statement has ended, and what it did is applied.
    pub fn ended(&mut self, ended: StatementEnd) {
        if let Some(history) = &mut self.history {
            history.ended(ended);
        }
    }

    /// Something has failed: what was done in the same transaction may be undone.
    pub fn doubted(&mut self) {
        if let Some(history) = &mut self.history {
            history.doubted();
        }
    }

    /// The upstream is ready for the next statement, within a transaction or outside of one.
    pub fn ready(&mut self, place: TransactionPosition, under_way: EarlierStatements) {
        if let Some(history) = &mut self.history {
            history.ready(place, under_way);
        }
    }

    /// The server has said what will hold when it is ready next, and from then on until it says
    /// something else.
    pub fn reported(&mut self, value: Option<T>) {
        self.history().told = Some(PossibleValues::of(value));
    }

    fn history(&mut self) -> &mut SettingHistory<T> {
        let Self { first, history } = self;
        let begin = || Box::new(SettingHistory::new(PossibleValues::of(first.clone())));
        history.get_or_insert_with(begin)
    }
}

impl<T: Clone + Eq> SettingHistory<T> {
    fn new(first: PossibleValues<T>) -> Self {
        Self {
            base: first.clone(),
            current: first.clone(),
            first,
            committing: None,
            seen: PossibleValues::none(),
            pending: PossibleValues::none(),
            ending: TransactionOutcome::Kept,
            told: None,
        }
    }

    fn possible(&self, before: EarlierStatements) -> PossibleValues<T> {
        let possible = match before {
            EarlierStatements::Nothing => self.current.clone(),
            EarlierStatements::Others => self.all(),
        };
        possible.or(&self.pending)
    }

    fn sent(&mut self, change: &TrackedChange<'_, T>) {
        let to = self.target(change.to);
        self.pending = std::mem::replace(&mut self.pending, PossibleValues::Unknown).or(&to);
    }

    fn applied(&mut self, change: &TrackedChange<'_, T>) {
        let to = self.target(change.to);
        if self.ending == TransactionOutcome::Undone {
            self.ending = TransactionOutcome::Kept;
        }
        self.seen = std::mem::replace(&mut self.seen, PossibleValues::Unknown).or(&to);
        let before = self.committing.as_ref().unwrap_or(&self.base);
        let committing = match (change.scope, change.surety) {
            (SettingScope::Session, Certainty::Certain) => Some(to.clone()),
            (SettingScope::Session, Certainty::Possible) => Some(to.clone().or(before)),
            (SettingScope::Transaction, _) => None,
        };
        self.committing = committing.or(self.committing.take());
        self.current = match change.surety {
            Certainty::Certain => to,
            Certainty::Possible => to.or(&self.current),
        };
    }

    fn is_moving(&self) -> bool {
        let is_news = self.told.as_ref().is_some_and(|told| *told != self.current);
        is_news
            || self.ending != TransactionOutcome::Kept
            || !self.seen.is_none()
            || !self.pending.is_none()
    }

    fn ended(&mut self, ended: StatementEnd) {
        if !self.is_moving() {
            return;
        }
        match ended {
            StatementEnd::Well => {}
            StatementEnd::With(end) => self.closed(end),
            StatementEnd::Failed => self.failed(),
            StatementEnd::Scrambled => self.scrambled(),
        }
    }

    fn doubted(&mut self) {
        if self.is_moving() {
            self.failed();
        }
    }

    fn ready(&mut self, place: TransactionPosition, under_way: EarlierStatements) {
        if !self.is_moving() {
            return;
        }
        match place {
            TransactionPosition::Outside => self.idle(),
            TransactionPosition::Within => self.goes_on(),
        }
        if under_way == EarlierStatements::Nothing {
            self.rest();
        }
    }

    /// A statement has failed: the transaction around it, if only an implicit one, may undo what
    /// was applied before.
    fn failed(&mut self) {
        self.ending = TransactionOutcome::InDoubt;
    }

    /// Several statements have run, and nobody says which of them ended a transaction, or how.
    fn scrambled(&mut self) {
        let all = self.all();
        self.current = all.clone();
        self.seen = all.clone();
        self.committing = Some(all);
        self.ending = TransactionOutcome::InDoubt;
    }

    /// A statement that ends a transaction has succeeded.
    fn closed(&mut self, end: TransactionEnd) {
        match end {
            TransactionEnd::Commit => {
                if self.ending == TransactionOutcome::Undone {
                    // It was perhaps only a savepoint that was gone back to.
                    self.ending = TransactionOutcome::InDoubt;
                }
                self.close();
            }
            TransactionEnd::AtOnce => {
                // Older ones may not.
                if let Some(committing) = &self.committing {
                    self.base = committing.clone().or(&self.base);
                }
            }
            TransactionEnd::Rollback => {
                // Until the transaction is seen to be over, it may go on from a savepoint.
                let all = self.all();
                self.current = all.clone();
                self.committing = Some(all);
                self.ending = TransactionOutcome::Undone;
            }
        }
    }

    /// The server is ready, and no transaction is open any more: what ended without saying so,
    /// ended before now.
    fn idle(&mut self) {
        self.close();
        if let Some(told) = &self.told {
            self.current = told.clone();
            self.base = told.clone();
        }
    }

    /// The server is ready within a transaction.
    fn goes_on(&mut self) {
        if let Some(told) = &self.told {
            self.current = told.clone();
        }
    }

    fn close(&mut self) {
        if let Some(committed) = self.committing.take() {
            match self.ending {
                TransactionOutcome::Kept => self.base = committed,
                TransactionOutcome::Undone => {}
                TransactionOutcome::InDoubt => self.base = committed.or(&self.base),
            }
        }
        self.current = self.base.clone();
        self.seen = PossibleValues::none();
        self.ending = TransactionOutcome::Kept;
    }

    /// Nothing is under way.
    fn rest(&mut self) {
        self.pending = PossibleValues::none();
    }

    /// Everything that holds, held or will hold, whatever becomes of the transaction.
    fn all(&self) -> PossibleValues<T> {
        let all = self.current.clone().or(&self.base).or(&self.seen);
        match &self.committing {
            Some(committing) => all.or(committing),
            None => all,
        }
    }

    fn target(&self, to: &AssignedValue<T>) -> PossibleValues<T> {
        match to {
            AssignedValue::To(value) => PossibleValues::only(value.clone()),
            AssignedValue::Default => self.first.clone(),
            AssignedValue::Unknown => PossibleValues::Unknown,
            AssignedValue::Perhaps => PossibleValues::Unsure(Vec::new()),
        }
    }
}

impl<T> TrackedChange<'_, T> {
    /// The same of a statement that may not have run.
    pub fn possibly(self) -> Self {
        Self {
            surety: Certainty::Possible,
            ..self
        }
    }
}

impl<'e> TrackedChange<'e, SearchPathNames> {
    /// What an effect does to the search_path.
    pub fn of_path(effect: &'e SessionEffect) -> Option<Self> {
        match effect {
            SessionEffect::SearchPathSet {
                path,
                scope,
                surety,
            } => Some(Self {
                to: path,
                scope: *scope,
                surety: *surety,
            }),
            _ => None,
        }
    }
}

impl<T> fmt::Debug for TrackedSetting<T> {
    /// Without the values, which the client may have chosen.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TrackedSetting")
    }
}

impl From<PossibleValues<SearchPathNames>> for SearchPaths {
    fn from(possible: PossibleValues<SearchPathNames>) -> Self {
        match possible {
            PossibleValues::Known(paths) => Self::Known(paths.into()),
            PossibleValues::Unsure(paths) => Self::Unsure(paths.into()),
            PossibleValues::Unknown => Self::Unknown,
        }
    }
}

impl<T: Clone + Eq> PossibleValues<T> {
    /// The value, where only one may hold.
    pub fn certain(&self) -> Option<&T> {
        match self {
            Self::Known(values) => match values.as_slice() {
                [only] => Some(only),
                _ => None,
            },
            Self::Unsure(_) | Self::Unknown => None,
        }
    }

    /// This value, or any where it is not known.
    fn of(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, Self::only)
    }

    fn none() -> Self {
        Self::Known(Vec::new())
    }

    fn is_none(&self) -> bool {
        matches!(self, Self::Known(values) if values.is_empty())
    }

    fn only(value: T) -> Self {
        Self::Known(vec![value])
    }

    /// Either of two; too many are none that is known.
    fn or(self, other: &Self) -> Self {
        let is_sure = matches!((&self, other), (Self::Known(_), Self::Known(_)));
        let (Self::Known(mut values) | Self::Unsure(mut values), others) = (self, other) else {
            return Self::Unknown;
        };
        let (Self::Known(others) | Self::Unsure(others)) = others else {
            return Self::Unknown;
        };
        for value in others {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        if values.len() > limits::SEARCH_PATHS_POSSIBLE_MAX {
            return Self::Unknown;
        }
        match is_sure {
            true => Self::Known(values),
            false => Self::Unsure(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> SearchPathNames {
        Box::new([name.into()])
    }

    type Paths = TrackedSetting<SearchPathNames>;

    /// A change, as steps take it.
    struct TestChange(AssignedValue<SearchPathNames>, SettingScope, Certainty);

    fn to(name: &str) -> TestChange {
        TestChange(
            AssignedValue::To(path(name)),
            SettingScope::Session,
            Certainty::Certain,
        )
    }

    fn local(name: &str) -> TestChange {
        TestChange(to(name).0, SettingScope::Transaction, Certainty::Certain)
    }

    impl TestChange {
        fn change(&self) -> TrackedChange<'_, SearchPathNames> {
            TrackedChange {
                to: &self.0,
                scope: self.1,
                surety: self.2,
            }
        }
    }

    impl Paths {
        fn send(&mut self, step: &TestChange) {
            self.sent(&step.change());
        }

        fn apply(&mut self, step: &TestChange) {
            self.applied(&step.change());
        }
    }

    /// Plays steps on a session that began with `a`, and checks what may hold afterwards.
    fn check(steps: impl FnOnce(&mut Paths), possible: &[&str]) {
        let mut paths = Paths::new(Some(path("a")));
        steps(&mut paths);
        let PossibleValues::Known(known) = paths.possible(EarlierStatements::Nothing) else {
            assert!(possible.is_empty(), "not known");
            return;
        };
        let mut names: Vec<&str> = known.iter().map(|path| &*path[0]).collect();
        names.sort_unstable();
        assert_eq!(names, possible);
    }

    /// One statement outside of a transaction, answered before the next one is sent.
    fn alone(paths: &mut Paths, step: &TestChange) {
        paths.send(step);
        paths.apply(step);
        paths.history().idle();
        paths.history().rest();
    }

    #[test]
    fn what_was_answered_holds() {
        check(|_| {}, &["a"]);
        check(|paths| alone(paths, &to("b")), &["b"]);
        check(|paths| alone(paths, &local("b")), &["a"]);
        let reset = TestChange(
            AssignedValue::Default,
            SettingScope::Session,
            Certainty::Certain,
        );
        check(
            |paths| {
                alone(paths, &to("b"));
                alone(paths, &reset);
            },
            &["a"],
        );
    }

    #[test]
    fn what_a_function_may_have_set_leaves_what_was_known_unsure() {
        let mut paths = Paths::new(Some(path("a")));
        let perhaps = TestChange(
            AssignedValue::Perhaps,
            SettingScope::Session,
            Certainty::Possible,
        );
        alone(&mut paths, &perhaps);
        let unsure = |paths: &Paths| match paths.possible(EarlierStatements::Nothing) {
            PossibleValues::Unsure(known) => known,
            PossibleValues::Known(_) | PossibleValues::Unknown => panic!("not unsure"),
        };
        assert_eq!(unsure(&paths), [path("a")]);
        let maybe = TestChange(to("b").0, SettingScope::Session, Certainty::Possible);
        alone(&mut paths, &maybe);
        assert_eq!(unsure(&paths).len(), 2);
        alone(&mut paths, &to("c"));
        assert_eq!(
            paths.possible(EarlierStatements::Nothing).certain(),
            Some(&path("c"))
        );
    }

    #[test]
    fn what_is_under_way_may_hold_already() {
        check(|paths| paths.send(&to("b")), &["a", "b"]);
        check(
            |paths| {
                paths.send(&to("b"));
                paths.send(&to("c"));
                paths.apply(&to("b"));
                paths.history().idle();
            },
            &["b", "c"],
        );
        check(
            |paths| {
                paths.send(&to("b"));
                paths.history().failed();
                paths.history().idle();
                paths.history().rest();
            },
            &["a"],
        );
    }

    #[test]
    fn transactions_keep_or_undo() {
        let begun = |paths: &mut Paths| {
            paths.send(&to("b"));
            paths.apply(&to("b"));
            paths.history().rest();
        };
        check(begun, &["b"]);
        for (end, left) in [
            (TransactionEnd::Commit, "b"),
            (TransactionEnd::Rollback, "a"),
        ] {
            check(
                |paths| {
                    begun(paths);
                    paths.history().closed(end);
                    paths.history().idle();
                },
                &[left],
            );
        }
        check(
            |paths| {
                begun(paths);
                paths.apply(&local("c"));
            },
            &["c"],
        );
        check(
            |paths| {
                begun(paths);
                paths.apply(&local("c"));
                paths.history().closed(TransactionEnd::Commit);
            },
            &["b"],
        );
        check(
            |paths| {
                begun(paths);
                paths.history().failed();
                paths.history().closed(TransactionEnd::Commit);
            },
            &["a", "b"],
        );
        check(
            |paths| {
                begun(paths);
                paths.apply(&to("c"));
                paths.history().closed(TransactionEnd::Rollback);
            },
            &["a", "b", "c"],
        );
        // It was to a savepoint.
        check(
            |paths| {
                begun(paths);
                paths.history().closed(TransactionEnd::Rollback);
                paths.history().closed(TransactionEnd::Commit);
            },
            &["a", "b"],
        );
        check(
            |paths| {
                begun(paths);
                paths.history().scrambled();
            },
            &["a", "b"],
        );
    }

    #[test]
    fn behind_what_is_under_way_everything_may_hold() {
        let mut paths = Paths::new(Some(path("a")));
        paths.apply(&local("b"));
        paths.history().rest();
        let count = |before| match paths.possible(before) {
            PossibleValues::Known(known) => known.len(),
            PossibleValues::Unsure(_) | PossibleValues::Unknown => 0,
        };
        assert_eq!(count(EarlierStatements::Nothing), 1);
        // It may be a COMMIT, or fail.
        assert_eq!(count(EarlierStatements::Others), 2);
    }

    #[test]
    fn a_rollback_does_not_undo_what_was_committed_in_the_same_pipeline() {
        check(
            |paths| {
                paths.send(&to("b"));
                paths.apply(&to("b"));
                paths.history().idle();
                paths.history().closed(TransactionEnd::Rollback);
                paths.history().idle();
                paths.history().rest();
            },
            &["b"],
        );
    }

    #[test]
    fn what_is_committed_at_once_may_survive_a_rollback() {
        let discarded = |paths: &mut Paths| {
            alone(paths, &to("b"));
            let reset = TestChange(
                AssignedValue::Default,
                SettingScope::Session,
                Certainty::Certain,
            );
            paths.send(&reset);
            paths.apply(&reset);
            paths.history().closed(TransactionEnd::AtOnce);
        };
        check(
            |paths| {
                discarded(paths);
                paths.history().closed(TransactionEnd::Rollback);
                paths.history().idle();
                paths.history().rest();
            },
            &["a", "b"],
        );
        check(
            |paths| {
                discarded(paths);
                paths.history().idle();
                paths.history().rest();
            },
            &["a"],
        );
    }

    #[test]
    fn doubt_keeps_both_and_too_much_of_it_is_no_knowledge() {
        let doubtful = TestChange(to("b").0, SettingScope::Session, Certainty::Possible);
        check(|paths| alone(paths, &doubtful), &["a", "b"]);
        let unknown = TestChange(
            AssignedValue::Unknown,
            SettingScope::Session,
            Certainty::Certain,
        );
        check(|paths| alone(paths, &unknown), &[]);
        check(
            |paths| {
                alone(paths, &unknown);
                alone(paths, &to("b"));
            },
            &["b"],
        );
        check(
            |paths| {
                for name in ["b", "c", "d", "e"] {
                    paths.send(&to(name));
                }
            },
            &[],
        );
    }

    #[test]
    fn what_the_server_says_counts() {
        check(
            |paths| {
                alone(
                    paths,
                    &TestChange(
                        AssignedValue::Unknown,
                        SettingScope::Session,
                        Certainty::Possible,
                    ),
                );
                paths.reported(Some(path("z")));
                assert!(paths.is_moving());
                paths.history().idle();
            },
            &["z"],
        );
    }
}
