//! The words of a statement that Postgres's grammar need not read: names in anybody's quotes.

use crate::RepairContext;
use sql::lexer::TokenKind;

/// A word of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StatementWord<'t> {
    /// Without quotes.
    Bare(&'t str),
    /// What stands between the quotes of a name.
    Quoted(String),
    /// What stands between the quotes of a string.
    Text(String),
    /// A sign, or a number.
    Sign(&'t str),
}

/// Words that are taken from the left.
#[derive(Clone)]
pub(super) struct StatementWords<'t> {
    words: Vec<StatementWord<'t>>,
    at: usize,
}

impl<'t> StatementWords<'t> {
    /// The words of the text, a semicolon at its end left out; none of a text that is too long for
    /// such a statement, or where a quote is never closed.
    pub(super) fn of(context: &RepairContext<'t>) -> Option<Self> {
        let text = context.text;
        let mut words = Vec::new();
        let mut passed = 0_usize;
        for token in context.tokens {
            let start = token.span.start;
            if token.kind.is_blank() || start < passed {
                continue;
            }
            if words.len() > WORDS_MAX {
                return None;
            }
            let word = context.word(token);
            let (closing, inside) = match word.chars().next()? {
                '`' => ('`', start.saturating_add(1)),
                '[' => (']', start.saturating_add(1)),
                _ => {
                    words.push(one(token.kind, word)?);
                    continue;
                }
            };
            let (name, _) = text.get(inside..)?.split_once(closing)?;
            words.push(StatementWord::Quoted(name.to_owned()));
            passed = inside.saturating_add(name.len()).saturating_add(1);
        }
        while words.last() == Some(&StatementWord::Sign(";")) {
            words.pop();
        }
        Some(Self { words, at: 0 })
    }

    /// Takes this word, if it is the next.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let is_next = match self.words.get(self.at) {
            Some(StatementWord::Bare(next)) => next.eq_ignore_ascii_case(word),
            Some(StatementWord::Sign(next)) => *next == word,
            _ => false,
        };
        self.at = self.at.saturating_add(usize::from(is_next));
        is_next
    }

    /// Takes these words, if they are the next.
    pub(super) fn take_all(&mut self, words: &[&str]) -> bool {
        let before = self.at;
        let taken = words.iter().all(|word| self.take(word));
        if !taken {
            self.at = before;
        }
        taken
    }

    /// Takes one of these words, if it is the next.
    pub(super) fn take_any(&mut self, words: &[&str]) -> bool {
        words.iter().any(|word| self.take(word))
    }

    /// Takes the next word without quotes, in small letters.
    pub(super) fn bare(&mut self) -> Option<String> {
        let StatementWord::Bare(word) = self.words.get(self.at)? else {
            return None;
        };
        self.at = self.at.saturating_add(1);
        Some(word.to_ascii_lowercase())
    }

    /// Takes a string: `'a'` or `N'a'`.
    pub(super) fn text(&mut self) -> Option<String> {
        let before = self.at;
        if let Some(StatementWord::Text(_)) = self.words.get(self.at.saturating_add(1)) {
            self.take("n");
        }
        let Some(StatementWord::Text(text)) = self.words.get(self.at) else {
            self.at = before;
            return None;
        };
        self.at = self.at.saturating_add(1);
        Some(text.clone())
    }

    /// Takes a name with dots: its parts, which may stand in quotes of names, together or each, or
    /// in those of a string.
    pub(super) fn name(&mut self) -> Option<Vec<String>> {
        if let Some(text) = self.text() {
            return parts_of(&text);
        }
        let mut parts = Vec::new();
        loop {
            match self.words.get(self.at)? {
                StatementWord::Bare(word) => parts.push(word.to_lowercase()),
                StatementWord::Quoted(name) => parts.extend(name.split('.').map(str::to_owned)),
                StatementWord::Text(_) | StatementWord::Sign(_) => return None,
            }
            self.at = self.at.saturating_add(1);
            if !self.take(".") {
                return Some(parts);
            }
        }
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.words.len()
    }
}

/// The parts of a name that stands in a string: `dbo.orders`, `[dbo].[orders]`.
pub(super) fn parts_of(text: &str) -> Option<Vec<String>> {
    let part = |part: &str| {
        let part = part.trim();
        let quotes = [('[', ']'), ('"', '"'), ('`', '`')];
        let inside = quotes.iter().find_map(|(open, close)| {
            part.strip_prefix(*open)
                .and_then(|part| part.strip_suffix(*close))
        });
        inside.unwrap_or(part).to_owned()
    };
    let parts: Vec<String> = text.split('.').map(part).collect();
    (parts.len() <= PARTS_MAX && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

fn one(kind: TokenKind, word: &str) -> Option<StatementWord<'_>> {
    Some(match kind {
        TokenKind::Word => StatementWord::Bare(word),
        TokenKind::QuotedName => {
            let name = word.strip_prefix('"')?.strip_suffix('"')?;
            StatementWord::Quoted(name.replace("\"\"", "\""))
        }
        TokenKind::String => {
            let start = word.find('\'')?;
            let text = word.get(start..)?.strip_prefix('\'')?.strip_suffix('\'')?;
            StatementWord::Text(text.replace("''", "'"))
        }
        TokenKind::UnterminatedLiteral | TokenKind::UnterminatedComment => return None,
        _ => StatementWord::Sign(word),
    })
}

/// Statements that tell what there is are short.
const WORDS_MAX: usize = 40;

/// `server.database.schema.table`.
const PARTS_MAX: usize = 4;
