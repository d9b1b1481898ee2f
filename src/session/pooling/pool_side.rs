//! What the protocol of a session knows of the connections that it shares.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use bytes::Bytes;

use super::described::{DescribedPart, Descriptions};
use super::named::{NamedStatement, NamedStatements, SentParse, reads_settings};
use crate::gate::{CustomSettings, Facts, ParameterTypes, SessionEffect};
use crate::limits;
use crate::telemetry::labels::PinReason;
use crate::upstream::pool::description::DescriptionFit;
use crate::upstream::pool::prepared_names::{PlaceTaken, PreparedNames, UpstreamName};
use crate::upstream::pool::set_values::{SetValues, is_custom};
use crate::wire::backend::ResponseFields;

/// What the protocol of such a session knows.
///
/// On connections that are shared, prepared statements have names that follow from what they are:
/// no name that a client gives ever leads to what another one has made. The unnamed one of another
/// client is closed before the first message that could find it.
pub struct PoolSide {
    /// The unnamed statement that the client has prepared last.
    unnamed: Option<UnnamedStatement>,
    /// What the connection has without a name.
    connection: UnnamedPlace,
    /// The statements with names.
    named: NamedStatements,
    /// Those that the connection has.
    names: PreparedNames,
    /// What is asked and told of them.
    descriptions: Descriptions,
    /// A digest of the settings that literals are read by.
    meaning: u64,
    /// The same with where names are looked up: what is prepared alike has one name.
    naming: u64,
    /// The number of the session, and how many names it has that no other one shares.
    unique: (u64, u64),
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

/// A message of pgsieve's own that carries prepared statements over, and is owed an answer that the
/// client does not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarriedMessage {
    /// The Close of what is not the client's, or makes room.
    Close(Option<UpstreamName>),
    /// The Parse of the client's own, without a name or with that: its error is the batch's.
    Parse(Option<UpstreamName>),
    /// The Describe of a statement that was prepared again: whether it is what the client was told.
    Describe,
    /// A Parse under a name that SQL knows: its error is the batch's, where that is the client's.
    SqlName,
    /// The Parse of a statement that does nothing.
    Nothing,
    /// The Sync behind such Parses that stand before a Query.
    Sync,
}

impl PoolSide {
    /// Of the session of this number, which begins with these settings.
    pub(in crate::session) fn new(session: u64, values: &SetValues) -> Self {
        Self {
            unnamed: None,
            connection: UnnamedPlace::Unknown,
            named: NamedStatements::default(),
            names: PreparedNames::default(),
            descriptions: Descriptions::default(),
            meaning: values.meaning(),
            naming: values.meaning_with_names(),
            unique: (session, 0),
            custom: BTreeSet::new(),
            settings: SettingsKnowledge::Read,
            pinned: None,
        }
    }

    /// The session has a connection from now on, with these statements on it; or none.
    pub(in crate::session) fn connection_changed(&mut self, names: PreparedNames) -> PreparedNames {
        self.connection = UnnamedPlace::Unknown;
        self.descriptions.portals_are_gone();
        std::mem::replace(&mut self.names, names)
    }

    /// Why it keeps its connection until its end, where it does.
    pub(in crate::session) fn pinned(&self) -> Option<PinReason> {
        self.pinned
    }

    pub(super) fn pin(&mut self, reason: PinReason) {
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

    /// The client's Parse of this text is sent, under this name upstream where it has one that is
    /// not the client's.
    pub(in crate::session) fn parse_sent(
        &mut self,
        name: &str,
        (text, parameters): (&Arc<str>, &ParameterTypes),
        upstream: Option<UpstreamName>,
    ) -> Option<Box<SentParse>> {
        if let Some(upstream) = upstream {
            let meaning = self.known_meaning();
            (self.named).parse_sent(name, (text, parameters), (upstream, meaning));
            let name = name.into();
            return Some(Box::new(SentParse::Named { name, upstream }));
        }
        if !name.is_empty() {
            return Some(Box::new(SentParse::ClientNamed(name.into())));
        }
        self.unnamed = Some(UnnamedStatement {
            text: Arc::clone(text),
            parameters: parameters.clone(),
            meaning: self.meaning,
            is_prepared: false,
        });
        Some(Box::new(SentParse::Unnamed(Arc::clone(text))))
    }

    /// A Parse has succeeded. The unnamed statement was prepared by the last one that was sent, or
    /// by one before it.
    pub(in crate::session) fn prepared(&mut self, parse: &SentParse) {
        match parse {
            SentParse::Named { name, upstream } => self.named.prepared(name, *upstream),
            SentParse::ClientNamed(name) => self.named.forget_unmade(name),
            SentParse::Unnamed(text) => {
                if let Some(unnamed) = &mut self.unnamed
                    && unnamed.text == *text
                {
                    unnamed.is_prepared = true;
                }
            }
        }
    }

    /// A Parse has failed or was skipped: what there is now without a name nobody carries over.
    pub(in crate::session) fn not_prepared(&mut self, parse: &SentParse) {
        match parse {
            SentParse::Named { name, upstream } => {
                self.named.not_prepared(name, *upstream);
                self.names.doubt(*upstream);
            }
            SentParse::Unnamed(_) => self.unnamed = None,
            SentParse::ClientNamed(_) => {}
        }
    }

    /// A message of pgsieve's own has been answered as it should be.
    pub(super) fn carried(&mut self, message: CarriedMessage) {
        match message {
            CarriedMessage::Close(Some(name)) => self.names.closed(name),
            CarriedMessage::SqlName => self.named.made(),
            CarriedMessage::Close(None) | CarriedMessage::Parse(_) => {}
            CarriedMessage::Describe | CarriedMessage::Nothing | CarriedMessage::Sync => {}
        }
    }

    /// A message of pgsieve's own has failed or was skipped.
    pub(in crate::session) fn not_carried(&mut self, message: CarriedMessage) {
        match message {
            CarriedMessage::Parse(Some(name)) => self.names.doubt(name),
            CarriedMessage::Describe => self.descriptions.check_is_over(),
            CarriedMessage::Close(_) | CarriedMessage::Parse(None) => {}
            CarriedMessage::SqlName => self.named.not_made(),
            CarriedMessage::Nothing | CarriedMessage::Sync => {}
        }
    }

    /// The client's statements with names.
    pub(super) fn named(&mut self) -> &mut NamedStatements {
        &mut self.named
    }

    /// What the upstream calls what the client has given this name; none where it is the client's
    /// name.
    pub(in crate::session) fn upstream_name(&self, name: &str) -> Option<UpstreamName> {
        self.named.get(name).map(|named| named.upstream)
    }

    /// The client's statement of this name, where it was prepared and the connection has not got
    /// it.
    pub(super) fn missing_named(&mut self, name: &str) -> Option<NamedStatement> {
        let named = self.named.prepared_mut(name)?;
        let is_there = self.names.uses(named.upstream);
        let is_as_told = self.names.fit(named.upstream, named.told) == DescriptionFit::Alike;
        (!is_there || !is_as_told && self.pinned.is_none()).then(|| named.clone())
    }

    /// Whether the statement of this name is something else by now than the client was told.
    pub(super) fn is_changed(&self, name: &str) -> bool {
        self.named.get(name).is_some_and(|named| named.is_changed)
    }

    /// What is asked and told of statements.
    pub(in crate::session) fn descriptions(&mut self) -> &mut Descriptions {
        &mut self.descriptions
    }

    /// Whether it is being found out what a statement is now.
    pub(in crate::session) fn is_checking(&self) -> bool {
        self.descriptions.is_checking()
    }

    /// A Bind makes a portal of a statement, by the client's name.
    pub(in crate::session) fn bind_sent(&mut self, portal: &str, statement: &str) {
        let upstream = self.upstream_name(statement);
        self.descriptions.bind_sent(portal, upstream);
    }

    /// A Describe of a statement is sent, by the client's name.
    pub(in crate::session) fn describe_sent(&mut self, statement: &str) {
        let upstream = self.upstream_name(statement);
        self.descriptions.asked(upstream);
    }

    /// The client is told that of what it has asked about.
    pub(super) fn told(&mut self, part: DescribedPart<'_>) {
        if let Some((upstream, told)) = self.descriptions.told(part) {
            self.named.told(upstream, told);
            self.names.described(upstream, told);
        }
    }

    /// What a statement is that was prepared again.
    pub(super) fn checked(&mut self, part: DescribedPart<'_>) {
        let Some((name, upstream, found)) = self.descriptions.checked(part) else {
            return;
        };
        self.names.described(upstream, found);
        if let Some(named) = self.named.prepared_mut(&name) {
            named.is_changed = named.told.fit(found) != DescriptionFit::Alike;
        }
    }

    /// A name for what is to be prepared now as this text with these types, as they stand in a
    /// Parse.
    pub(super) fn name_for(&mut self, text: &str, types: &[u8]) -> UpstreamName {
        let shared = UpstreamName::of(text, types, self.naming);
        // Its literals may be read by settings that nobody has told yet; and of two names of one
        // client each is given up by itself.
        match self.has_touched_settings() || self.named.have(shared) {
            true => self.unique_name(),
            false => shared,
        }
    }

    /// A name that no other statement has.
    pub(super) fn unique_name(&mut self) -> UpstreamName {
        let (session, number) = &mut self.unique;
        *number += 1;
        UpstreamName::unique(*session, *number)
    }

    /// As [`name_for`](Self::name_for), for the client's statement of that name, which is called so
    /// from now on.
    pub(super) fn name_again(&mut self, name: &str, text: &str, types: &[u8]) -> UpstreamName {
        let shared = UpstreamName::of(text, types, self.naming);
        let is_called_so = self.upstream_name(name) == Some(shared);
        let upstream = match is_called_so && !self.has_touched_settings() {
            true => shared,
            false => self.name_for(text, types),
        };
        let meaning = self.known_meaning();
        if let Some(own) = self.named.prepared_mut(name) {
            own.prepared_again(upstream, meaning);
        }
        upstream
    }

    /// A digest of the settings that literals are read by, where nothing may have changed them.
    fn known_meaning(&self) -> Option<u64> {
        (!self.has_touched_settings()).then_some(self.meaning)
    }

    /// That is prepared next. On a connection of its own a session keeps all that it has a name
    /// for; on others what it is having prepared now, and may use before it hears that it is there.
    pub(super) fn take_place_of(&mut self, name: UpstreamName) -> PlaceTaken {
        let kept = match self.pinned {
            None if self.names.is_full() => self.named.unanswered_names(),
            None => HashSet::new(),
            Some(_) => self.named.upstream_names(),
        };
        self.names.take_place(name, &kept)
    }

    /// An error with the client's names in it.
    pub(in crate::session) fn renamed(&self, fields: ResponseFields<'_>) -> Option<Bytes> {
        self.named.renamed(fields)
    }

    /// A statement has succeeded, which may have taken names away.
    pub(in crate::session) fn statement_succeeded(&mut self, facts: &Facts) {
        self.named.take_away(&facts.effects);
    }

    /// A Query is sent: it takes the unnamed statement away, whoever has made it.
    fn query_sent(&mut self) {
        self.unnamed = None;
        self.connection = UnnamedPlace::Own;
    }

    /// The client gives a statement up. Hands out what had this name.
    pub(in crate::session) fn close_sent(&mut self, name: &str) -> Option<Box<NamedStatement>> {
        if name.is_empty() {
            self.unnamed = None;
        }
        self.named.close(name).map(Box::new)
    }

    /// It did not: that was skipped.
    pub(in crate::session) fn not_closed(&mut self, name: &str, statement: NamedStatement) {
        self.named.restore(name, statement);
    }

    /// A statement is sent, as a Query or by an Execute, that may change what the session is.
    pub(in crate::session) fn statement_sent(&mut self, facts: &Facts, is_query: bool) {
        if is_query {
            self.query_sent();
        }
        for effect in &facts.effects {
            match effect {
                // Whatever was decided before: such a name stays on no connection of others.
                SessionEffect::Prepare { .. } => self.pin(PinReason::SqlPrepare),
                SessionEffect::DeclareCursor { hold: true, .. } => self.pin(PinReason::HeldCursor),
                SessionEffect::SettingsTouched => self.settings = SettingsKnowledge::Touched,
                SessionEffect::DiscardAll => {
                    self.settings = SettingsKnowledge::Touched;
                    self.names.lose_track();
                }
                SessionEffect::DeallocateAll => self.names.lose_track(),
                SessionEffect::SettingSet {
                    settings: CustomSettings::One(name),
                    ..
                } if is_custom(name) => self.note_custom(name),
                SessionEffect::SettingSet { .. }
                | SessionEffect::SearchPathSet { .. }
                | SessionEffect::DeclareCursor { .. }
                | SessionEffect::CloseCursor { .. }
                | SessionEffect::CloseAllCursors
                | SessionEffect::Deallocate { .. } => {}
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

    /// Whether it is known what is prepared on the connection.
    pub(super) fn has_lost_track(&self) -> bool {
        self.names.has_lost_track()
    }

    /// Whether the settings have to be read before the connection is given to anybody else.
    pub(super) fn has_touched_settings(&self) -> bool {
        self.settings == SettingsKnowledge::Touched
    }

    /// The settings with a dot in their names that may be set.
    pub(super) fn custom_names(&self) -> Vec<Box<str>> {
        self.custom.iter().cloned().collect()
    }

    /// The settings are these from now on. A statement without a name whose literals were read by
    /// others is not carried over: it would mean something else.
    pub(super) fn settings_read(&mut self, values: &SetValues) {
        self.settings = SettingsKnowledge::Read;
        self.meaning = values.meaning();
        self.naming = values.meaning_with_names();
        let meaning = self.meaning;
        let is_other =
            |own: &mut UnnamedStatement| own.meaning != meaning && reads_settings(&own.text);
        self.unnamed.take_if(is_other);
    }

    /// The statements with names that would mean something else on another connection: literals of
    /// theirs were read by other settings than the session has now.
    pub(super) fn read_otherwise(&self) -> Vec<(Box<str>, NamedStatement)> {
        let others = self.named.read_otherwise(self.meaning);
        let others = others.map(|(name, own)| (name.into(), own.clone()));
        others.collect()
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
        let text: Arc<str> = "SELECT '1'".into();
        let parameters = ParameterTypes::Unknown;
        let upstream = (!name.is_empty()).then(|| side.name_for(&text, &[]));
        if let Some(upstream) = upstream {
            side.take_place_of(upstream);
        }
        let sent = side.parse_sent(name, (&text, &parameters), upstream);
        side.prepared(&sent.unwrap());
    }

    fn another_connection(side: &mut PoolSide) {
        side.connection_changed(PreparedNames::default());
    }

    #[test]
    fn the_unnamed_statement_is_missing_on_another_connection() {
        let mut side = PoolSide::new(1, &SetValues::default());
        assert!(side.missing().is_none() && side.takes_place() && !side.takes_place());
        parse(&mut side, "");
        assert!(side.missing().is_none());
        another_connection(&mut side);
        assert!(side.missing().is_some() && side.takes_place());
        assert!(side.missing().is_none());
        another_connection(&mut side);
        side.not_prepared(&SentParse::Unnamed("SELECT '1'".into()));
        assert!(side.missing().is_none());
        assert_eq!(side.pinned(), None);
    }

    #[test]
    fn a_name_is_missing_on_another_connection() {
        let mut side = PoolSide::new(1, &SetValues::default());
        parse(&mut side, "s");
        assert!(side.missing_named("s").is_none() && side.pinned().is_none());
        another_connection(&mut side);
        assert!(side.missing_named("s").is_some() && side.missing_named("t").is_none());
        let closed = side.close_sent("s").unwrap();
        assert!(side.missing_named("s").is_none());
        side.not_closed("s", *closed);
        assert!(side.missing_named("s").is_some());
    }

    #[test]
    fn two_names_of_one_client_are_two_statements() {
        let mut side = PoolSide::new(1, &SetValues::default());
        parse(&mut side, "s");
        parse(&mut side, "t");
        assert_ne!(side.upstream_name("s"), side.upstream_name("t"));
        let mut other = PoolSide::new(2, &SetValues::default());
        parse(&mut other, "u");
        assert_eq!(side.upstream_name("s"), other.upstream_name("u"));
    }

    #[test]
    fn what_was_prepared_by_settings_that_nobody_knows_is_nobody_else_s() {
        let mut side = PoolSide::new(1, &SetValues::default());
        let shared = side.name_for("SELECT 1", &[]);
        side.settings = SettingsKnowledge::Touched;
        assert_ne!(side.name_for("SELECT 1", &[]), shared);
        side.settings_read(&SetValues::default());
        assert_eq!(side.name_for("SELECT 1", &[]), shared);
        side.settings_read(&values("timezone", "Asia/Tokyo"));
        assert_ne!(side.name_for("SELECT 1", &[]), shared);
    }

    #[test]
    fn literals_that_were_read_otherwise_are_not_carried_over() {
        let mut side = PoolSide::new(1, &SetValues::default());
        parse(&mut side, "");
        parse(&mut side, "s");
        another_connection(&mut side);
        side.settings_read(&values("statement_timeout", "7"));
        assert!(side.missing().is_some() && side.read_otherwise().is_empty());
        side.settings_read(&values("timezone", "Asia/Tokyo"));
        assert!(side.missing().is_none() && side.read_otherwise().len() == 1);
    }
}
