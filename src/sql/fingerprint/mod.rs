//! A short name for "the same statement with other values": what is recorded instead of a text.
//!
//! It is for statistics and must never be a key to a verdict: statements that differ in what they
//! do can share one by design of its collapsing, and it is 16 bytes of a hash.
//!
//! It is made of the tokens alone, so it exists for texts that do not parse. Constants become one
//! placeholder, letter case of unquoted words, white space and comments do not count, lists of
//! constants in `IN (..)`, `ARRAY[..]` and further rows of `VALUES` collapse, trailing semicolons
//! fall. Names stay, quoted ones as they are written.

mod hash_sink;
mod normal_form;

use std::fmt;

use self::normal_form::NormalForm;
use super::lexer::{TokenKind, tokens};

/// The name of a statement without its values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; FINGERPRINT_BYTES]);

/// Makes fingerprints. Cheap to clone.
#[derive(Clone)]
pub struct Fingerprinter {
    key: Option<[u8; 32]>,
    process_key: [u8; 32],
}

impl Fingerprinter {
    /// `key`, if there is one, makes fingerprints that nobody can guess who does not have it; the
    /// same key on every copy of the proxy makes them comparable. `process_key` must be random and
    /// of this process alone: see [`Self::of_unparsed`].
    pub fn new(key: Option<[u8; 32]>, process_key: [u8; 32]) -> Self {
        Self { key, process_key }
    }

    /// The fingerprint of a text that the grammar accepts.
    ///
    /// If a literal in it never ends, then it is taken as [`Self::of_unparsed`] does.
    pub fn of(&self, text: &str) -> Fingerprint {
        let mut normal = NormalForm::new(self.key.as_ref());
        for token in tokens(text) {
            if token.kind == TokenKind::UnterminatedLiteral {
                return self.of_unparsed(text);
            }
            normal.take(token.kind, text.get(token.span).unwrap_or_default());
        }
        finish(normal)
    }

    /// The fingerprint of a text that the grammar refuses.
    ///
    /// One quote too many, and what was meant as a value reads as names and key words, which a
    /// fingerprint is made of: whoever guesses the value could confirm the guess. So it is made
    /// with the key of the process: within one run, equal texts still have equal fingerprints.
    pub fn of_unparsed(&self, text: &str) -> Fingerprint {
        let mut normal = NormalForm::new(Some(&self.process_key));
        for token in tokens(text) {
            normal.take(token.kind, text.get(token.span).unwrap_or_default());
        }
        finish(normal)
    }
}

impl Fingerprint {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; FINGERPRINT_BYTES] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Debug for Fingerprinter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Fingerprinter(..)")
    }
}

fn finish(normal: NormalForm<'_>) -> Fingerprint {
    let hash = normal.hash();
    let mut bytes = [0; FINGERPRINT_BYTES];
    bytes
        .iter_mut()
        .zip(hash.as_bytes())
        .for_each(|(to, from)| *to = *from);
    Fingerprint(bytes)
}

const FINGERPRINT_BYTES: usize = 16;
