//! The place of a constant among the tokens of a text: whether it looks like one where no value is
//! read, because something is compared with it or because it is a point or a span of time.
//!
//! A look at tokens proposes and no more. It is made for each text that comes, so it is made in
//! one pass; what the tree of a text says decides what is remembered ([`super::unread_constants`]).

use sql::lexer::{TokenKind, TokenStream};

/// What was read of a text so far, as far as it says what a constant would be that comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ConstantPlace {
    /// Nothing that says anything of it.
    #[default]
    Open,
    /// Behind what an expression begins behind.
    Beginning,
    /// Behind the dot of a name.
    PartOfName,
    /// `x =`
    Compared,
    /// `x = (`
    ComparedInParentheses,
    /// `x IN` or `ARRAY`
    BeforeList,
    /// `x IN ('a',`
    List,
    /// `x IN ('a', 'b'`
    BehindMember,
    /// `x BETWEEN`
    Lower,
    /// `x BETWEEN 'a'`
    BehindLower,
    /// `x BETWEEN 'a' AND`
    Upper,
    /// `date`
    BehindTypeOfTime,
    /// `CAST`
    BeforeCast,
    /// `CAST (`
    Cast,
    /// `LIMIT` or `OFFSET`
    Bound,
}

impl ConstantPlace {
    /// The place behind the next token.
    pub(super) fn behind(self, kind: TokenKind, piece: &str) -> Self {
        if kind.is_blank() {
            return self;
        }
        if kind.is_constant() {
            return match self {
                Self::List => Self::BehindMember,
                Self::Lower => Self::BehindLower,
                _ => Self::Open,
            };
        }
        match kind {
            TokenKind::Word => self.behind_word(piece),
            TokenKind::Operator if COMPARISONS.contains(&piece) => Self::Compared,
            TokenKind::Operator => Self::Beginning,
            TokenKind::Punctuation => match (piece, self) {
                ("(", Self::Compared) => Self::ComparedInParentheses,
                ("(" | "[", Self::BeforeList) | (",", Self::BehindMember) => Self::List,
                ("(", Self::BeforeCast) => Self::Cast,
                ("(" | "[" | ",", _) => Self::Beginning,
                (".", _) => Self::PartOfName,
                _ => Self::Open,
            },
            _ => Self::Open,
        }
    }

    fn behind_word(self, word: &str) -> Self {
        match (PlaceWord::of(word), self) {
            // `t.date` is a name, whatever its last part is.
            (_, Self::PartOfName) => Self::Open,
            (PlaceWord::And, Self::BehindLower) => Self::Upper,
            (PlaceWord::And | PlaceWord::Begins | PlaceWord::BeginsAndEnds, _) => Self::Beginning,
            (PlaceWord::Like, _) => Self::Compared,
            (PlaceWord::List, _) => Self::BeforeList,
            (PlaceWord::Between, _) => Self::Lower,
            (PlaceWord::Time, _) => Self::BehindTypeOfTime,
            (PlaceWord::Cast, _) => Self::BeforeCast,
            (PlaceWord::Bound, _) => Self::Bound,
            (PlaceWord::Text | PlaceWord::As | PlaceWord::Ends | PlaceWord::Other, _) => Self::Open,
        }
    }

    /// Whether no value is read of a string here, where this follows it.
    pub(super) fn hides_string(self, text: &str, rest: &TokenStream<'_>) -> bool {
        let mut next = FollowingTokens::of(text, rest);
        let first = next.take();
        match self {
            Self::BehindTypeOfTime => true,
            Self::Compared | Self::Upper | Self::List | Self::Lower => {
                self.is_operand(first, next.clone()) || cast(first, &mut next).is_some()
            }
            Self::ComparedInParentheses => {
                self.is_operand(first, next.clone())
                    || cast(first, &mut next) == Some(PlaceWord::Time)
            }
            Self::Beginning => cast(first, &mut next) == Some(PlaceWord::Time),
            Self::Cast => {
                cast(first, &mut next.clone()) == Some(PlaceWord::Time)
                    || first.is_some_and(|token| token.is_word(PlaceWord::As))
                        && next
                            .take()
                            .is_some_and(|token| token.is_word(PlaceWord::Time))
            }
            _ => false,
        }
    }

    /// Whether no value is read of a number here, even where numbers mean the places of columns.
    pub(super) fn hides_number(self, text: &str, rest: &TokenStream<'_>) -> bool {
        let mut next = FollowingTokens::of(text, rest);
        let first = next.take();
        match self {
            Self::Bound => ends(first),
            _ => self.is_operand(first, next),
        }
    }

    /// Whether a constant is all that something is compared with.
    fn is_operand(self, first: Option<ShownToken<'_>>, mut next: FollowingTokens<'_>) -> bool {
        match self {
            Self::Compared | Self::Upper => ends(first),
            Self::ComparedInParentheses => {
                first.is_some_and(|token| token.piece == ")") && ends(next.take())
            }
            Self::List => first.is_some_and(|token| matches!(token.piece, "," | ")" | "]")),
            Self::Lower => first.is_some_and(|token| token.is_word(PlaceWord::And)),
            _ => false,
        }
    }
}

/// The type that `::` makes of what stands before it, where it is of those that are known here.
fn cast(first: Option<ShownToken<'_>>, next: &mut FollowingTokens<'_>) -> Option<PlaceWord> {
    let is_cast = first.is_some_and(|token| token.piece == "::");
    let name = next
        .take()
        .filter(|token| is_cast && token.is_word_at_all())?;
    // A schema, or an array.
    let is_whole = !next
        .take()
        .is_some_and(|token| matches!(token.piece, "." | "["));
    let word = PlaceWord::of(name.piece);
    let is_known = matches!(word, PlaceWord::Time | PlaceWord::Text);
    (is_whole && is_known).then_some(word)
}

/// Whether an operand ends before a token: what comes binds less than a comparison does.
fn ends(next: Option<ShownToken<'_>>) -> bool {
    let Some(token) = next else {
        return true;
    };
    match token.kind {
        TokenKind::Punctuation => matches!(token.piece, ")" | "]" | "," | ";"),
        TokenKind::Word => matches!(
            PlaceWord::of(token.piece),
            PlaceWord::And
                | PlaceWord::As
                | PlaceWord::Ends
                | PlaceWord::BeginsAndEnds
                | PlaceWord::Bound
        ),
        _ => false,
    }
}

/// What follows in a text, without its blanks.
#[derive(Clone)]
struct FollowingTokens<'t> {
    text: &'t str,
    rest: TokenStream<'t>,
}

#[derive(Clone, Copy)]
struct ShownToken<'t> {
    kind: TokenKind,
    piece: &'t str,
}

impl<'t> FollowingTokens<'t> {
    fn of(text: &'t str, rest: &TokenStream<'t>) -> Self {
        Self {
            text,
            rest: rest.clone(),
        }
    }

    fn take(&mut self) -> Option<ShownToken<'t>> {
        let token = self.rest.find(|token| !token.kind.is_blank())?;
        Some(ShownToken {
            kind: token.kind,
            piece: self.text.get(token.span).unwrap_or_default(),
        })
    }
}

impl ShownToken<'_> {
    fn is_word_at_all(&self) -> bool {
        self.kind == TokenKind::Word
    }

    fn is_word(&self, word: PlaceWord) -> bool {
        self.is_word_at_all() && PlaceWord::of(self.piece) == word
    }
}

/// A word without quotes, as far as it tells what stands beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceWord {
    And,
    As,
    Between,
    Like,
    /// A list follows: IN, ARRAY.
    List,
    Cast,
    /// The number of rows follows.
    Bound,
    /// A type of points or spans of time.
    Time,
    /// A type that is cast to where something is compared.
    Text,
    /// An expression may follow.
    Begins,
    /// The same, and one may end.
    BeginsAndEnds,
    /// An expression may end.
    Ends,
    Other,
}

impl PlaceWord {
    fn of(word: &str) -> Self {
        let mut folded = [0; WORD_BYTES_MAX];
        let Some(folded) = folded.get_mut(..word.len()) else {
            return Self::Other;
        };
        folded.copy_from_slice(word.as_bytes());
        folded.make_ascii_lowercase();
        match &*folded {
            b"and" => Self::And,
            b"as" => Self::As,
            b"between" => Self::Between,
            b"like" | b"ilike" => Self::Like,
            b"in" | b"array" => Self::List,
            b"cast" => Self::Cast,
            b"limit" | b"offset" => Self::Bound,
            b"date" | b"timestamp" | b"timestamptz" | b"interval" => Self::Time,
            b"text" | b"varchar" | b"uuid" => Self::Text,
            b"select" | b"not" | b"on" => Self::Begins,
            b"where" | b"when" | b"then" | b"else" | b"or" | b"having" => Self::BeginsAndEnds,
            b"end" | b"fetch" | b"from" | b"for" | b"group" | b"order" | b"window" | b"union"
            | b"except" | b"intersect" | b"join" | b"inner" | b"left" | b"right" | b"full"
            | b"cross" | b"natural" | b"asc" | b"desc" => Self::Ends,
            _ => Self::Other,
        }
    }
}

/// The operators that compare, as the grammar knows them; none of them stands before one operand.
pub(super) const COMPARISONS: &[&str] = &["=", "<>", "!=", "<", "<=", ">", ">="];

/// As long as the longest of those words.
const WORD_BYTES_MAX: usize = 11;
