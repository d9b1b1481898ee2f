//! The normal form of a statement that a fingerprint hashes: its tokens without values.
//!
//! It is written into a small buffer and hashed from there; only a long statement needs more. What
//! may turn out not to count (a sign, a comma, a row of constants) is held back until it is known.

use super::hash_sink::{HashSink, PieceTag};
use crate::lexer::TokenKind;

/// A normal form in the making.
pub(super) struct NormalForm<'t> {
    sink: HashSink,
    last: LastPiece<'t>,
    list: ConstantList,
    held: PendingPiece,
    semicolon: bool,
}

impl<'t> NormalForm<'t> {
    pub(super) fn new(key: Option<&[u8; 32]>) -> Self {
        Self {
            sink: HashSink::new(key),
            last: LastPiece::Opener,
            list: ConstantList::None,
            held: PendingPiece::Nothing,
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
            self.last = LastPiece::Opener;
            return;
        }
        if self.semicolon {
            self.semicolon = false;
            self.sink.put(PieceTag::Plain, b";");
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
                PendingPiece::Comma => PendingPiece::CommaAndSign(text == "-"),
                _ => PendingPiece::Sign(text == "-"),
            };
            self.last = LastPiece::Opener;
            return;
        }
        if kind != TokenKind::Number {
            self.release_sign();
        }
        self.last = LastPiece::of(kind, text);
        match kind {
            TokenKind::UnterminatedLiteral => self.constant(),
            _ if kind.is_constant() => self.constant(),
            TokenKind::Word => self.word(text),
            TokenKind::Punctuation => self.punctuation(text),
            TokenKind::QuotedName | TokenKind::UnicodeName => self.other(PieceTag::Quoted, text),
            _ => self.other(PieceTag::Plain, text),
        }
    }

    fn constant(&mut self) {
        // A sign before a number is part of the value.
        self.held = match self.held {
            PendingPiece::CommaAndSign(_) => PendingPiece::Comma,
            PendingPiece::Sign(_) => PendingPiece::Nothing,
            kept => kept,
        };
        match (self.list, self.held) {
            // A further constant of a list of constants.
            (ConstantList::Constants, PendingPiece::Comma) => self.held = PendingPiece::Nothing,
            (ConstantList::FirstRow { columns }, _) => {
                self.sink.put(PieceTag::Constant, b"");
                self.list = ConstantList::FirstRow {
                    columns: columns.saturating_add(1),
                };
            }
            (ConstantList::Row { columns, constants }, _) => {
                self.held = PendingPiece::Nothing;
                self.list = ConstantList::Row {
                    columns,
                    constants: constants.saturating_add(1),
                };
            }
            (ConstantList::Constants, _) => self.sink.put(PieceTag::Constant, b""),
            _ => {
                self.release_all();
                self.sink.put(PieceTag::Constant, b"");
            }
        }
    }

    fn punctuation(&mut self, text: &str) {
        match (text, self.list) {
            ("(", ConstantList::Expected(ExpectedList::In))
            | ("[", ConstantList::Expected(ExpectedList::Array)) => {
                self.open(text, ConstantList::Constants);
            }
            ("(", ConstantList::Expected(ExpectedList::Values)) => {
                self.open(text, ConstantList::FirstRow { columns: 0 });
            }
            ("(", ConstantList::AfterRow { columns }) if self.held == PendingPiece::Comma => {
                self.held = PendingPiece::Nothing;
                self.list = ConstantList::Row {
                    columns,
                    constants: 0,
                };
            }
            (",", ConstantList::Constants | ConstantList::Row { .. })
                if self.held == PendingPiece::Nothing =>
            {
                self.held = PendingPiece::Comma;
            }
            (",", ConstantList::AfterRow { .. }) if self.held == PendingPiece::Nothing => {
                self.held = PendingPiece::Comma
            }
            (",", ConstantList::FirstRow { .. }) => self.sink.put(PieceTag::Plain, b","),
            (")", ConstantList::FirstRow { columns }) => {
                self.open(text, ConstantList::AfterRow { columns })
            }
            (")", ConstantList::Row { columns, constants })
                if columns == constants && self.held == PendingPiece::Nothing =>
            {
                self.list = ConstantList::AfterRow { columns };
            }
            _ => self.other(PieceTag::Plain, text),
        }
    }

    fn open(&mut self, text: &str, list: ConstantList) {
        self.sink.put(PieceTag::Plain, text.as_bytes());
        self.list = list;
    }

    fn word(&mut self, text: &str) {
        self.release_all();
        self.sink.put_folded(text.as_bytes());
        self.list = match text.len() {
            2 if text.eq_ignore_ascii_case("in") => ConstantList::Expected(ExpectedList::In),
            5 if text.eq_ignore_ascii_case("array") => ConstantList::Expected(ExpectedList::Array),
            6 if text.eq_ignore_ascii_case("values") => {
                ConstantList::Expected(ExpectedList::Values)
            }
            _ => ConstantList::None,
        };
    }

    fn other(&mut self, tag: PieceTag, text: &str) {
        self.release_all();
        self.sink.put(tag, text.as_bytes());
    }

    /// A sign that stood before something that is no number is an operator.
    fn release_sign(&mut self) {
        if let PendingPiece::Sign(_) | PendingPiece::CommaAndSign(_) = self.held {
            self.release_all();
        }
    }

    /// Writes all that is held: the list it was held for is not what it seemed.
    fn release_all(&mut self) {
        if let ConstantList::Row { constants, .. } = self.list {
            self.sink.put(PieceTag::Plain, b",");
            self.sink.put(PieceTag::Plain, b"(");
            for constant in 0..constants {
                if constant > 0 {
                    self.sink.put(PieceTag::Plain, b",");
                }
                self.sink.put(PieceTag::Constant, b"");
            }
        }
        let (comma, sign) = match self.held {
            PendingPiece::Nothing => (false, None),
            PendingPiece::Comma => (true, None),
            PendingPiece::Sign(minus) => (false, Some(minus)),
            PendingPiece::CommaAndSign(minus) => (true, Some(minus)),
        };
        if comma {
            self.sink.put(PieceTag::Plain, b",");
        }
        if let Some(minus) = sign {
            self.sink
                .put(PieceTag::Plain, if minus { b"-" } else { b"+" });
        }
        self.held = PendingPiece::Nothing;
        self.list = ConstantList::None;
    }
}

/// The list of constants that we are in, if any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConstantList {
    None,
    /// The word before a list has come, its bracket not yet.
    Expected(ExpectedList),
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
enum ExpectedList {
    In,
    Array,
    Values,
}

/// What is not written yet. True is a minus, false a plus.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PendingPiece {
    Nothing,
    Comma,
    Sign(bool),
    CommaAndSign(bool),
}

/// What stood last, to tell a sign from an operator.
enum LastPiece<'t> {
    /// Nothing, an operator, an opening bracket, a comma: a value follows.
    Opener,
    Word(&'t str),
    /// A value or a closing bracket: an operator follows.
    Value,
}

impl<'t> LastPiece<'t> {
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
