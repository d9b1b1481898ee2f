//! Which engine is behind an address: Postgres, or another one that speaks its protocol.
//!
//! Two things tell it: what a server reports of itself at every login, and one question that is
//! asked until it was answered. So a server that was exchanged behind its address is noticed by the
//! next login, and no session pays for it.
//!
//! * `signs`: what is reported, and the question
//! * `known`: what was found at one server, and held against the settings and the other servers
//! * `profile`: what holds at each engine
//!
//! Never taken for proof: a session is shown to be read-only whatever its server says it is.

pub mod known;
pub mod profile;
pub mod signs;

use crate::engine::Engine;

/// What `upstream.engine` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineSetting {
    /// Whatever the server turns out to be.
    #[default]
    Auto,
    /// That engine and no other.
    Named(Engine),
}

impl EngineSetting {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => AUTO,
            Self::Named(engine) => engine.name(),
        }
    }

    /// The one of this word.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            AUTO => Some(Self::Auto),
            word => Engine::named(word).map(Self::Named),
        }
    }
}

const AUTO: &str = "auto";
