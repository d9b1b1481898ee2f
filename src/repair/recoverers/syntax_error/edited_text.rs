//! A text on its way to one that parses, and how it came from the client's.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::token_repair::TokenRepair;
use crate::context::tokens_of;
use crate::names::letter_case::unquoted;
use ground::limits;
use sql::children::KindName;
use sql::edit::{self, TextEdit};
use sql::lexer::{Token, TokenKind};
use sql::tree::{self, Node, SyntaxError, SyntaxTree};
use sql::{prescan, syntax_error_position};

/// The text as it stands.
pub(crate) struct EditedText {
    /// The text.
    pub text: String,
    /// Its tokens but blanks.
    pub tokens: Vec<Token>,
    pieces: Vec<TextPiece>,
    length: usize,
    parses: Cell<usize>,
    error_token: OnceCell<Option<usize>>,
}

/// A part of the text: the client's own, or a new one.
enum TextPiece {
    Kept(Range<usize>),
    New(String),
}

impl EditedText {
    pub fn new(text: &str) -> Self {
        Self {
            tokens: solid(text),
            pieces: vec![TextPiece::Kept(0..text.len())],
            length: text.len(),
            text: text.to_owned(),
            parses: Cell::new(0),
            error_token: OnceCell::new(),
        }
    }

    /// Changes the text; false where the edits contradict each other.
    pub fn apply(&mut self, mut edits: Vec<TextEdit>) -> bool {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let Ok(text) = edit::apply(&self.text, edits.clone()) else {
            return false;
        };
        let mut rest = RemainingPieces {
            pieces: std::mem::take(&mut self.pieces).into_iter(),
            current: None,
        };
        let mut pieces = Vec::new();
        let mut at = 0_usize;
        for edit in edits {
            rest.pass(edit.span.start.saturating_sub(at), Some(&mut pieces));
            rest.pass(edit.span.len(), None);
            at = edit.span.end;
            pieces.push(TextPiece::New(edit.replacement));
        }
        rest.pass(usize::MAX, Some(&mut pieces));
        self.pieces = pieces;
        self.error_token = OnceCell::new();
        self.tokens = solid(&text);
        self.text = text;
        true
    }

    /// The edits of the client's text that this one came by.
    pub fn edits(&self) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        let (mut at, mut new) = (0_usize, String::new());
        let end = TextPiece::Kept(self.length..self.length);
        for piece in self.pieces.iter().chain([&end]) {
            match piece {
                TextPiece::New(text) => new.push_str(text),
                TextPiece::Kept(span) => {
                    if span.start > at || !new.is_empty() {
                        edits.push(TextEdit {
                            span: at..span.start,
                            replacement: std::mem::take(&mut new),
                        });
                    }
                    at = span.end;
                }
            }
        }
        edits
    }

    /// The text of a token.
    pub fn word(&self, place: usize) -> &str {
        let token = self.tokens.get(place);
        token
            .and_then(|token| self.text.get(token.span.clone()))
            .unwrap_or_default()
    }

    /// The kind of a token.
    pub fn kind(&self, place: usize) -> Option<TokenKind> {
        self.tokens.get(place).map(|token| token.kind)
    }

    /// Where a token stands; the end of the text for none.
    pub fn span(&self, place: usize) -> Range<usize> {
        let token = self.tokens.get(place);
        token.map_or(self.text.len()..self.text.len(), |token| token.span.clone())
    }

    /// Whether a token is this word without quotes.
    pub fn is(&self, place: usize, word: &str) -> bool {
        self.kind(place) == Some(TokenKind::Word) && self.word(place).eq_ignore_ascii_case(word)
    }

    /// Whether a token is one of these words.
    pub fn is_any(&self, place: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(place, word))
    }

    /// Whether a token is this sign.
    pub fn is_sign(&self, place: usize, sign: &str) -> bool {
        matches!(
            self.kind(place),
            Some(TokenKind::Punctuation | TokenKind::Operator | TokenKind::Other)
        ) && self.word(place) == sign
    }

    /// Whether a token before this one is this word.
    pub fn follows(&self, place: usize, words: &[&str]) -> bool {
        let before = place.checked_sub(1);
        before.is_some_and(|before| self.is_any(before, words))
    }

    /// The names that stand in double quotes.
    pub fn quoted_names(&self) -> impl Iterator<Item = String> {
        let tokens = self.tokens.iter();
        let quoted = tokens.filter(|token| token.kind == TokenKind::QuotedName);
        quoted.filter_map(|token| unquoted(self.text.get(token.span.clone())?))
    }

    /// Whether a quote or a comment never ends.
    pub fn is_open(&self) -> bool {
        self.tokens
            .iter()
            .any(|token| token.kind == TokenKind::UnterminatedLiteral)
    }

    /// The tree of the text, if it is one statement.
    pub fn parse(&self) -> Option<SyntaxTree> {
        self.tree(&self.text).ok()?
    }

    /// The tree of the text with these edits, if it is one statement then.
    pub fn parse_with(&self, edits: &[TextEdit]) -> Option<SyntaxTree> {
        let text = edit::apply(&self.text, edits.to_vec()).ok()?;
        self.tree(&text).ok()?
    }

    /// The only repair with which the text parses; none for several. Repairs that make the same
    /// words count once.
    pub fn only_parsing(&self, repairs: Vec<TokenRepair>) -> Option<TokenRepair> {
        self.only_by(repairs, |text, _| words(text))
    }

    /// The same, where repairs count once that make the same of the text: `(a) OR b` and `(a OR
    /// b)`. They may differ in parentheses and in nothing else.
    pub fn only_parsed_shape(&self, repairs: Vec<TokenRepair>) -> Option<TokenRepair> {
        self.only_by(repairs, |_, tree| shape(tree))
    }

    fn only_by<Key: PartialEq>(
        &self,
        repairs: Vec<TokenRepair>,
        key: impl Fn(&str, &SyntaxTree) -> Key,
    ) -> Option<TokenRepair> {
        let mut found: Option<(Key, TokenRepair)> = None;
        for repair in repairs {
            let Ok(text) = edit::apply(&self.text, repair.edits.clone()) else {
                continue;
            };
            let Ok(Some(tree)) = self.tree(&text) else {
                continue;
            };
            let key = key(&text, &tree);
            match &found {
                None => found = Some((key, repair)),
                Some((known, _)) if *known == key => {}
                Some(_) => return None,
            }
        }
        // Not all were tried: the one found may not be the only one.
        if self.parses.get() > limits::SYNTAX_PARSES_MAX {
            return None;
        }
        found.map(|(_, repair)| repair)
    }

    /// The place of the token at which the grammar stops; their number for the end.
    pub fn error_token(&self) -> Option<usize> {
        *self.error_token.get_or_init(|| self.find_error_token())
    }

    fn find_error_token(&self) -> Option<usize> {
        let error = self.tree(&self.text).err()??;
        let character =
            usize::try_from(syntax_error_position::of_error(&self.text, &error)?).ok()?;
        let ends = std::iter::once(self.text.len());
        let mut places = self.text.char_indices().map(|(at, _)| at).chain(ends);
        let at = places.nth(character.checked_sub(1)?)?;
        Some(self.tokens.partition_point(|token| token.span.start < at))
    }

    /// The tree, or none where it is not of one statement; the error where there is one.
    fn tree(&self, text: &str) -> Result<Option<SyntaxTree>, Option<SyntaxError>> {
        self.parses.set(self.parses.get().saturating_add(1));
        if self.parses.get() > limits::SYNTAX_PARSES_MAX
            || prescan::prescan(text, limits::REPAIR_BYTES_MAX).is_err()
        {
            return Err(None);
        }
        let tree = tree::parse(text).map_err(Some)?;
        let one = tree.statements().take(2).count() == 1;
        Ok(one.then_some(tree))
    }
}

/// Pieces that are still to be passed.
struct RemainingPieces {
    pieces: std::vec::IntoIter<TextPiece>,
    current: Option<TextPiece>,
}

impl RemainingPieces {
    /// Passes so many bytes, and keeps what they are.
    fn pass(&mut self, bytes: usize, mut into: Option<&mut Vec<TextPiece>>) {
        let mut left = bytes;
        while left > 0 {
            let Some(piece) = self.current.take().or_else(|| self.pieces.next()) else {
                return;
            };
            let length = match &piece {
                TextPiece::Kept(span) => span.len(),
                TextPiece::New(text) => text.len(),
            };
            let (passed, rest) = piece.split(left.min(length));
            left = left.saturating_sub(length);
            if let Some(into) = &mut into {
                into.push(passed);
            }
            self.current = rest;
        }
    }
}

impl TextPiece {
    fn split(self, at: usize) -> (Self, Option<Self>) {
        match self {
            Self::Kept(span) => {
                let middle = span.start.saturating_add(at);
                let rest = (middle < span.end).then_some(Self::Kept(middle..span.end));
                (Self::Kept(span.start..middle), rest)
            }
            Self::New(text) => match text.split_at_checked(at) {
                Some((_, "")) | None => (Self::New(text), None),
                Some((first, rest)) => (Self::New(first.into()), Some(Self::New(rest.into()))),
            },
        }
    }
}

/// What a tree is built like: for texts of the same words in the same order, what belongs to what.
fn shape(tree: &SyntaxTree) -> Vec<(KindName, usize)> {
    let mut waiting: Vec<Node<'_>> = tree.statements().map(|one| one.node).collect();
    let mut shape = Vec::new();
    while let Some(node) = waiting.pop() {
        let before = waiting.len();
        // A kind that is not known has a name at least.
        let _unknown = tree::children(node, &mut waiting);
        let children = waiting.len().saturating_sub(before);
        shape.push((tree::kind_name(node), children));
    }
    shape
}

/// The words and signs of a text, apart from how they are set.
fn words(text: &str) -> String {
    let tokens = solid(text);
    let words = tokens
        .iter()
        .filter_map(|token| text.get(token.span.clone()));
    words.collect::<Vec<&str>>().join(" ")
}

/// The tokens of a text but blanks.
fn solid(text: &str) -> Vec<Token> {
    let mut tokens = tokens_of(text);
    tokens.retain(|token| !token.kind.is_blank());
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_lead_from_the_first_text_to_the_last() {
        let first = "SELECT [a], `b` FROM t";
        let mut edited = EditedText::new(first);
        let edit = |span: Range<usize>, new: &str| TextEdit {
            span,
            replacement: new.into(),
        };
        assert!(edited.apply(vec![edit(12..15, "\"b\""), edit(7..10, "\"a\"")]));
        assert!(edited.apply(vec![edit(8..9, "xyz"), edit(0..0, "/**/")]));
        assert!(edited.apply(vec![edit(0..4, "")]));
        assert_eq!(edited.text, "SELECT \"xyz\", \"b\" FROM t");
        assert_eq!(edit::apply(first, edited.edits()).unwrap(), edited.text);
        assert!(EditedText::new(first).edits().is_empty());
        assert!(!edited.apply(vec![edit(0..2, ""), edit(1..3, "")]));
    }
}
