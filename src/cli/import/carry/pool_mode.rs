//! Who has a connection for how long: for all databases, and in those that say otherwise.

use super::target::ChosenTarget;
use crate::cli::import::configuration::{BouncerConfiguration, ConnectionEntry};
use crate::cli::import::known::settings::POOL_MODES;

/// Who has a connection for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedFor {
    /// Until the client leaves.
    Session,
    /// Until its transaction is over.
    Transaction,
}

impl SharedFor {
    /// By PgBouncer's word for it.
    pub fn of(mode: &str) -> Self {
        match mode.eq_ignore_ascii_case("session") {
            true => Self::Session,
            false => Self::Transaction,
        }
    }

    /// pgsieve's word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Transaction => "transaction",
        }
    }
}

/// The word of the mode that holds for entries without one.
pub fn usual_mode<'c>(
    configuration: &'c BouncerConfiguration,
    only: Option<&'c ConnectionEntry>,
) -> &'c str {
    let own = only.and_then(|only| only.text("pool_mode"));
    own.unwrap_or_else(|| configuration.choice("pool_mode", POOL_MODES))
}

/// Whether the word is that of a mode that there is not.
pub fn is_statement(mode: &str) -> bool {
    mode.eq_ignore_ascii_case("statement")
}

/// The mode of an entry that is another one than holds for all.
pub fn own_mode(
    configuration: &BouncerConfiguration,
    only: Option<&ConnectionEntry>,
    entry: &ConnectionEntry,
) -> Option<SharedFor> {
    let own = entry.text("pool_mode").map(SharedFor::of)?;
    let usual = SharedFor::of(usual_mode(configuration, only));
    (own != usual && !is_alone(only, entry)).then_some(own)
}

/// Whether it is the one entry that decides for all.
pub fn is_alone(only: Option<&ConnectionEntry>, entry: &ConnectionEntry) -> bool {
    only.is_some_and(|only| only.name == entry.name)
}

/// The mode of an entry.
pub fn mode_of(
    configuration: &BouncerConfiguration,
    only: Option<&ConnectionEntry>,
    entry: &ConnectionEntry,
) -> SharedFor {
    let own = own_mode(configuration, only, entry);
    own.unwrap_or_else(|| SharedFor::of(usual_mode(configuration, only)))
}

/// Whether connections are shared, for all or in an entry that is carried over.
pub fn shares_any(configuration: &BouncerConfiguration, target: &ChosenTarget<'_>) -> bool {
    let usual = SharedFor::of(usual_mode(configuration, target.only));
    let mut routed = target.routed.iter();
    usual == SharedFor::Transaction
        || routed.any(|one| {
            own_mode(configuration, target.only, one.entry) == Some(SharedFor::Transaction)
        })
}
