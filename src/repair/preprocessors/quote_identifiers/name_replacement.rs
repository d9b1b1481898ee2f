//! A text whose names are being exchanged, one token for one.

use std::ops::Range;

use crate::RepairContext;
use crate::names::letter_case::{folded, in_quotes, spelled, unquoted};
use sql::edit::TextEdit;
use sql::lexer::{Token, TokenKind};

/// The text, and what stands in the place of its tokens.
pub(in crate::preprocessors) struct RenamingDraft<'a> {
    text: &'a str,
    tokens: &'a [Token],
    replaced: Vec<Option<String>>,
}

/// The draft as it stands: its text, and where each token begins in it.
pub(in crate::preprocessors) struct ComposedDraft {
    pub text: String,
    starts: Vec<usize>,
}

/// One name of a reference.
#[derive(Clone)]
pub(in crate::preprocessors) struct NamePart {
    /// The place of its token.
    pub place: usize,
    /// As it is written, without its quotes.
    pub written: String,
    /// What Postgres reads.
    pub means: String,
    /// Whether it stands in quotes.
    pub is_quoted: bool,
}

/// A name with what qualifies it, as it stands in the text.
pub(in crate::preprocessors) struct WrittenReference {
    /// The names, the last one last.
    pub parts: Vec<NamePart>,
    /// Whether a star follows.
    pub has_star: bool,
}

impl ComposedDraft {
    /// Where a token of the text begins in this one.
    pub fn start(&self, place: usize) -> Option<usize> {
        self.starts.get(place).copied()
    }
}

impl<'a> RenamingDraft<'a> {
    pub fn new(context: &RepairContext<'a>) -> Self {
        Self {
            text: context.text,
            tokens: context.tokens,
            replaced: vec![None; context.tokens.len()],
        }
    }

    pub fn compose(&self) -> ComposedDraft {
        let mut text = String::with_capacity(self.text.len());
        let mut starts = Vec::with_capacity(self.tokens.len());
        for place in 0..self.tokens.len() {
            starts.push(text.len());
            text.push_str(self.word(place));
        }
        ComposedDraft { text, starts }
    }

    /// Puts a name in the place of a token; whether that changes anything.
    pub fn replace(&mut self, place: usize, name: &str) -> bool {
        let spelled = match self.is_alone(place) {
            true => spelled(name),
            false => in_quotes(name),
        };
        if self.word(place) == spelled {
            return false;
        }
        match self.replaced.get_mut(place) {
            Some(replaced) => {
                *replaced = Some(spelled);
                true
            }
            None => false,
        }
    }

    /// Puts one name, in quotes, in the place of the tokens that stand in these bytes of the
    /// composed text.
    pub fn replace_span(
        &mut self,
        composed: &ComposedDraft,
        span: &Range<usize>,
        name: &str,
    ) -> bool {
        let from = composed.starts.partition_point(|start| *start < span.start);
        let to = composed.starts.partition_point(|start| *start < span.end);
        let Some((first, rest)) = self
            .replaced
            .get_mut(from..to)
            .and_then(|tokens| tokens.split_first_mut())
        else {
            return false;
        };
        *first = Some(in_quotes(name));
        for token in rest {
            *token = Some(String::new());
        }
        true
    }

    /// The edits that make it of the text, and the names that are new in it, each once.
    pub fn into_edits(self) -> (Vec<TextEdit>, Vec<String>) {
        let mut names: Vec<String> = Vec::new();
        let mut edits = Vec::new();
        for (token, replaced) in self.tokens.iter().zip(self.replaced) {
            let Some(replacement) = replaced else {
                continue;
            };
            let is_new = !replacement.is_empty() && !names.contains(&replacement);
            if is_new && names.len() < NAMES_TOLD {
                names.push(replacement.clone());
            }
            edits.push(TextEdit {
                span: token.span.clone(),
                replacement,
            });
        }
        (edits, names)
    }

    /// The reference that begins at a byte of the composed text.
    pub fn reference(&self, composed: &ComposedDraft, at: usize) -> Option<WrittenReference> {
        let mut place = composed.starts.binary_search(&at).ok()?;
        let mut parts = vec![self.part(place)?];
        for _ in 0..PARTS_MAX {
            let Some(dot) = self.solid_after(place).filter(|at| self.word(*at) == ".") else {
                break;
            };
            let next = self.solid_after(dot)?;
            if self.word(next) == "*" {
                return Some(WrittenReference {
                    parts,
                    has_star: true,
                });
            }
            parts.push(self.part(next)?);
            place = next;
        }
        Some(WrittenReference {
            parts,
            has_star: false,
        })
    }

    /// Whether a name in quotes stands where no string would: it is compared with something, sorted
    /// or grouped by, aggregated, or all that is selected.
    pub fn stands_as_column(&self, place: usize) -> bool {
        let before = self.solid_before(place);
        let after = self.solid_after(place);
        let is = |place: Option<usize>, words: &[&str]| {
            place.is_some_and(|place| {
                let mut words = words.iter();
                words.any(|word| self.word(place).eq_ignore_ascii_case(word))
            })
        };
        let called = before.filter(|before| self.word(*before) == "(");
        let called = called.and_then(|opening| self.solid_before(opening));
        let compared = is(
            after,
            &["=", "<>", "!=", "<", ">", "<=", ">=", "is", "like", "ilike"],
        ) || is(after, &["in", "between"]);
        let starts = is(
            before,
            &["where", "and", "or", "on", "having", "not", "(", "when"],
        );
        compared && starts
            || is(before, &["by"])
            || is(called, &["count", "sum", "avg", "min", "max"]) && is(after, &[")"])
            || is(before, &["select", "distinct"]) && is(after, &["from"])
    }

    /// The places where a word stands that names a relation, right after FROM or JOIN.
    pub fn after_from(&self, word: &str) -> Vec<usize> {
        let places = (0..self.tokens.len())
            .filter(|place| self.is_word(*place, "from") || self.is_word(*place, "join"));
        let next = places.filter_map(|place| self.solid_after(place));
        next.filter(|place| self.is_word(*place, word)).collect()
    }

    /// The lists of names after USING.
    pub fn using_lists(&self) -> Vec<Range<usize>> {
        let mut lists = Vec::new();
        for place in 0..self.tokens.len() {
            if !self.is_word(place, "using") {
                continue;
            }
            let opening = self.solid_after(place).filter(|at| self.word(*at) == "(");
            let Some(opening) = opening else { continue };
            let inside = opening.saturating_add(1)..self.tokens.len();
            let closing = inside
                .take(USING_TOKENS_MAX)
                .find(|at| self.word(*at) == ")");
            if let Some(closing) = closing {
                lists.push(opening.saturating_add(1)..closing);
            }
        }
        lists
    }

    /// The name at a place.
    pub fn part(&self, place: usize) -> Option<NamePart> {
        let word = self.word(place);
        if word.starts_with('"') {
            let name = unquoted(word)?;
            return Some(NamePart {
                place,
                written: name.clone(),
                means: name,
                is_quoted: true,
            });
        }
        let is_new = matches!(self.replaced.get(place), Some(Some(_)));
        let is_word = self.tokens.get(place)?.kind == TokenKind::Word;
        (is_word || is_new).then(|| NamePart {
            place,
            written: word.to_owned(),
            means: folded(word),
            is_quoted: false,
        })
    }

    /// Whether a word at this place would not grow together with its neighbours.
    fn is_alone(&self, place: usize) -> bool {
        let stands_apart = |place: Option<usize>| {
            let token = place.and_then(|place| self.tokens.get(place));
            token.is_none_or(|token| {
                token.kind.is_blank()
                    || matches!(token.kind, TokenKind::Punctuation | TokenKind::Operator)
            })
        };
        stands_apart(place.checked_sub(1)) && stands_apart(place.checked_add(1))
    }

    fn is_word(&self, place: usize, word: &str) -> bool {
        let kind = self.tokens.get(place).map(|token| token.kind);
        kind == Some(TokenKind::Word) && self.word(place).eq_ignore_ascii_case(word)
    }

    fn solid_after(&self, place: usize) -> Option<usize> {
        let mut after = place.saturating_add(1)..self.tokens.len();
        after.find(|at| {
            let token = self.tokens.get(*at);
            token.is_some_and(|token| !token.kind.is_blank()) && !self.word(*at).is_empty()
        })
    }

    fn solid_before(&self, place: usize) -> Option<usize> {
        (0..place).rev().find(|at| {
            let token = self.tokens.get(*at);
            token.is_some_and(|token| !token.kind.is_blank()) && !self.word(*at).is_empty()
        })
    }

    fn word(&self, place: usize) -> &str {
        if let Some(Some(replaced)) = self.replaced.get(place) {
            return replaced;
        }
        let token = self.tokens.get(place);
        token
            .and_then(|token| self.text.get(token.span.clone()))
            .unwrap_or_default()
    }
}

/// A database, a schema, a relation and a column.
const PARTS_MAX: usize = 4;

/// Tokens in a list after USING.
const USING_TOKENS_MAX: usize = 200;

/// How many names the client is told of.
const NAMES_TOLD: usize = 12;
