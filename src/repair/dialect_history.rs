//! What a session's earlier statements say of the dialect that it writes in.
//!
//! It is one byte of a session, and never another session's. It decides nothing alone: of several
//! things that a text may mean it chooses one, and what it chooses is no more than likely.

use dialect::detect::mixture;
use dialect::registry;
use policy::Dialect;

/// The dialect of a session's earlier statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DialectHistory {
    /// No statement has shown one.
    #[default]
    Unknown,
    /// Some have shown this one, and nothing spoke against it.
    Of(Dialect),
    /// Some were of another dialect, or of Postgres's own: they say nothing any more.
    Contradictory,
}

/// What a statement that was looked at for a repair has shown of its dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DialectEvidence {
    /// Nothing that one dialect alone has.
    #[default]
    None,
    /// What this dialect alone has; it could not be translated.
    Seen(Dialect),
    /// What this dialect alone has, and it was translated.
    Translated(Dialect),
}

impl DialectHistory {
    /// The dialect, if they were of one.
    pub fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Of(dialect) => Some(dialect),
            Self::Unknown | Self::Contradictory => None,
        }
    }

    /// A statement has come. What is Postgres's own in it ends what earlier ones have shown;
    /// queries of the catalogs are drivers' and count for nothing.
    pub fn hear(&mut self, text: &str) {
        let source = self.dialect().and_then(registry::of);
        if source
            .is_some_and(|source| !reads_catalogs(text) && mixture::is_mixed(text, source, None))
        {
            *self = Self::Contradictory;
        }
    }

    /// A statement was looked at for a repair.
    pub fn learn(&mut self, evidence: DialectEvidence) {
        let (DialectEvidence::Seen(shown) | DialectEvidence::Translated(shown)) = evidence else {
            return;
        };
        *self = match (*self, evidence) {
            (Self::Unknown, DialectEvidence::Translated(_)) => Self::Of(shown),
            (Self::Of(known), _) if known != shown => Self::Contradictory,
            (unchanged, _) => unchanged,
        };
    }
}

/// Whether a text names what only the system's own catalogs have.
fn reads_catalogs(text: &str) -> bool {
    let starts = |window: &[u8]| window.eq_ignore_ascii_case(b"pg_");
    text.as_bytes().windows(3).any(starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Dialect::{Mysql, Tsql};
    use DialectEvidence::{None as Nothing, Seen, Translated};

    fn after(all: &[DialectEvidence]) -> DialectHistory {
        let mut history = DialectHistory::default();
        all.iter().for_each(|one| history.learn(*one));
        history
    }

    #[test]
    fn one_dialect_is_known_until_something_contradicts() {
        for (evidence, wanted) in [
            (&[][..], DialectHistory::Unknown),
            (&[Nothing, Seen(Mysql)], DialectHistory::Unknown),
            (&[Translated(Mysql)], DialectHistory::Of(Mysql)),
            (
                &[Translated(Mysql), Nothing, Seen(Mysql), Translated(Mysql)],
                DialectHistory::Of(Mysql),
            ),
            (
                &[Translated(Mysql), Translated(Tsql)],
                DialectHistory::Contradictory,
            ),
            (
                &[Translated(Mysql), Seen(Tsql)],
                DialectHistory::Contradictory,
            ),
            (
                &[Translated(Mysql), Seen(Tsql), Translated(Mysql)],
                DialectHistory::Contradictory,
            ),
        ] {
            assert_eq!(after(evidence), wanted, "{evidence:?}");
        }
    }

    #[test]
    fn what_is_postgres_own_ends_it() {
        for (text, ends) in [
            ("SELECT id FROM orders LIMIT 3", false),
            ("SELECT `id` FROM orders", false),
            ("SELECT IFNULL(a, 'x::y') FROM t", false),
            ("SELECT id::text FROM orders", true),
            ("SELECT id FROM orders WHERE status ILIKE 'a%'", true),
            ("SELECT string_agg(status, ',') FROM orders", true),
            ("SELECT oid::regclass FROM pg_class", false),
        ] {
            let mut history = DialectHistory::Of(Mysql);
            history.hear(text);
            assert_eq!(history.dialect().is_none(), ends, "{text}");
        }
        let mut unknown = DialectHistory::Unknown;
        unknown.hear("SELECT id::text FROM orders");
        assert_eq!(unknown, DialectHistory::Unknown);
        assert_eq!(size_of::<DialectHistory>(), 1);
    }
}
