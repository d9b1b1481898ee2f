//! What is being judged, and what was learned so far.

use std::fmt::Write;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::grounds::Database;
use super::hidden::Suspicion;
use super::sight::Sight;
use super::{
    Cursor, Depth, Effect, Facts, Grounds, Judgement, Parameters, PathChange, Prepared, Refusal,
    Scope, SearchPaths, SessionNames, StatementKind, Surety, Verdict,
};
use crate::policy::{CatalogNeed, Policy};
use crate::sql::edit::Edit;
use crate::sql::fingerprint::Fingerprint;

/// One text before the gate. Rules read it and leave notes in it.
pub struct Case<'j> {
    pub(super) text: &'j str,
    pub(super) policy: &'j Policy,
    pub(super) fingerprint: Option<Fingerprint>,
    /// How many statements were counted.
    pub(super) statements: u32,
    /// Where the statement at hand stands in the text.
    pub(super) statement: Range<usize>,
    /// What the statements passed so far change in the session, in order.
    pub(super) effects: Vec<Effect>,
    /// Values to lower.
    pub(super) edits: Vec<Edit>,
    /// What to tell the client about them.
    pub(super) notice: String,
    /// Whether a call in the statement at hand runs, once and for certain.
    pub(super) calls_run: Surety,
    /// Whether the text is one that another one executes or fetches from.
    pub(super) nesting: Nesting,
    /// The first name of the statement at hand that some object hides an effect under.
    pub(super) suspicion: Option<Suspicion>,
    /// The types of the parameters.
    pub(super) parameters: Parameters,
    names: &'j SessionNames,
    /// Where names are looked up, where that is not what the session said any more.
    moved: Option<SearchPaths>,
    /// Where they will be looked up when the statement at hand is done.
    moving: Option<SearchPaths>,
    cacheable: bool,
}

/// How much was noted when an inner statement began.
pub struct Mark {
    effects: usize,
    moving: Option<SearchPaths>,
}

/// Whose text is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// The client's.
    Own,
    /// That of a prepared statement or cursor, because the client's runs it.
    Run,
}

impl<'j> Case<'j> {
    pub(super) fn new(
        text: &'j str,
        policy: &'j Policy,
        names: &'j SessionNames,
        fingerprint: Option<Fingerprint>,
    ) -> Self {
        Self {
            text,
            policy,
            fingerprint,
            statements: 0,
            statement: 0..text.len(),
            effects: Vec::new(),
            edits: Vec::new(),
            notice: String::new(),
            calls_run: Surety::Possible,
            nesting: Nesting::Own,
            suspicion: None,
            parameters: Parameters::Unknown,
            names,
            moved: None,
            moving: None,
            cacheable: true,
        }
    }

    /// A text that another one runs, judged on its own, where names are looked up in `paths`.
    pub(super) fn run(&self, text: &'j str, paths: Option<SearchPaths>) -> Self {
        Self {
            nesting: Nesting::Run,
            moved: paths.or_else(|| self.moved.clone()),
            ..Self::new(text, self.policy, self.names, None)
        }
    }

    /// The names of the session. A verdict that looked at them is good for this session, now.
    pub(super) fn names(&mut self) -> &'j SessionNames {
        self.cacheable = false;
        self.names
    }

    /// The major version of the upstream, where it is known. It is a part of the cache's key.
    pub(super) fn server_major(&self) -> Option<u16> {
        self.names.server_major()
    }

    /// The text of the statement at hand.
    pub(super) fn statement_text(&self) -> Arc<str> {
        self.text
            .get(self.statement.clone())
            .unwrap_or(self.text)
            .into()
    }

    /// What the snapshot of the database shows. It is a part of the cache's key, as the next two
    /// are.
    pub(super) fn sight(&self) -> Option<&'j Sight> {
        self.names.sight().map(AsRef::as_ref)
    }

    /// How deep this verdict looks.
    pub(super) fn depth(&self) -> Depth {
        match (self.names.grounds().database, self.policy.catalog()) {
            (Database::Seen(_), _) if self.sight().is_some() => Depth::Names,
            (Database::Absent, _) | (Database::Unseen, CatalogNeed::Preferred) => Depth::Tree,
            // A snapshot that is known but not at hand is none.
            (Database::Seen(_), _) | (Database::Unseen, CatalogNeed::Required) => Depth::BuiltIns,
        }
    }

    /// As whom the upstream session runs.
    pub(super) fn role(&self) -> &'j str {
        self.names.role()
    }

    /// Where names are looked up.
    pub(super) fn paths(&self) -> &SearchPaths {
        self.moved.as_ref().unwrap_or_else(|| self.names.paths())
    }

    /// Whether that is not what the session said any more.
    pub(super) fn has_moved(&self) -> bool {
        self.moved.is_some()
    }

    /// What the session said of the grounds.
    pub(super) fn grounds(&self) -> Grounds {
        self.names.grounds()
    }

    /// Whether a verdict of before is good now.
    pub(super) fn holds(&self, facts: &Facts) -> bool {
        self.moved.is_none() && facts.hold_on(self.names.grounds())
    }

    /// Where the notes of an inner statement begin.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            effects: self.effects.len(),
            moving: self.moving.clone(),
        }
    }

    /// Takes back what was noted since: the statement is not run. Its effects are returned.
    pub(super) fn take_back(&mut self, mark: Mark) -> Vec<Effect> {
        self.moving = mark.moving;
        self.effects.split_off(mark.effects.min(self.effects.len()))
    }

    /// Notes that names may be looked up elsewhere afterwards.
    pub(super) fn move_paths(&mut self, path: PathChange, scope: Scope) {
        let surety = self.calls_run;
        self.moving = Some(match (&path, surety) {
            (PathChange::To(names), Surety::Certain) => {
                SearchPaths::Known(Box::new([names.clone()]))
            }
            (PathChange::To(_) | PathChange::Default | PathChange::Unknown, _) => {
                SearchPaths::Unknown
            }
        });
        let noted = matches!(
            self.effects.last(),
            Some(Effect::SearchPathSet {
                path: PathChange::Unknown,
                scope: Scope::Session,
                ..
            })
        );
        if !(noted && path == PathChange::Unknown) {
            self.effects.push(Effect::SearchPathSet {
                path,
                scope,
                surety,
            });
        }
    }

    /// A transaction or a part of it ended within this text: where names are looked up may be as it
    /// was before.
    pub(super) fn lose_paths(&mut self) {
        self.moving = Some(SearchPaths::Unknown);
    }

    /// The statement at hand is done.
    pub(super) fn end_statement(&mut self) {
        if self.moving.is_some() {
            self.moved = self.moving.take();
        }
    }

    /// A prepared statement, after what earlier statements of this text did.
    pub(super) fn prepared(&mut self, name: &str) -> Option<Prepared> {
        let names = self.names();
        for effect in self.effects.iter().rev() {
            match effect {
                Effect::Prepare {
                    name: made,
                    inner,
                    text,
                } if **made == *name => {
                    return Some(Prepared {
                        facts: Arc::clone(inner),
                        text: Arc::clone(text),
                        parameters: Parameters::Unknown,
                    });
                }
                Effect::Deallocate { name: gone } if **gone == *name => return None,
                Effect::DeallocateAll | Effect::DiscardAll => return None,
                Effect::Prepare { .. }
                | Effect::Deallocate { .. }
                | Effect::DeclareCursor { .. }
                | Effect::CloseCursor { .. }
                | Effect::CloseAllCursors
                | Effect::SettingsTouched
                | Effect::SearchPathSet { .. } => {}
            }
        }
        names.prepared(name).cloned()
    }

    /// A cursor, after what earlier statements of this text did.
    pub(super) fn cursor(&mut self, name: &str) -> Option<Cursor> {
        let names = self.names();
        for effect in self.effects.iter().rev() {
            match effect {
                Effect::DeclareCursor {
                    name: made,
                    hold,
                    inner,
                    text,
                } if **made == *name => {
                    return Some(Cursor {
                        facts: Arc::clone(inner),
                        hold: *hold,
                        text: Arc::clone(text),
                        parameters: Parameters::Unknown,
                        next_run: Surety::Possible,
                    });
                }
                Effect::CloseCursor { name: gone } if **gone == *name => return None,
                Effect::CloseAllCursors | Effect::DiscardAll => return None,
                Effect::DeclareCursor { .. }
                | Effect::CloseCursor { .. }
                | Effect::Prepare { .. }
                | Effect::Deallocate { .. }
                | Effect::DeallocateAll
                | Effect::SettingsTouched
                | Effect::SearchPathSet { .. } => {}
            }
        }
        names.cursor(name).cloned()
    }

    /// What a prepared statement or cursor changes when it runs.
    pub(super) fn take_over(&mut self, inner: &Facts) {
        for effect in &inner.effects {
            if let Effect::SearchPathSet { path, scope, .. } = effect {
                self.calls_run = Surety::Possible;
                self.move_paths(path.clone(), *scope);
            } else {
                self.effects.push(effect.clone());
            }
        }
    }

    /// Notes that settings may be others afterwards.
    pub(super) fn touch_settings(&mut self) {
        let noted = matches!(
            self.effects.as_slice(),
            [.., Effect::SettingsTouched]
                | [.., Effect::SettingsTouched, Effect::SearchPathSet { .. }]
        );
        if !noted {
            self.effects.push(Effect::SettingsTouched);
        }
    }

    /// Notes a value that is lowered to what the policy gives.
    pub(super) fn lower(&mut self, setting: &str, ms: u64, edit: Edit) {
        self.edits.push(edit);
        let separator = if self.notice.is_empty() { "" } else { "; " };
        let name = self.policy.name();
        // Writing into a String cannot fail.
        let _ = write!(
            self.notice,
            "{separator}{setting} is {ms} ms: policy {name} gives no more"
        );
    }

    /// The end of a text that was refused.
    pub(super) fn refused<'t>(&self, refusal: Box<Refusal>, kind: StatementKind) -> Judgement<'t> {
        let facts = Facts::of_refused(
            kind,
            self.fingerprint,
            self.statements,
            self.names.grounds(),
            self.depth(),
        );
        Judgement {
            verdict: Verdict::Refused(refusal),
            facts: Arc::new(facts),
        }
    }

    /// What is known of the whole text, at the end.
    pub(super) fn into_facts(self, kind: StatementKind) -> Facts {
        let (grounds, depth) = (self.names.grounds(), self.depth());
        Facts {
            kind,
            fingerprint: self.fingerprint,
            statements: self.statements,
            effects: self.effects.into_boxed_slice(),
            cacheable: self.cacheable,
            grounds,
            depth,
            forecast: OnceLock::new(),
            stands_in: OnceLock::new(),
            rows_max: OnceLock::new(),
        }
    }

    /// What is known of a statement inside another one, which began at `mark` and is not run yet.
    pub(super) fn inner_facts(&mut self, kind: StatementKind, mark: Mark) -> Facts {
        let (grounds, depth) = (self.names.grounds(), self.depth());
        Facts {
            kind,
            fingerprint: self.fingerprint,
            statements: 1,
            effects: self.take_back(mark).into_boxed_slice(),
            // Behind a change of search_path in the same text it was judged on grounds that the
            // session did not state: it is judged again when it runs.
            cacheable: self.moved.is_none(),
            grounds,
            depth,
            forecast: OnceLock::new(),
            stands_in: OnceLock::new(),
            rows_max: OnceLock::new(),
        }
    }
}
