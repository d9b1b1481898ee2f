//! What holds behind the end of a transaction in the middle of a text.
//!
//! A COMMIT or ROLLBACK leaves what the session said may hold whatever becomes of its transaction,
//! and what the text itself has set since. Every search_path that may hold is kept, as for
//! statements that come apart, and what follows has to pass with each of them. A statement that
//! fails ends the whole message, so what stands behind others runs where those have succeeded.
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-MULTI-STATEMENT>

use super::tracked::TrackedState;
use crate::SearchPaths;
use crate::context::JudgeContext;
use crate::facts::{Certainty, SettingScope};
use sql::tree::{Node, TransactionStmtKind};

/// A statement that ends a transaction, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransactionEndKind {
    /// COMMIT.
    Commit,
    /// ROLLBACK of the whole.
    Rollback,
    /// ROLLBACK TO SAVEPOINT.
    ToSavepoint,
}

/// What statements of one text have done to search_path.
#[derive(Clone, Default)]
pub(crate) struct SearchPathChanges {
    /// What the transaction at hand leaves where nothing of it is kept; none where no transaction
    /// has ended in the text: what the session said.
    base: Option<SearchPaths>,
    /// What its COMMIT leaves, where that is not the base.
    committing: Option<SearchPaths>,
    /// Everything that was set in it.
    seen: Option<SearchPaths>,
}

impl TransactionEndKind {
    /// Of a statement; none where it ends nothing.
    pub(crate) fn of(node: Node<'_>) -> Option<Self> {
        let Node::TransactionStmt(transaction) = node else {
            return None;
        };
        match transaction.kind {
            TransactionStmtKind::TRANS_STMT_COMMIT => Some(Self::Commit),
            TransactionStmtKind::TRANS_STMT_ROLLBACK => Some(Self::Rollback),
            TransactionStmtKind::TRANS_STMT_ROLLBACK_TO => Some(Self::ToSavepoint),
            _ => None,
        }
    }
}

impl JudgeContext<'_> {
    /// A statement of the text may have set search_path to one of these.
    pub(crate) fn note_path(&mut self, to: &SearchPaths, scope: SettingScope, surety: Certainty) {
        let before = self.path_changes.committing.take();
        self.path_changes.committing = match (scope, surety) {
            (SettingScope::Session, Certainty::Certain) => Some(to.clone()),
            (SettingScope::Session, Certainty::Possible) => {
                Some(before.unwrap_or_else(|| self.base()).or(to))
            }
            (SettingScope::Transaction, _) => before,
        };
        self.path_changes.seen = Some(match self.path_changes.seen.take() {
            Some(seen) => seen.or(to),
            None => to.clone(),
        });
    }

    /// A transaction or a part of it ends with the statement at hand, and others follow.
    pub(crate) fn end_transaction(&mut self, end: TransactionEndKind) {
        self.forget_verdict();
        let base = self.base();
        let SearchPathChanges {
            committing, seen, ..
        } = std::mem::take(&mut self.path_changes);
        let left = match (end, committing) {
            (TransactionEndKind::Commit, Some(committing)) => committing,
            (TransactionEndKind::Rollback, Some(committing)) => base.clone().or(&committing),
            (TransactionEndKind::Commit | TransactionEndKind::Rollback, None) => base.clone(),
            (TransactionEndKind::ToSavepoint, committing) => {
                let all = [committing, seen].into_iter().flatten();
                all.fold(base.clone().or(self.paths()), |all, one| all.or(&one))
            }
        };
        self.path_changes = match end {
            TransactionEndKind::Commit | TransactionEndKind::Rollback => SearchPathChanges {
                base: Some(left.clone()),
                ..SearchPathChanges::default()
            },
            TransactionEndKind::ToSavepoint => SearchPathChanges {
                base: Some(base),
                committing: Some(left.clone()),
                seen: Some(left.clone()),
            },
        };
        self.paths_afterwards = Some(left);
        if self.settings_afterwards == TrackedState::AsStated {
            self.settings_afterwards = TrackedState::AfterTransaction;
        }
    }

    /// What the transaction at hand leaves where nothing of it is kept.
    fn base(&self) -> SearchPaths {
        let base = self.path_changes.base.as_ref();
        base.unwrap_or_else(|| self.paths_at_end()).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::rules::check::{gate, rule_of, session_of, shop};
    use crate::{Rule, SearchPaths, SessionNames};
    use policy::Policy;

    fn paths(all: &[&str]) -> SearchPaths {
        let one = |path: &&str| path.split(' ').map(Box::from).collect::<Box<[Box<str>]>>();
        SearchPaths::Known(all.iter().map(one).collect())
    }

    /// A session in `public`, which may return to these.
    fn session(at_end: &[&str]) -> SessionNames {
        let mut names = session_of(shop().build(), &Policy::bi());
        names.set_paths(paths(&["public"]));
        let values = Arc::clone(names.values());
        names.set_at_end(paths(at_end), values);
        names
    }

    /// `settle` has effects in `shop`, and is not there in `public`.
    fn check(names: &SessionNames, passing: &[&str], refused: &[&str]) {
        let gate = gate(Policy::bi());
        for (texts, rule) in [(passing, None), (refused, Some(Rule::HiddenFunction))] {
            for text in texts {
                let text = text.replace('?', "SELECT settle()");
                assert_eq!(
                    rule_of(&gate.judge(text.as_str().into(), names)),
                    rule,
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn what_holds_whatever_becomes_of_the_transaction_holds_behind_its_end() {
        check(
            &session(&["public"]),
            &[
                "?",
                "SELECT lower('A'); COMMIT; SELECT lower('A')",
                "COMMIT; SELECT lower(note) FROM shop.orders",
                "COMMIT; ?",
                "ROLLBACK; ?",
                "COMMIT AND CHAIN; ?",
                "BEGIN; SAVEPOINT a; ?; ROLLBACK TO a; ?; COMMIT",
                "BEGIN; SELECT 1; COMMIT; BEGIN; ?; ROLLBACK; ?",
                "SAVEPOINT a; RELEASE a; ?",
                "SELECT 1; COMMIT; PREPARE p AS SELECT lower('A'); EXECUTE p",
            ],
            &[],
        );
    }

    #[test]
    fn what_a_text_sets_itself_holds_behind_its_commit() {
        check(
            &session(&["public"]),
            &[
                "SET LOCAL search_path = shop; COMMIT; ?",
                "SET LOCAL search_path = shop; ROLLBACK; ?",
                "SET search_path = shop; SET search_path = public; COMMIT; ?",
                "EXPLAIN SELECT set_config('search_path', 'shop', false); COMMIT; ?",
                "SET search_path = shop; COMMIT; SET search_path = public; ?; COMMIT; ?",
            ],
            &[
                "SET LOCAL search_path = shop; ?",
                "SET search_path = shop; COMMIT; ?",
                "SET search_path = shop; ROLLBACK; ?",
                "SET search_path = shop; SET LOCAL search_path = public; COMMIT; ?",
                "SET LOCAL search_path = public; SET search_path = shop; COMMIT; ?",
                "SET search_path = shop; SAVEPOINT a; SET search_path = public; ROLLBACK TO a; ?",
                "SET search_path = shop; SAVEPOINT a; SET search_path = public; ROLLBACK TO a; \
                 COMMIT; ?",
                "SET LOCAL search_path = shop; SAVEPOINT a; SET search_path = public; \
                 ROLLBACK TO a; ?",
                "SET search_path = shop; COMMIT; SET search_path = public; ROLLBACK; ?",
                "SELECT set_config('search_path', 'shop', false) FROM shop.orders; COMMIT; ?",
                "PREPARE p AS SELECT set_config('search_path', 'shop', false); EXECUTE p; \
                 COMMIT; ?",
                "RESET search_path; COMMIT; ?",
            ],
        );
    }

    #[test]
    fn what_the_session_may_return_to_is_asked_as_well() {
        check(
            &session(&["public", "shop"]),
            &["?", "BEGIN; ?", "SAVEPOINT a; ?"],
            &[
                "COMMIT; ?",
                "ROLLBACK; ?",
                "ROLLBACK TO a; ?",
                "SELECT 1; COMMIT; ?",
                "COMMIT; SET LOCAL search_path = public; COMMIT; ?",
            ],
        );
        let mut unsaid = session(&["public"]);
        unsaid.set_paths(paths(&["public"]));
        check(&unsaid, &["?"], &["COMMIT; ?", "ROLLBACK; ?"]);
    }

    #[test]
    fn such_a_verdict_is_good_for_the_moment() {
        let names = session(&["public"]);
        let gate = gate(Policy::bi());
        let cacheable = |text: &str| gate.judge(text.to_owned().into(), &names).facts.cacheable;
        assert!(cacheable("COMMIT") && cacheable("SELECT 1; SELECT 2"));
        assert!(!cacheable("COMMIT; SELECT 1"));
    }
}
