//! What the protocol of a session knows of the connections that it shares.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::gate::{CustomSettings, Facts, ParameterTypes, SessionEffect};
use crate::limits;
use crate::telemetry::labels::PinReason;
use crate::upstream::pool::set_values::{SetValues, is_custom};

/// What the protocol of such a session knows.
///
/// Connections that are shared have no prepared statements but the unnamed one: who gives a name
/// keeps its connection. So no name ever leads to what another client has made; and the unnamed one
/// of another client is closed before the first message that could find it.
pub struct PoolSide {
    /// The unnamed statement that the client has prepared last.
    unnamed: Option<UnnamedStatement>,
    /// What the connection has without a name.
    connection: UnnamedPlace,
    /// A digest of the settings that literals are read by.
    meaning: u64,
    /// Settings that no module describes and the client may have set.
    custom: BTreeSet<Box<str>>,
    settings: SettingsKnowledge,
    pinned: Option<PinReason>,
}

/// The unnamed statement of a client, to be judged and prepared again on another connection.
#[derive(Clone)]
pub(super) struct UnnamedStatement {
    pub(super) text: Arc<str>,
    pub(super) parameters: ParameterTypes,
    /// By what its literals were read.
    meaning: u64,
    /// Whether its Parse has succeeded.
    is_prepared: bool,
}

/// What a connection has without a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnnamedPlace {
    /// Perhaps another client's.
    Unknown,
    /// Nothing, or the client's own.
    Own,
}

/// Whether the settings of the session are those that were read off its connection last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettingsKnowledge {
    Read,
    Touched,
}

/// A message of pgsieve's own that carries the unnamed statement over, and is owed an answer that
/// the client does not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarriedMessage {
    /// The Close of what another client has left.
    Close,
    /// The Parse of the client's own: its error is the batch's.
    Parse,
}

impl PoolSide {
    /// Of a session that begins with these settings.
    pub(in crate::session) fn new(values: &SetValues) -> Self {
        Self {
            unnamed: None,
            connection: UnnamedPlace::Unknown,
            meaning: values.meaning(),
            custom: BTreeSet::new(),
            settings: SettingsKnowledge::Read,
            pinned: None,
        }
    }

    /// The session has another connection from now on, or none.
    pub(super) fn connection_changed(&mut self) {
        self.connection = UnnamedPlace::Unknown;
    }

    /// Why it keeps its connection until its end, where it does.
    pub(super) fn pinned(&self) -> Option<PinReason> {
        self.pinned
    }

    fn pin(&mut self, reason: PinReason) {
        self.pinned.get_or_insert(reason);
    }

    /// Whether what another client has left is to be closed before the next message of the extended
    /// protocol. To be asked once for each.
    pub(super) fn takes_place(&mut self) -> bool {
        let before = std::mem::replace(&mut self.connection, UnnamedPlace::Own);
        before == UnnamedPlace::Unknown
    }

    /// The client's unnamed statement, where it was prepared and the connection has not got it.
    pub(super) fn missing(&self) -> Option<&UnnamedStatement> {
        let unnamed = self.unnamed.as_ref()?;
        let is_missing = unnamed.is_prepared && self.connection == UnnamedPlace::Unknown;
        is_missing.then_some(unnamed)
    }

    /// The client's Parse of this text is sent. One that gives a name keeps the connection.
    pub(in crate::session) fn parse_sent(
        &mut self,
        name: &str,
        text: &Arc<str>,
        parameters: &ParameterTypes,
    ) {
        if !name.is_empty() {
            self.pin(PinReason::NamedStatement);
            return;
        }
        self.unnamed = Some(UnnamedStatement {
            text: Arc::clone(text),
            parameters: parameters.clone(),
            meaning: self.meaning,
            is_prepared: false,
        });
    }

    /// The unnamed statement was prepared by the last Parse that was sent, or by one before it.
    pub(in crate::session) fn prepared(&mut self, text: &str) {
        if let Some(unnamed) = &mut self.unnamed
            && *unnamed.text == *text
        {
            unnamed.is_prepared = true;
        }
    }

    /// A Parse without a name has failed or was skipped: what there is now nobody carries over.
    pub(in crate::session) fn not_prepared(&mut self) {
        self.unnamed = None;
    }

    /// A Query is sent: it takes the unnamed statement away, whoever has made it.
    fn query_sent(&mut self) {
        self.unnamed = None;
        self.connection = UnnamedPlace::Own;
    }

    /// The client gives the unnamed statement up.
    pub(in crate::session) fn close_sent(&mut self, name: &str) {
        if name.is_empty() {
            self.unnamed = None;
        }
    }

    /// A statement is sent, as a Query or by an Execute, that may change what the session is.
    pub(in crate::session) fn statement_sent(&mut self, facts: &Facts, is_query: bool) {
        if is_query {
            self.query_sent();
        }
        for effect in &facts.effects {
            match effect {
                SessionEffect::Prepare { .. } => self.pin(PinReason::SqlPrepare),
                SessionEffect::DeclareCursor { hold: true, .. } => self.pin(PinReason::HeldCursor),
                SessionEffect::SettingsTouched | SessionEffect::DiscardAll => {
                    self.settings = SettingsKnowledge::Touched;
                }
                SessionEffect::SettingSet {
                    settings: CustomSettings::One(name),
                    ..
                } if is_custom(name) => self.note_custom(name),
                SessionEffect::SettingSet { .. }
                | SessionEffect::SearchPathSet { .. }
                | SessionEffect::DeclareCursor { .. }
                | SessionEffect::CloseCursor { .. }
                | SessionEffect::CloseAllCursors
                | SessionEffect::Deallocate { .. }
                | SessionEffect::DeallocateAll => {}
            }
        }
    }

    fn note_custom(&mut self, name: &str) {
        if self.custom.len() >= limits::pools::CUSTOM_SETTINGS_MAX {
            self.pin(PinReason::Settings);
        } else {
            self.custom.insert(name.into());
        }
    }

    /// Whether the settings have to be read before the connection is given to anybody else.
    pub(super) fn has_touched_settings(&self) -> bool {
        self.settings == SettingsKnowledge::Touched
    }

    /// The settings with a dot in their names that may be set.
    pub(super) fn custom_names(&self) -> Vec<Box<str>> {
        self.custom.iter().cloned().collect()
    }

    /// The settings are these from now on. A statement whose literals were read by others is not
    /// carried over: it would mean something else.
    pub(super) fn settings_read(&mut self, values: &SetValues) {
        self.settings = SettingsKnowledge::Read;
        self.meaning = values.meaning();
        let meaning = self.meaning;
        self.unnamed.take_if(|unnamed| unnamed.meaning != meaning);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(name: &str, value: &str) -> SetValues {
        let mut values = SetValues::default();
        values.insert(name, value);
        values
    }

    fn parse(side: &mut PoolSide, name: &str) {
        side.parse_sent(name, &"SELECT 1".into(), &ParameterTypes::Unknown);
        side.prepared("SELECT 1");
    }

    #[test]
    fn the_unnamed_statement_is_missing_on_another_connection() {
        let mut side = PoolSide::new(&SetValues::default());
        assert!(side.missing().is_none() && side.takes_place() && !side.takes_place());
        parse(&mut side, "");
        assert!(side.missing().is_none());
        side.connection_changed();
        assert!(side.missing().is_some() && side.takes_place());
        assert!(side.missing().is_none());
        side.connection_changed();
        side.not_prepared();
        assert!(side.missing().is_none());
        assert_eq!(side.pinned(), None);
    }

    #[test]
    fn a_name_keeps_the_connection() {
        let mut side = PoolSide::new(&SetValues::default());
        parse(&mut side, "s");
        assert_eq!(side.pinned(), Some(PinReason::NamedStatement));
    }

    #[test]
    fn literals_that_were_read_otherwise_are_not_carried_over() {
        let mut side = PoolSide::new(&SetValues::default());
        parse(&mut side, "");
        side.connection_changed();
        side.settings_read(&values("statement_timeout", "7"));
        assert!(side.missing().is_some());
        side.settings_read(&values("timezone", "Asia/Tokyo"));
        assert!(side.missing().is_none());
    }
}
