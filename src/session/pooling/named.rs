//! Prepared statements with names, as a client has them.
//!
//! On a connection that it shares a statement has a name of pgsieve's own. What SQL does with names
//! (PREPARE, EXECUTE, DEALLOCATE) is done with the client's: a session that says such a thing keeps
//! its connection, and what it has prepared is prepared there under the names that it knows.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use crate::gate::{Facts, OWN_NAME_PREFIX, ParameterTypes, SessionEffect, truncated_name};
use crate::upstream::pool::description::Description;
use crate::upstream::pool::prepared_names::UpstreamName;
use crate::wire::backend::ResponseFields;

/// The statements that a client has prepared by Parse and not given up, by their names.
#[derive(Default)]
pub(super) struct NamedStatements {
    statements: BTreeMap<Box<str>, NamedStatement>,
    form: NameForm,
    /// Those that are to be prepared under the client's names.
    unmade: BTreeMap<Box<str>, NamedStatement>,
    /// Those of which such a Parse is under way.
    making: VecDeque<(Box<str>, NamedStatement)>,
}

/// A statement with a name, to be judged and prepared again on another connection.
#[derive(Clone)]
pub struct NamedStatement {
    pub(super) text: Arc<str>,
    pub(super) parameters: ParameterTypes,
    /// What it is called upstream.
    pub(super) upstream: UpstreamName,
    /// A digest of the settings that its literals were read by, where they are known.
    meaning: Option<u64>,
    /// What the client was told of it.
    pub(super) told: Description,
    /// Whether it is something else by now than that.
    pub(super) is_changed: bool,
    /// Whether its Parse has succeeded.
    is_prepared: bool,
}

/// Which names the upstream knows.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum NameForm {
    #[default]
    Own,
    /// The client's: the connection is its alone.
    Client,
}

/// A Parse under way of a session that shares its connections.
pub enum SentParse {
    /// Without a name; its text.
    Unnamed(Arc<str>),
    /// With one.
    Named {
        /// The client's.
        name: Box<str>,
        /// The upstream's.
        upstream: UpstreamName,
    },
    /// With one that the upstream knows.
    ClientNamed(Box<str>),
}

impl SentParse {
    /// The name that the client gave, where the upstream has another one for it.
    pub(super) fn given_name(&self) -> Option<&str> {
        match self {
            Self::Named { name, .. } => Some(name),
            Self::Unnamed(_) | Self::ClientNamed(_) => None,
        }
    }
}

impl fmt::Debug for SentParse {
    /// Without the text, and the name that the client chose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Unnamed(_) => "Unnamed",
            Self::Named { .. } => "Named",
            Self::ClientNamed(_) => "ClientNamed",
        })
    }
}

impl NamedStatements {
    /// Whether the upstream knows them by names of pgsieve's own.
    pub(super) fn are_shared(&self) -> bool {
        self.form == NameForm::Own
    }

    pub(super) fn get(&self, name: &str) -> Option<&NamedStatement> {
        self.statements.get(truncated_name(name))
    }

    /// Whether another name of the client's stands for that.
    pub(super) fn have(&self, upstream: UpstreamName) -> bool {
        let mut statements = self.statements.values();
        statements.any(|own| own.upstream == upstream)
    }

    /// What the upstream calls them.
    pub(super) fn upstream_names(&self) -> HashSet<UpstreamName> {
        self.statements.values().map(|own| own.upstream).collect()
    }

    /// What the upstream calls those whose Parse is not answered yet.
    pub(super) fn unanswered_names(&self) -> HashSet<UpstreamName> {
        let statements = self.statements.values();
        let unanswered = statements.filter(|own| !own.is_prepared);
        unanswered.map(|own| own.upstream).collect()
    }

    /// A Parse is sent under this name, which stands for nothing.
    pub(super) fn parse_sent(
        &mut self,
        name: &str,
        (text, parameters): (&Arc<str>, &ParameterTypes),
        (upstream, meaning): (UpstreamName, Option<u64>),
    ) {
        let statement = NamedStatement {
            text: Arc::clone(text),
            parameters: parameters.clone(),
            upstream,
            meaning,
            told: Description::default(),
            is_changed: false,
            is_prepared: false,
        };
        self.statements
            .insert(truncated_name(name).into(), statement);
    }

    /// That Parse has succeeded.
    pub(super) fn prepared(&mut self, name: &str, upstream: UpstreamName) {
        let name = truncated_name(name);
        let making = self.making.iter_mut();
        let making = making.filter(|(made, _)| **made == *name);
        let making = making.map(|(_, statement)| statement);
        let others = [self.statements.get_mut(name), self.unmade.get_mut(name)];
        for statement in others.into_iter().flatten().chain(making) {
            statement.is_prepared |= statement.upstream == upstream;
        }
    }

    /// It has failed or was skipped.
    pub(super) fn not_prepared(&mut self, name: &str, upstream: UpstreamName) {
        let name = truncated_name(name);
        let is_it = |own: &NamedStatement| own.upstream == upstream && !own.is_prepared;
        for statements in [&mut self.statements, &mut self.unmade] {
            if statements.get(name).is_some_and(is_it) {
                statements.remove(name);
            }
        }
    }

    /// What a name stands for, where its Parse has succeeded.
    pub(super) fn prepared_mut(&mut self, name: &str) -> Option<&mut NamedStatement> {
        let statement = self.statements.get_mut(truncated_name(name));
        statement.filter(|statement| statement.is_prepared)
    }

    /// Those that mean something else by settings of this digest than by those that they were
    /// prepared by.
    pub(super) fn read_otherwise(
        &self,
        meaning: u64,
    ) -> impl Iterator<Item = (&str, &NamedStatement)> {
        let statements = self.statements.iter();
        let other = statements.filter(move |(_, own)| {
            own.is_prepared && own.meaning != Some(meaning) && reads_settings(&own.text)
        });
        other.map(|(name, own)| (&**name, own))
    }

    /// The client was told that of a statement, by the upstream's name of it.
    pub(super) fn told(&mut self, upstream: UpstreamName, told: Description) {
        let mut statements = self.statements.values_mut();
        if let Some(statement) = statements.find(|own| own.upstream == upstream) {
            statement.told = statement.told.and(told);
        }
    }

    /// The client gives a name up.
    pub(super) fn close(&mut self, name: &str) -> Option<NamedStatement> {
        let name = truncated_name(name);
        let unmade = self.unmade.remove(name);
        self.statements.remove(name).or(unmade)
    }

    /// It did not: that was skipped.
    pub(super) fn restore(&mut self, name: &str, statement: NamedStatement) {
        let statements = match self.form {
            NameForm::Own => &mut self.statements,
            NameForm::Client => &mut self.unmade,
        };
        let name = truncated_name(name).into();
        statements.entry(name).or_insert(statement);
    }

    /// A statement has succeeded that may have taken names away. What was prepared behind it is not
    /// prepared yet.
    pub(super) fn take_away(&mut self, effects: &[SessionEffect]) {
        for effect in effects {
            match effect {
                SessionEffect::Deallocate { name } => {
                    self.forget_unmade(name);
                    if self.prepared_mut(name).is_some() {
                        self.close(name);
                    }
                }
                SessionEffect::DeallocateAll | SessionEffect::DiscardAll => {
                    self.unmade.clear();
                    self.statements.retain(|_, own| !own.is_prepared);
                }
                SessionEffect::Prepare { .. }
                | SessionEffect::DeclareCursor { .. }
                | SessionEffect::CloseCursor { .. }
                | SessionEffect::CloseAllCursors
                | SessionEffect::SettingsTouched
                | SessionEffect::SearchPathSet { .. }
                | SessionEffect::SettingSet { .. } => {}
            }
        }
    }

    /// From now on the upstream knows them by the client's names.
    pub(super) fn take_client_names(&mut self) {
        self.form = NameForm::Client;
        self.unmade.append(&mut self.statements);
    }

    /// Whether some are to be prepared under the client's names.
    pub(super) fn are_unmade(&self) -> bool {
        !self.unmade.is_empty()
    }

    /// Hands out what is prepared next under the client's names.
    pub(super) fn make(&mut self) -> Vec<(Box<str>, NamedStatement)> {
        std::mem::take(&mut self.unmade).into_iter().collect()
    }

    /// A Parse of one is sent.
    pub(super) fn making(&mut self, name: Box<str>, statement: NamedStatement) {
        self.making.push_back((name, statement));
    }

    /// That Parse has succeeded, or failed for good.
    pub(super) fn made(&mut self) {
        self.making.pop_front();
    }

    /// It was skipped. What the client's own Parse has not prepared either is not there.
    pub(super) fn not_made(&mut self) {
        if let Some((name, statement)) = self.making.pop_front()
            && statement.is_prepared
        {
            self.unmade.entry(name).or_insert(statement);
        }
    }

    /// The client has given a name anew, or given it up, that the upstream knows.
    pub(super) fn forget_unmade(&mut self, name: &str) {
        self.unmade.remove(truncated_name(name));
    }

    /// An error with the client's names in its message, where it has others.
    pub(super) fn renamed(&self, fields: ResponseFields<'_>) -> Option<Bytes> {
        let message = fields.get(b'M')?;
        let at = message.find(OWN_NAME_PREFIX)?;
        let meant = message.get(at..)?;
        let named = self.statements.iter();
        let mut named = named.map(|(name, own)| (name, own.upstream.to_string()));
        let (name, own) = named.find(|(_, own)| meant.starts_with(own))?;
        let message = message.replace(&own, name);
        let mut out = BytesMut::new();
        for (kind, value) in fields.iter() {
            out.put_u8(kind);
            out.put_slice(if kind == b'M' {
                message.as_bytes()
            } else {
                value
            });
            out.put_u8(0);
        }
        out.put_u8(0);
        Some(out.freeze())
    }
}

impl NamedStatement {
    /// It is called so from now on, and was prepared by settings of that digest.
    pub(super) fn prepared_again(&mut self, upstream: UpstreamName, meaning: Option<u64>) {
        self.upstream = upstream;
        self.meaning = meaning;
    }
}

/// Whether it may depend on settings what a text means when it is prepared: its literals are read
/// then, but for numbers, and comparisons with NULL.
pub(super) fn reads_settings(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_quote = |pair: &[u8]| matches!(pair, [b'$', next] if !next.is_ascii_digit());
    bytes.contains(&b'\'')
        || bytes.windows(2).any(is_quote)
        || bytes
            .windows(NULL.len())
            .any(|word| word.eq_ignore_ascii_case(NULL))
}

const NULL: &[u8] = b"null";

/// Whether a text does something with names of prepared statements.
pub(super) fn is_about_names(facts: &Facts) -> bool {
    let mut effects = facts.effects.iter();
    let names = |effect: &SessionEffect| {
        matches!(
            effect,
            SessionEffect::Prepare { .. } | SessionEffect::Deallocate { .. }
        )
    };
    facts.runs_prepared || effects.any(names)
}

/// The name that a statement gives up, where it does nothing else.
pub(super) fn deallocated(facts: &Facts) -> Option<&str> {
    match &*facts.effects {
        [SessionEffect::Deallocate { name }] if facts.statements == 1 && !facts.runs_prepared => {
            Some(name)
        }
        _ => None,
    }
}
