//! Prepared statements and cursors by their names, after what earlier statements of the same text
//! did to them.

use std::sync::Arc;

use crate::gate::context::Case;
use crate::gate::{Cursor, Effect, Parameters, Prepared, Surety};

impl Case<'_> {
    /// A prepared statement, after what earlier statements of this text did.
    pub(in crate::gate) fn prepared(&mut self, name: &str) -> Option<Prepared> {
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
                | Effect::SearchPathSet { .. }
                | Effect::SettingSet { .. } => {}
            }
        }
        names.prepared(name).cloned()
    }

    /// A cursor, after what earlier statements of this text did.
    pub(in crate::gate) fn cursor(&mut self, name: &str) -> Option<Cursor> {
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
                        opened: None,
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
                | Effect::SearchPathSet { .. }
                | Effect::SettingSet { .. } => {}
            }
        }
        names.cursor(name).cloned()
    }
}
