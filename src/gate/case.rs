//! What is being judged, and what was learned so far.

use std::fmt::Write;
use std::sync::Arc;

use super::{Effect, Facts, SessionNames, StatementKind};
use crate::policy::Policy;
use crate::sql::edit::Edit;
use crate::sql::fingerprint::Fingerprint;

/// One text before the gate. Rules read it and leave notes in it.
pub struct Case<'j> {
    pub(super) text: &'j str,
    pub(super) policy: &'j Policy,
    pub(super) fingerprint: Option<Fingerprint>,
    /// How many statements were counted.
    pub(super) statements: u32,
    /// What the statements passed so far change in the session, in order.
    pub(super) effects: Vec<Effect>,
    /// Values to lower.
    pub(super) edits: Vec<Edit>,
    /// What to tell the client about them.
    pub(super) notice: String,
    names: &'j SessionNames,
    cacheable: bool,
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
            effects: Vec::new(),
            edits: Vec::new(),
            notice: String::new(),
            names,
            cacheable: true,
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

    /// What a prepared statement runs, after what earlier statements of this text did.
    pub(super) fn prepared(&mut self, name: &str) -> Option<Arc<Facts>> {
        let names = self.names();
        for effect in self.effects.iter().rev() {
            match effect {
                Effect::Prepare { name: made, inner } if **made == *name => {
                    return Some(Arc::clone(inner));
                }
                Effect::Deallocate { name: gone } if **gone == *name => return None,
                Effect::DeallocateAll | Effect::DiscardAll => return None,
                Effect::Prepare { .. }
                | Effect::Deallocate { .. }
                | Effect::DeclareCursor { .. }
                | Effect::CloseCursor { .. }
                | Effect::CloseAllCursors
                | Effect::SettingsTouched => {}
            }
        }
        names.prepared(name).cloned()
    }

    /// What a cursor runs, after what earlier statements of this text did.
    pub(super) fn cursor(&mut self, name: &str) -> Option<Arc<Facts>> {
        let names = self.names();
        for effect in self.effects.iter().rev() {
            match effect {
                Effect::DeclareCursor {
                    name: made, inner, ..
                } if **made == *name => {
                    return Some(Arc::clone(inner));
                }
                Effect::CloseCursor { name: gone } if **gone == *name => return None,
                Effect::CloseAllCursors | Effect::DiscardAll => return None,
                Effect::DeclareCursor { .. }
                | Effect::CloseCursor { .. }
                | Effect::Prepare { .. }
                | Effect::Deallocate { .. }
                | Effect::DeallocateAll
                | Effect::SettingsTouched => {}
            }
        }
        names.cursor(name).map(|cursor| Arc::clone(&cursor.facts))
    }

    /// Notes that settings may be others afterwards.
    pub(super) fn touch_settings(&mut self) {
        if !matches!(self.effects.last(), Some(Effect::SettingsTouched)) {
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

    /// What is known of the whole text, at the end.
    pub(super) fn into_facts(self, kind: StatementKind) -> Facts {
        Facts {
            kind,
            fingerprint: self.fingerprint,
            statements: self.statements,
            effects: self.effects.into_boxed_slice(),
            cacheable: self.cacheable,
        }
    }

    /// What is known of a statement inside another one, which changed the session from
    /// `first_effect` on.
    pub(super) fn inner_facts(&mut self, kind: StatementKind, first_effect: usize) -> Facts {
        Facts {
            kind,
            fingerprint: self.fingerprint,
            statements: 1,
            effects: self.effects.split_off(first_effect).into_boxed_slice(),
            cacheable: true,
        }
    }
}
