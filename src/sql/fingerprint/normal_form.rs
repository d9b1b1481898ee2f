//! The normal form of a statement that a fingerprint hashes: its tokens without values.
//!
//! It is written into a small buffer and hashed from there; only a long statement needs more. What
//! may turn out not to count (a sign, a comma, a row of constants) is held back until it is known.

use super::hash_sink::{Sink, Tag};
use crate::sql::lexer::TokenKind;

/// A normal form in the making.
pub(super) struct Normal<'t> {
    sink: Sink,
    last: Last<'t>,
    list: List,
    held: Held,
    semicolon: bool,
}

impl<'t> Normal<'t> {
    pub(super) fn new(key: Option<&[u8; 32]>) -> Self {
        Self {
            sink: Sink::new(key),
            last: Last::Opener,
            list: List::None,
            held: Held::Nothing,
            semicolon: false,
        }
    }

    /// Takes the next token of the text.
    pub(super) fn take(&mut self, kind: TokenKind, text: &'t str) {
        if kind.is_blank() {
            return;
        }
        if text == ";" {
            // What is held belongs to the statement that ends here.
            self.release_all();
            self.semicolon = true;
            self.last = Last::Opener;
            return;
        }
        if self.semicolon {
            self.semicolon = false;
            self.sink.put(Tag::Plain, b";");
        }
        self.take_significant(kind, text);
    }

    /// The hash of all that was taken.
    pub(super) fn hash(mut self) -> blake3::Hash {
        self.release_all();
        self.sink.hash()
    }

    fn take_significant(&mut self, kind: TokenKind, text: &'t str) {
        let is_sign = kind == TokenKind::Operator && matches!(text, "-" | "+");
        if is_sign && self.last.expects_value() {
            self.release_sign();
            self.held = match self.held {
                Held::Comma => Held::CommaAndSign(text == "-"),
                _ => Held::Sign(text == "-"),
            };
            self.last = Last::Opener;
            return;
        }
        if kind != TokenKind::Number {
            self.release_sign();
        }
        self.last = Last::of(kind, text);
        match kind {
            TokenKind::UnterminatedLiteral => self.constant(),
            _ if kind.is_constant() => self.constant(),
            TokenKind::Word => self.word(text),
            TokenKind::Punctuation => self.punctuation(text),
            TokenKind::QuotedName | TokenKind::UnicodeName => self.other(Tag::Quoted, text),
            _ => self.other(Tag::Plain, text),
        }
    }

    fn constant(&mut self) {
        // A sign before a number is part of the value.
        self.held = match self.held {
            Held::CommaAndSign(_) => Held::Comma,
            Held::Sign(_) => Held::Nothing,
            kept => kept,
        };
        match (self.list, self.held) {
            // A further constant of a list of constants.
            (List::Constants, Held::Comma) => self.held = Held::Nothing,
            (List::FirstRow { columns }, _) => {
                self.sink.put(Tag::Constant, b"");
                self.list = List::FirstRow {
                    columns: columns.saturating_add(1),
                };
            }
            (List::Row { columns, constants }, _) => {
                self.held = Held::Nothing;
                self.list = List::Row {
                    columns,
                    constants: constants.saturating_add(1),
                };
            }
            (List::Constants, _) => self.sink.put(Tag::Constant, b""),
            _ => {
                self.release_all();
                self.sink.put(Tag::Constant, b"");
            }
        }
    }

    fn punctuation(&mut self, text: &str) {
        match (text, self.list) {
            ("(", List::Expected(Expected::In)) | ("[", List::Expected(Expected::Array)) => {
                self.open(text, List::Constants);
            }
            ("(", List::Expected(Expected::Values)) => {
                self.open(text, List::FirstRow { columns: 0 });
            }
            ("(", List::AfterRow { columns }) if self.held == Held::Comma => {
                self.held = Held::Nothing;
                self.list = List::Row {
                    columns,
                    constants: 0,
                };
            }
            (",", List::Constants | List::Row { .. }) if self.held == Held::Nothing => {
                self.held = Held::Comma;
            }
            (",", List::AfterRow { .. }) if self.held == Held::Nothing => self.held = Held::Comma,
            (",", List::FirstRow { .. }) => self.sink.put(Tag::Plain, b","),
            (")", List::FirstRow { columns }) => self.open(text, List::AfterRow { columns }),
            (")", List::Row { columns, constants })
                if columns == constants && self.held == Held::Nothing =>
            {
                self.list = List::AfterRow { columns };
            }
            _ => self.other(Tag::Plain, text),
        }
    }

    fn open(&mut self, text: &str, list: List) {
        self.sink.put(Tag::Plain, text.as_bytes());
        self.list = list;
    }

    fn word(&mut self, text: &str) {
        self.release_all();
        self.sink.put_folded(text.as_bytes());
        self.list = match text.len() {
            2 if text.eq_ignore_ascii_case("in") => List::Expected(Expected::In),
            5 if text.eq_ignore_ascii_case("array") => List::Expected(Expected::Array),
            6 if text.eq_ignore_ascii_case("values") => List::Expected(Expected::Values),
            _ => List::None,
        };
    }

    fn other(&mut self, tag: Tag, text: &str) {
        self.release_all();
        self.sink.put(tag, text.as_bytes());
    }

    /// A sign that stood before something that is no number is an operator.
    fn release_sign(&mut self) {
        if let Held::Sign(_) | Held::CommaAndSign(_) = self.held {
            self.release_all();
        }
    }

    /// Writes all that is held: the list it was held for is not what it seemed.
    fn release_all(&mut self) {
        if let List::Row { constants, .. } = self.list {
            self.sink.put(Tag::Plain, b",");
            self.sink.put(Tag::Plain, b"(");
            for constant in 0..constants {
                if constant > 0 {
                    self.sink.put(Tag::Plain, b",");
                }
                self.sink.put(Tag::Constant, b"");
            }
        }
        let (comma, sign) = match self.held {
            Held::Nothing => (false, None),
            Held::Comma => (true, None),
            Held::Sign(minus) => (false, Some(minus)),
            Held::CommaAndSign(minus) => (true, Some(minus)),
        };
        if comma {
            self.sink.put(Tag::Plain, b",");
        }
        if let Some(minus) = sign {
            self.sink.put(Tag::Plain, if minus { b"-" } else { b"+" });
        }
        self.held = Held::Nothing;
        self.list = List::None;
    }
}

/// The list of constants that we are in, if any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    None,
    /// The word before a list has come, its bracket not yet.
    Expected(Expected),
    /// In the brackets of IN or ARRAY: only constants so far.
    Constants,
    /// In the first row of VALUES: only constants so far. It is written.
    FirstRow {
        columns: usize,
    },
    /// After a row of constants.
    AfterRow {
        columns: usize,
    },
    /// In a further row: only constants so far. It is held, with the comma and bracket before it.
    Row {
        columns: usize,
        constants: usize,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    In,
    Array,
    Values,
}

/// What is not written yet. True is a minus, false a plus.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Nothing,
    Comma,
    Sign(bool),
    CommaAndSign(bool),
}

/// What stood last, to tell a sign from an operator.
enum Last<'t> {
    /// Nothing, an operator, an opening bracket, a comma: a value follows.
    Opener,
    Word(&'t str),
    /// A value or a closing bracket: an operator follows.
    Value,
}

impl<'t> Last<'t> {
    fn of(kind: TokenKind, text: &'t str) -> Self {
        match kind {
            TokenKind::Word => Self::Word(text),
            TokenKind::Operator => Self::Opener,
            TokenKind::Punctuation if matches!(text, "(" | "[" | "," | ":" | ":=") => Self::Opener,
            _ => Self::Value,
        }
    }

    fn expects_value(&self) -> bool {
        match self {
            Self::Opener => true,
            Self::Word(word) => BEFORE_VALUES
                .iter()
                .any(|known| known.eq_ignore_ascii_case(word)),
            Self::Value => false,
        }
    }
}

/// Reserved words after which a sign can only belong to a value.
const BEFORE_VALUES: [&str; 20] = [
    "and", "by", "case", "distinct", "else", "fetch", "from", "having", "in", "limit", "not",
    "offset", "on", "or", "return", "select", "then", "using", "when", "where",
];
