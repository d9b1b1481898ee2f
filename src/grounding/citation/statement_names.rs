//! The names of a statement, token by token: it may be one that no grammar reads.

use std::collections::{HashMap, HashSet};

use ground::limits::knowledge::cited_records;
use sql::lexer::{self, TokenKind};
use sql::{extent, prescan};

/// The names of a text and all else that stands in it, without blanks and comments.
#[derive(Debug, Default)]
pub(super) struct StatementNames {
    /// Its tokens: names as the server reads them, everything else as it is written.
    pieces: Vec<Piece>,
    /// Where each piece stands.
    places: HashMap<Piece, Vec<usize>>,
    /// Its names, each in its parts.
    chains: Vec<Vec<String>>,
    /// The parts of all of them.
    parts: HashSet<String>,
    /// What names without a qualifier stand for when they follow another name: `o` in `orders o`.
    aliases: HashMap<String, Vec<String>>,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Piece {
    /// A name, or a word of the grammar, which is spelled the same.
    Name(String),
    /// Anything else.
    Sign(String),
}

impl StatementNames {
    /// Of a text; none where it is too long, or nothing that is read.
    pub(super) fn of(text: &str) -> Option<Self> {
        prescan::prescan(text, cited_records::TEXT_BYTES_MAX).ok()?;
        let mut found = Self::default();
        let tokens = lexer::tokens(text).filter(|token| !token.kind.is_blank());
        found.pieces = tokens
            .map(|token| {
                let word = extent::word(text, &token);
                match token.kind {
                    TokenKind::Word => Piece::Name(word.to_ascii_lowercase()),
                    TokenKind::QuotedName => Piece::Name(unquoted(word)),
                    _ => Piece::Sign(word.to_owned()),
                }
            })
            .collect();
        for (place, piece) in found.pieces.iter().enumerate() {
            found.places.entry(piece.clone()).or_default().push(place);
        }
        found.chain();
        Some(found)
    }

    /// Puts names together that dots join, and finds what follows a name as its alias.
    fn chain(&mut self) {
        let mut place = 0;
        let mut before: Option<String> = None;
        // Each turn takes one piece at least.
        while let Some(piece) = self.pieces.get(place) {
            place += 1;
            let Piece::Name(first) = piece else {
                before = None;
                continue;
            };
            let mut parts = vec![first.clone()];
            let is_dot = |piece: &Piece| matches!(piece, Piece::Sign(sign) if sign == ".");
            while let (Some(dot), Some(Piece::Name(next))) =
                (self.pieces.get(place), self.pieces.get(place + 1))
                && is_dot(dot)
            {
                parts.push(next.clone());
                place += 2;
            }
            let is_as = parts == ["as"];
            if let (Some(named), [alias]) = (&before, parts.as_slice())
                && !is_as
            {
                let stands_for = self.aliases.entry(alias.clone()).or_default();
                stands_for.push(named.clone());
            }
            if !is_as {
                before = parts.last().cloned();
            }
            self.parts.extend(parts.iter().cloned());
            self.chains.push(parts);
        }
    }

    /// Its names, each in its parts.
    pub(super) fn chains(&self) -> impl Iterator<Item = &[String]> {
        self.chains.iter().map(Vec::as_slice)
    }

    /// Whether a name ends in this one.
    pub(super) fn has_last(&self, name: &str) -> bool {
        let mut last = self.chains.iter().filter_map(|chain| chain.last());
        self.parts.contains(name) && last.any(|own| own == name)
    }

    /// Whether it has what somebody calls wrong. A name has to be in it, as the server reads it:
    /// alone or as a part of another; a column of a relation (`orders.region`) also behind an alias
    /// of that, or without anything before it where the relation is named as well. Anything else
    /// has to be in it token by token.
    pub(super) fn has_shape(&self, wrong: &Self) -> bool {
        match wrong.chains.as_slice() {
            [name] if wrong.pieces.len() == name.len() * 2 - 1 => self.has_name(name),
            _ => self.has_pieces(&wrong.pieces),
        }
    }

    fn has_name(&self, name: &[String]) -> bool {
        let is_in = |chain: &&[String]| chain.windows(name.len()).any(|part| part == name);
        let [.., relation, column] = name else {
            return self.chains().any(|chain| is_in(&chain));
        };
        let is_column = |chain: &[String]| match chain {
            [only] => only == column && self.parts.contains(relation),
            [.., qualifier, last] => {
                let stands_for = self.aliases.get(qualifier);
                let is_alias = stands_for.is_some_and(|named| named.contains(relation));
                last == column && is_alias
            }
            [] => false,
        };
        self.chains().any(|chain| is_in(&chain) || is_column(chain))
    }

    fn has_pieces(&self, wanted: &[Piece]) -> bool {
        let starts = wanted.first().and_then(|first| self.places.get(first));
        let mut starts = starts.into_iter().flatten();
        starts.any(|start| {
            let here = self.pieces.get(*start..*start + wanted.len());
            here.is_some_and(|here| here == wanted)
        })
    }
}

/// The name that a token in double quotes spells.
fn unquoted(token: &str) -> String {
    let inside = token
        .strip_prefix('"')
        .and_then(|own| own.strip_suffix('"'));
    inside.unwrap_or(token).replace("\"\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, wrong: &str) -> bool {
        let names = |text| StatementNames::of(text).unwrap();
        names(text).has_shape(&names(wrong))
    }

    #[test]
    fn names_and_shapes_are_found_as_the_server_reads_them() {
        for (text, wrong) in [
            ("SELECT A.\"b\" FROM c", "a.b"),
            ("SELECT a . b FROM c", "A.B"),
            ("SELECT x FROM c.a.b", "a.b"),
            ("SELECT x.b FROM a x", "a.b"),
            ("SELECT x.b FROM s.a AS x", "s.a.b"),
            ("SELECT b FROM a", "a.b"),
            ("SELECT f ( ) /* f */", "F()"),
            ("SELECT 'A' || b", "'A'||b"),
            ("SELECT \"a\"\"b\"", "\"a\"\"b\""),
            ("SELECT", "select"),
        ] {
            assert!(has(text, wrong), "{wrong} in {text}");
        }
        for (text, wrong) in [
            ("SELECT a.\"B\" FROM c", "a.b"),
            ("SELECT x.b FROM a, c x", "a.b"),
            ("SELECT x.b FROM a y", "a.b"),
            ("SELECT ab FROM c", "a"),
            ("SELECT 'a' -- a", "a"),
            ("SELECT 'b' FROM a", "a.b"),
            ("SELECT f(1)", "f()"),
            ("SELECT 'a' || b", "'A'||b"),
            ("SELECT x", ""),
        ] {
            assert!(!has(text, wrong), "{wrong} in {text}");
        }
        assert!(StatementNames::of(&" ".repeat(cited_records::TEXT_BYTES_MAX + 1)).is_none());
    }
}
