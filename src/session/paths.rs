//! Where the session's unqualified names may be looked up right now.
//!
//! Only a server from 18 on tells its search_path. For the others every change is followed: what
//! was sent may hold from then on; what was answered holds; what a transaction did goes with it.
//! Where that leaves a doubt, every path that may hold is kept, and the gate asks all of them.

use std::fmt;

use crate::gate::{Effect, PathChange, Scope, SearchPaths, Surety};
use crate::limits;

/// A search_path as its names, `$user` among them.
pub type Path = Box<[Box<str>]>;

/// What is known of the search_path.
pub struct Paths {
    /// What RESET returns to: what the session began with.
    first: Possible,
    /// What holds outside of the open transaction, and again after a ROLLBACK.
    base: Possible,
    /// What holds now, by what was answered.
    current: Possible,
    /// What COMMIT would leave, if that is not `base`.
    committing: Option<Possible>,
    /// Everything that held at some time in the open transaction.
    seen: Possible,
    /// What was sent and may hold before its answer is here.
    pending: Possible,
    /// What the end of the transaction, once it is over, will have been.
    ending: Ending,
    /// What the server said last, where it says anything: then it does at every rest.
    told: Option<Possible>,
}

/// What a statement does to the search_path, as the gate found it.
#[derive(Clone, Copy)]
pub struct Change<'e> {
    /// To what.
    pub path: &'e PathChange,
    /// For how long.
    pub scope: Scope,
    /// Whether it happens for sure when the statement succeeds.
    pub surety: Surety,
}

/// A statement that ends a transaction, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// COMMIT: its changes stay.
    Commit,
    /// ROLLBACK, to a savepoint or of the whole: the two have the same command tag.
    Rollback,
}

/// What will run before a statement that is judged now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nothing: all answers are here.
    Nothing,
    /// Statements that are on their way.
    Others,
}

/// How a transaction will have ended when it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// Its changes stay.
    Kept,
    /// They are undone: the last that was said is ROLLBACK.
    Undone,
    /// Something has failed.
    InDoubt,
}

/// Paths of which any may hold.
#[derive(Clone, PartialEq, Eq)]
enum Possible {
    Known(Vec<Path>),
    Unknown,
}

impl Paths {
    /// A session that begins with this path; none if it could not be read.
    pub fn new(first: Option<Path>) -> Self {
        let first = match first {
            Some(path) => Possible::only(path),
            None => Possible::Unknown,
        };
        Self {
            base: first.clone(),
            current: first.clone(),
            first,
            committing: None,
            seen: Possible::none(),
            pending: Possible::none(),
            ending: Ending::Kept,
            told: None,
        }
    }

    /// All paths that may hold when what is judged now begins to run: at once, or after other
    /// statements, of which any may end a transaction, or fail, or go back to a savepoint.
    pub fn possible(&self, before: Before) -> SearchPaths {
        let possible = match before {
            Before::Nothing => self.current.clone(),
            Before::Others => self.all(),
        };
        match possible.or(&self.pending) {
            Possible::Known(paths) => SearchPaths::Known(paths.into()),
            Possible::Unknown => SearchPaths::Unknown,
        }
    }

    /// A statement with this change is on its way.
    pub fn sent(&mut self, change: Change<'_>) {
        let to = self.target(change.path);
        self.pending = std::mem::replace(&mut self.pending, Possible::Unknown).or(&to);
    }

    /// A statement with this change has succeeded.
    pub fn applied(&mut self, change: Change<'_>) {
        let to = self.target(change.path);
        if self.ending == Ending::Undone {
            self.ending = Ending::Kept;
        }
        self.seen = std::mem::replace(&mut self.seen, Possible::Unknown).or(&to);
        let before = self.committing.as_ref().unwrap_or(&self.base);
        let committing = match (change.scope, change.surety) {
            (Scope::Session, Surety::Certain) => Some(to.clone()),
            (Scope::Session, Surety::Possible) => Some(to.clone().or(before)),
            (Scope::Transaction, _) => None,
        };
        self.committing = committing.or(self.committing.take());
        self.current = match change.surety {
            Surety::Certain => to,
            Surety::Possible => to.or(&self.current),
        };
    }

    /// Whether anything is to be settled when statements fail or transactions end.
    pub fn is_moving(&self) -> bool {
        let is_news = self.told.as_ref().is_some_and(|told| *told != self.current);
        is_news || self.ending != Ending::Kept || !self.seen.is_none() || !self.pending.is_none()
    }

    /// A statement has failed: the transaction around it, if only an implicit one, may undo what
    /// was applied before.
    pub fn failed(&mut self) {
        self.ending = Ending::InDoubt;
    }

    /// Several statements have run, and nobody says which of them ended a transaction, or how.
    pub fn scrambled(&mut self) {
        let all = self.all();
        self.current = all.clone();
        self.seen = all.clone();
        self.committing = Some(all);
        self.ending = Ending::InDoubt;
    }

    /// A statement that ends a transaction has succeeded.
    pub fn ended(&mut self, end: End) {
        match end {
            End::Commit => {
                if self.ending == Ending::Undone {
                    // It was perhaps only a savepoint that was gone back to.
                    self.ending = Ending::InDoubt;
                }
                self.close();
            }
            End::Rollback => {
                // Until the transaction is seen to be over, it may go on from a savepoint.
                let all = self.all();
                self.current = all.clone();
                self.committing = Some(all);
                self.ending = Ending::Undone;
            }
        }
    }

    /// The server is ready, and no transaction is open any more: what ended without saying so,
    /// ended before now.
    pub fn idle(&mut self) {
        self.close();
        if let Some(told) = &self.told {
            self.current = told.clone();
            self.base = told.clone();
        }
    }

    /// The server is ready within a transaction.
    pub fn goes_on(&mut self) {
        if let Some(told) = &self.told {
            self.current = told.clone();
        }
    }

    fn close(&mut self) {
        if let Some(committed) = self.committing.take() {
            match self.ending {
                Ending::Kept => self.base = committed,
                Ending::Undone => {}
                Ending::InDoubt => self.base = committed.or(&self.base),
            }
        }
        self.current = self.base.clone();
        self.seen = Possible::none();
        self.ending = Ending::Kept;
    }

    /// Nothing is under way.
    pub fn rest(&mut self) {
        self.pending = Possible::none();
    }

    /// The server has said what will hold when it is ready next, and from then on until it says
    /// something else.
    pub fn reported(&mut self, path: Option<Path>) {
        let said = match path {
            Some(path) => Possible::only(path),
            None => Possible::Unknown,
        };
        self.told = Some(said);
    }

    /// Everything that holds, held or will hold, whatever becomes of the transaction.
    fn all(&self) -> Possible {
        let all = self.current.clone().or(&self.base).or(&self.seen);
        match &self.committing {
            Some(committing) => all.or(committing),
            None => all,
        }
    }

    fn target(&self, change: &PathChange) -> Possible {
        match change {
            PathChange::To(path) => Possible::only(path.clone()),
            PathChange::Default => self.first.clone(),
            PathChange::Unknown => Possible::Unknown,
        }
    }
}

impl<'e> Change<'e> {
    /// The change that an effect is, if it is one.
    pub fn of(effect: &'e Effect) -> Option<Self> {
        match effect {
            Effect::SearchPathSet {
                path,
                scope,
                surety,
            } => Some(Self {
                path,
                scope: *scope,
                surety: *surety,
            }),
            _ => None,
        }
    }
}

impl fmt::Debug for Paths {
    /// Without the names, which the client may have chosen.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Paths")
    }
}

impl Possible {
    fn none() -> Self {
        Self::Known(Vec::new())
    }

    fn is_none(&self) -> bool {
        matches!(self, Self::Known(paths) if paths.is_empty())
    }

    fn only(path: Path) -> Self {
        Self::Known(vec![path])
    }

    /// Either of two; too many are none that is known.
    fn or(self, other: &Self) -> Self {
        let (Self::Known(mut paths), Self::Known(others)) = (self, other) else {
            return Self::Unknown;
        };
        for path in others {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        if paths.len() > limits::SEARCH_PATHS_POSSIBLE_MAX {
            return Self::Unknown;
        }
        Self::Known(paths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> Path {
        Box::new([name.into()])
    }

    /// A change, as steps take it.
    struct Step(PathChange, Scope, Surety);

    fn to(name: &str) -> Step {
        Step(PathChange::To(path(name)), Scope::Session, Surety::Certain)
    }

    fn local(name: &str) -> Step {
        Step(to(name).0, Scope::Transaction, Surety::Certain)
    }

    impl Step {
        fn change(&self) -> Change<'_> {
            Change {
                path: &self.0,
                scope: self.1,
                surety: self.2,
            }
        }
    }

    impl Paths {
        fn send(&mut self, step: &Step) {
            self.sent(step.change());
        }

        fn apply(&mut self, step: &Step) {
            self.applied(step.change());
        }
    }

    /// Plays steps on a session that began with `a`, and checks what may hold afterwards.
    fn check(steps: impl FnOnce(&mut Paths), possible: &[&str]) {
        let mut paths = Paths::new(Some(path("a")));
        steps(&mut paths);
        let SearchPaths::Known(known) = paths.possible(Before::Nothing) else {
            assert!(possible.is_empty(), "not known");
            return;
        };
        let mut names: Vec<&str> = known.iter().map(|path| &*path[0]).collect();
        names.sort_unstable();
        assert_eq!(names, possible);
    }

    /// One statement outside of a transaction, answered before the next one is sent.
    fn alone(paths: &mut Paths, step: &Step) {
        paths.send(step);
        paths.apply(step);
        paths.idle();
        paths.rest();
    }

    #[test]
    fn what_was_answered_holds() {
        check(|_| {}, &["a"]);
        check(|paths| alone(paths, &to("b")), &["b"]);
        check(|paths| alone(paths, &local("b")), &["a"]);
        let reset = Step(PathChange::Default, Scope::Session, Surety::Certain);
        check(
            |paths| {
                alone(paths, &to("b"));
                alone(paths, &reset);
            },
            &["a"],
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
                paths.idle();
            },
            &["b", "c"],
        );
        check(
            |paths| {
                paths.send(&to("b"));
                paths.failed();
                paths.idle();
                paths.rest();
            },
            &["a"],
        );
    }

    #[test]
    fn transactions_keep_or_undo() {
        let begun = |paths: &mut Paths| {
            paths.send(&to("b"));
            paths.apply(&to("b"));
            paths.rest();
        };
        check(begun, &["b"]);
        for (end, left) in [(End::Commit, "b"), (End::Rollback, "a")] {
            check(
                |paths| {
                    begun(paths);
                    paths.ended(end);
                    paths.idle();
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
                paths.ended(End::Commit);
            },
            &["b"],
        );
        check(
            |paths| {
                begun(paths);
                paths.failed();
                paths.ended(End::Commit);
            },
            &["a", "b"],
        );
        check(
            |paths| {
                begun(paths);
                paths.apply(&to("c"));
                paths.ended(End::Rollback);
            },
            &["a", "b", "c"],
        );
        // It was to a savepoint.
        check(
            |paths| {
                begun(paths);
                paths.ended(End::Rollback);
                paths.ended(End::Commit);
            },
            &["a", "b"],
        );
        check(
            |paths| {
                begun(paths);
                paths.scrambled();
            },
            &["a", "b"],
        );
    }

    #[test]
    fn behind_what_is_under_way_everything_may_hold() {
        let mut paths = Paths::new(Some(path("a")));
        paths.apply(&local("b"));
        paths.rest();
        let count = |before| match paths.possible(before) {
            SearchPaths::Known(known) => known.len(),
            SearchPaths::Unknown => 0,
        };
        assert_eq!(count(Before::Nothing), 1);
        // It may be a COMMIT, or fail.
        assert_eq!(count(Before::Others), 2);
    }

    #[test]
    fn a_rollback_does_not_undo_what_was_committed_in_the_same_pipeline() {
        check(
            |paths| {
                paths.send(&to("b"));
                paths.apply(&to("b"));
                paths.idle();
                paths.ended(End::Rollback);
                paths.idle();
                paths.rest();
            },
            &["b"],
        );
    }

    #[test]
    fn doubt_keeps_both_and_too_much_of_it_is_no_knowledge() {
        let doubtful = Step(to("b").0, Scope::Session, Surety::Possible);
        check(|paths| alone(paths, &doubtful), &["a", "b"]);
        let unknown = Step(PathChange::Unknown, Scope::Session, Surety::Certain);
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
                    &Step(PathChange::Unknown, Scope::Session, Surety::Possible),
                );
                paths.reported(Some(path("z")));
                assert!(paths.is_moving());
                paths.idle();
            },
            &["z"],
        );
    }
}
