//! What was found of the engine of one server, held against what the settings say and against the
//! other servers with the same contents.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::EngineSetting;
use crate::engine::Engine;
use crate::words::Word;

/// The engine of servers that follow one another.
#[derive(Debug, Default)]
pub struct SharedEngine {
    setting: EngineSetting,
    /// Whether there is more than one: then they have to be of one engine.
    are_several: bool,
    first: FoundEngine,
}

/// The engine of one server, once it was found.
#[derive(Debug, Default)]
pub struct KnownEngine {
    found: FoundEngine,
    /// What was told of it last.
    shown: FoundEngine,
}

/// Why a server is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineMismatch {
    /// The settings name another engine.
    Named {
        /// The one that they name.
        named: Engine,
        /// The one that it is.
        found: Engine,
    },
    /// Another server with the same contents is of another engine.
    Mixed {
        /// The one of the first that was reached.
        first: Engine,
        /// The one of this.
        found: Engine,
    },
}

/// None, or an engine's place among all.
#[derive(Debug, Default)]
struct FoundEngine(AtomicUsize);

impl SharedEngine {
    /// Of servers of which the settings say that; one, or several.
    pub fn new(setting: EngineSetting, are_several: bool) -> Self {
        Self {
            setting,
            are_several,
            first: FoundEngine::default(),
        }
    }

    /// What the settings say.
    pub fn setting(&self) -> EngineSetting {
        self.setting
    }
}

impl KnownEngine {
    /// The engine, once it was found.
    pub fn found(&self) -> Option<Engine> {
        self.found.load()
    }

    /// The engine of a session that reports this; none where it has to be asked.
    pub fn of_report(&self, reported: Option<Engine>) -> Option<Engine> {
        // What reports itself has nothing in common with what does not.
        reported.or_else(|| self.found().filter(|found| !reports_itself(*found)))
    }

    /// It is that engine, by what a session has just told.
    ///
    /// # Errors
    /// The settings or the other servers say otherwise.
    pub fn note(&self, found: Engine, shared: &SharedEngine) -> Result<(), EngineMismatch> {
        self.found.store(found);
        match shared.setting {
            EngineSetting::Named(named) if named != found => {
                return Err(EngineMismatch::Named { named, found });
            }
            EngineSetting::Named(_) | EngineSetting::Auto => {}
        }
        if !shared.are_several {
            return Ok(());
        }
        match shared.first.load() {
            Some(first) if first != found => Err(EngineMismatch::Mixed { first, found }),
            Some(_) => Ok(()),
            None => {
                shared.first.store(found);
                Ok(())
            }
        }
    }

    /// The engine, where it was not told yet or is another one than was told.
    pub fn news(&self) -> Option<Engine> {
        let found = self.found()?;
        let is_news = self.shown.load() != Some(found);
        self.shown.store(found);
        is_news.then_some(found)
    }
}

impl FoundEngine {
    fn load(&self) -> Option<Engine> {
        let place = self.0.load(Ordering::Relaxed).checked_sub(1)?;
        Engine::ALL.get(place).copied()
    }

    fn store(&self, engine: Engine) {
        self.0
            .store(engine.index().saturating_add(1), Ordering::Relaxed);
    }
}

/// Whether every session of that engine tells it by what it reports.
fn reports_itself(engine: Engine) -> bool {
    match engine {
        Engine::CockroachDb | Engine::YugabyteDb | Engine::Redshift => true,
        Engine::Postgres | Engine::Citus | Engine::Aurora => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_reported_is_asked_once() {
        let known = KnownEngine::default();
        let shared = SharedEngine::default();
        assert_eq!(known.of_report(None), None);
        assert_eq!(
            known.of_report(Some(Engine::YugabyteDb)),
            Some(Engine::YugabyteDb)
        );
        known.note(Engine::Aurora, &shared).unwrap();
        assert_eq!(known.of_report(None), Some(Engine::Aurora));
    }

    #[test]
    fn a_server_that_was_exchanged_is_another_engine_from_its_next_login_on() {
        let (known, shared) = (KnownEngine::default(), SharedEngine::default());
        known.note(Engine::CockroachDb, &shared).unwrap();
        assert_eq!(known.news(), Some(Engine::CockroachDb));
        assert_eq!(known.news(), None);
        // It does not report itself any more: what it is has to be asked again.
        assert_eq!(known.of_report(None), None);
        known.note(Engine::Postgres, &shared).unwrap();
        assert_eq!(known.news(), Some(Engine::Postgres));
        assert_eq!(known.of_report(None), Some(Engine::Postgres));
    }

    #[test]
    fn the_settings_are_held_against_what_is_found() {
        let known = KnownEngine::default();
        for named in Engine::ALL {
            let shared = SharedEngine::new(EngineSetting::Named(*named), false);
            for found in Engine::ALL {
                let noted = known.note(*found, &shared);
                let mismatch = EngineMismatch::Named {
                    named: *named,
                    found: *found,
                };
                let wanted = if named == found {
                    Ok(())
                } else {
                    Err(mismatch)
                };
                assert_eq!(noted, wanted);
            }
        }
    }

    #[test]
    fn servers_with_the_same_contents_are_of_one_engine() {
        let shared = SharedEngine::new(EngineSetting::Auto, true);
        let (one, other) = (KnownEngine::default(), KnownEngine::default());
        one.note(Engine::Aurora, &shared).unwrap();
        other.note(Engine::Aurora, &shared).unwrap();
        let mixed = EngineMismatch::Mixed {
            first: Engine::Aurora,
            found: Engine::Postgres,
        };
        assert_eq!(other.note(Engine::Postgres, &shared), Err(mixed));
        assert_eq!(one.note(Engine::Postgres, &shared), Err(mixed));
    }
}
