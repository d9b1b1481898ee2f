//! Which relations and columns a policy shows: lists of schema-qualified patterns.
//!
//! A pattern is compared with the name of what the catalog says is read, never with how a
//! statement writes it. Each part is a name in which `*` stands for any letters, none included.

use std::fmt;

use super::overlay::{MaskedColumns, RowFilter};
use super::signature::needs_quotes;

/// The sections `relations` and `columns`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessLists {
    /// Relations that may be read; everything where the policy has no such list. The schemas of
    /// the server itself (pg_catalog, information_schema) need not be named.
    pub relations_allowed: Option<Vec<RelationPattern>>,
    /// Where relations that were not there when the policy was written are kept out: those that
    /// were, as schema and name. A wildcard, or the lack of a list, allows no others.
    pub relations_known: Option<Vec<(String, String)>>,
    /// Whether the policy says itself what becomes of relations that are made later.
    pub is_new_meant: bool,
    /// Relations that may not be read, whatever is allowed.
    pub relations_denied: Vec<RelationPattern>,
    /// Whether a view is also what it reads.
    pub through_views: ThroughViews,
    /// Columns that may be read, of the relations that a pattern of this list names; all columns
    /// of other relations.
    pub columns_allowed: Vec<ColumnPattern>,
    /// Columns that may not be read, whatever is allowed.
    pub columns_denied: Vec<ColumnPattern>,
    /// Columns in whose place something else is read.
    pub columns_masked: Vec<MaskedColumns>,
    /// Conditions that rows have to meet.
    pub rows: Vec<RowFilter>,
}

/// Whether reading a view asks for the right to read what it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ThroughViews {
    /// A view counts as itself.
    #[default]
    Own,
    /// A view that reads what the policy hides may not be read.
    Check,
}

/// What the catalogs show of what the policy hides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CatalogView {
    /// Names and definitions of everything.
    #[default]
    Open,
    /// What the policy shows.
    Policy,
}

/// `schema.relation`, with wildcards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelationPattern {
    /// The schema.
    pub schema: Glob,
    /// The relation.
    pub name: Glob,
}

/// `schema.relation.column`, with wildcards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ColumnPattern {
    /// The relation.
    pub relation: RelationPattern,
    /// The column.
    pub column: Glob,
}

/// A name in which `*` stands for any letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glob {
    pattern: Box<str>,
}

impl AccessLists {
    /// Whether anything is hidden by name.
    pub fn restricts(&self) -> bool {
        self.relations_allowed.is_some()
            || self.relations_known.is_some()
            || !self.relations_denied.is_empty()
            || !self.columns_allowed.is_empty()
            || !self.columns_denied.is_empty()
            || self.has_overlays()
    }

    /// Whether anything is laid over relations: masks, or conditions on rows.
    pub fn has_overlays(&self) -> bool {
        !self.columns_masked.is_empty() || !self.rows.is_empty()
    }

    /// Whether a mask needs a key.
    pub fn wants_key(&self) -> bool {
        let mut masked = self.columns_masked.iter();
        masked.any(|own| own.mask == super::overlay::ColumnMask::Hash)
    }

    /// Whether a mask or a condition names this relation, and no other one: whoever wrote it has
    /// looked at it. Lists of what may be read have names of all relations without that.
    pub fn names_exactly(&self, schema: &str, name: &str) -> bool {
        let masked = self.columns_masked.iter().map(|own| &own.pattern.relation);
        let filtered = self.rows.iter().map(|own| &own.pattern);
        let mut all = masked.chain(filtered);
        all.any(|one| !one.is_wild() && one.names(schema, name))
    }

    /// Whether a relation of this name is among those that may be read, unless it is denied. One
    /// that is new is, where new ones are kept out, by its name alone.
    pub fn allows(&self, schema: &str, name: &str) -> bool {
        let all = self.relations_allowed.as_deref();
        let known = self.relations_known.as_deref().is_none_or(|known| {
            let is_it = |(of, one): &(String, String)| of == schema && one == name;
            known.iter().any(is_it)
        });
        match known {
            true => all.is_none_or(|all| all.iter().any(|one| one.names(schema, name))),
            false => all.is_some_and(|all| {
                let by_name = |one: &RelationPattern| !one.is_wild() && one.names(schema, name);
                all.iter().any(by_name)
            }),
        }
    }
}

impl RelationPattern {
    /// Whether relations that are made later can have its name beside those that it is about.
    pub fn is_wild(&self) -> bool {
        self.schema.is_wild() || self.name.is_wild()
    }

    /// Whether it names this relation.
    pub fn names(&self, schema: &str, name: &str) -> bool {
        self.schema.matches(schema) && self.name.matches(name)
    }
}

impl Glob {
    /// A pattern as it is written, without quotes.
    pub fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.into(),
        }
    }

    /// As it is written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether it has a wildcard.
    pub fn is_wild(&self) -> bool {
        self.pattern.contains('*')
    }

    /// The name, where it has no wildcard.
    pub fn exact(&self) -> Option<&str> {
        (!self.is_wild()).then_some(&self.pattern)
    }

    /// Whether every name that fits the other one fits this one.
    pub fn covers(&self, other: &Self) -> bool {
        // A star of the other one is a letter that only a star of this one holds.
        self.matches(&other.pattern)
    }

    /// Whether a name fits. Takes time in proportion to both lengths together at the least, and to
    /// their product at the most.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (self.pattern.as_bytes(), name.as_bytes());
        let (mut at, mut on) = (0, 0);
        // Where the last star stands, and what it was tried to end before.
        let mut star: Option<(usize, usize)> = None;
        while on < name.len() {
            match pattern.get(at) {
                Some(b'*') => {
                    star = Some((at, on));
                    at += 1;
                }
                Some(letter) if Some(letter) == name.get(on) => {
                    at += 1;
                    on += 1;
                }
                _ => {
                    let Some((stood, tried)) = star else {
                        return false;
                    };
                    star = Some((stood, tried + 1));
                    at = stood + 1;
                    on = tried + 1;
                }
            }
        }
        pattern
            .get(at..)
            .is_some_and(|rest| rest.iter().all(|letter| *letter == b'*'))
    }
}

impl fmt::Display for Glob {
    /// In quotes where it would not be read as one name without them.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pattern.is_empty() || self.pattern.contains(needs_quotes) {
            true => write!(formatter, "\"{}\"", self.pattern.replace('"', "\"\"")),
            false => formatter.write_str(&self.pattern),
        }
    }
}

impl fmt::Display for RelationPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.schema, self.name)
    }
}

impl fmt::Display for ColumnPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.relation, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        for (pattern, fits, not) in [
            ("*", &["", "a", "ab"][..], &[][..]),
            ("a", &["a"], &["", "ab", "A"]),
            ("a*", &["a", "ab"], &["", "ba"]),
            ("*a", &["a", "ba", "aa"], &["ab"]),
            ("a*b*c", &["abc", "aXbYc", "abbc"], &["acb", "ab"]),
            ("**", &["", "x"], &[]),
        ] {
            let glob = Glob::new(pattern);
            assert!(fits.iter().all(|name| glob.matches(name)), "{pattern}");
            assert!(!not.iter().any(|name| glob.matches(name)), "{pattern}");
        }
    }
}
