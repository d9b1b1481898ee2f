//! Prepared statements and cursors by their names, after what earlier statements of the same text
//! did to them.

use std::sync::Arc;

use crate::context::JudgeContext;
use crate::{Certainty, Cursor, ParameterTypes, PreparedStatement, SessionEffect};

impl JudgeContext<'_> {
    /// A prepared statement, after what earlier statements of this text did.
    pub(crate) fn prepared(&mut self, name: &str) -> Option<PreparedStatement> {
        self.runs_prepared = true;
        let names = self.names();
        for effect in self.effects.iter().rev() {
            match effect {
                SessionEffect::Prepare {
                    name: made,
                    inner,
                    text,
                } if **made == *name => {
                    return Some(PreparedStatement {
                        facts: Arc::clone(inner),
                        text: Arc::clone(text),
                        parameters: ParameterTypes::Unknown,
                        digests: None,
                        sent: None,
                    });
                }
                SessionEffect::Deallocate { name: gone } if **gone == *name => return None,
                SessionEffect::DeallocateAll | SessionEffect::DiscardAll => return None,
                SessionEffect::Prepare { .. }
                | SessionEffect::Deallocate { .. }
                | SessionEffect::DeclareCursor { .. }
                | SessionEffect::CloseCursor { .. }
                | SessionEffect::CloseAllCursors
                | SessionEffect::SettingsTouched
                | SessionEffect::SearchPathSet { .. }
                | SessionEffect::SettingSet { .. } => {}
            }
        }
        names.prepared(name).cloned()
    }

    /// A cursor, after what earlier statements of this text did.
    pub(crate) fn cursor(&mut self, name: &str) -> Option<Cursor> {
        let names = self.names();
        for effect in self.effects.iter().rev() {
            match effect {
                SessionEffect::DeclareCursor {
                    name: made,
                    hold,
                    inner,
                    text,
                } if **made == *name => {
                    return Some(Cursor {
                        facts: Arc::clone(inner),
                        hold: *hold,
                        text: Arc::clone(text),
                        parameters: ParameterTypes::Unknown,
                        next_run: Certainty::Possible,
                        opened: None,
                        digests: None,
                        sent: None,
                    });
                }
                SessionEffect::CloseCursor { name: gone } if **gone == *name => return None,
                SessionEffect::CloseAllCursors | SessionEffect::DiscardAll => return None,
                SessionEffect::DeclareCursor { .. }
                | SessionEffect::CloseCursor { .. }
                | SessionEffect::Prepare { .. }
                | SessionEffect::Deallocate { .. }
                | SessionEffect::DeallocateAll
                | SessionEffect::SettingsTouched
                | SessionEffect::SearchPathSet { .. }
                | SessionEffect::SettingSet { .. } => {}
            }
        }
        names.cursor(name).cloned()
    }
}
