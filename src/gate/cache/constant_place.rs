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
    /// The place behind the next token, which is not blank. Of a word, that is what it tells.
    pub(super) fn behind(self, kind: TokenKind, piece: &str, word: PlaceWord) -> Self {
        match kind {
            TokenKind::Word => self.behind_word(word),
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
            _ if kind.is_constant() => match self {
                Self::List => Self::BehindMember,
                Self::Lower => Self::BehindLower,
                _ => Self::Open,
            },
            _ => Self::Open,
        }
    }

    fn behind_word(self, word: PlaceWord) -> Self {
        match (word, self) {
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
            (
                PlaceWord::Text
                | PlaceWord::As
                | PlaceWord::Ends
                | PlaceWord::Sorts
                | PlaceWord::Weighs
                | PlaceWord::Other,
                _,
            ) => Self::Open,
        }
    }

    /// Whether there are strings here of which no value is read.
    pub(super) fn may_hide_string(self) -> bool {
        match self {
            Self::Beginning
            | Self::Compared
            | Self::ComparedInParentheses
            | Self::List
            | Self::Lower
            | Self::Upper
            | Self::BehindTypeOfTime
            | Self::Cast => true,
            Self::Open
            | Self::PartOfName
            | Self::BeforeList
            | Self::BehindMember
            | Self::BehindLower
            | Self::BeforeCast
            | Self::Bound => false,
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
    first.filter(|token| token.piece == "::")?;
    let name = next.take().filter(|token| token.is_word_at_all())?;
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
                | PlaceWord::Sorts
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
pub(super) enum PlaceWord {
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
    /// The same, and numbers that follow are the places of columns.
    Sorts,
    /// Numbers that follow say what is meant: the places of columns, or which of two types.
    Weighs,
    Other,
}

impl PlaceWord {
    pub(super) fn of(word: &str) -> Self {
        // By length and letter first: a name of a column is held against few words.
        let words = match word.len() {
            2 => WORDS_OF_2,
            3 => WORDS_OF_3,
            4 => WORDS_OF_4,
            5 => WORDS_OF_5,
            6 => WORDS_OF_6,
            7..=WORD_BYTES_MAX => LONGER_WORDS,
            _ => return Self::Other,
        };
        let first = word
            .bytes()
            .next()
            .map(|letter| letter.to_ascii_lowercase());
        let mut words = words.iter();
        let known = words
            .find(|(known, _)| known.bytes().next() == first && known.eq_ignore_ascii_case(word));
        known.map_or(Self::Other, |(_, word)| *word)
    }

    /// Whether the value of a number that follows says what is meant.
    pub(super) fn weighs(self) -> bool {
        matches!(self, Self::Sorts | Self::Weighs)
    }
}

const WORDS_OF_2: &[(&str, PlaceWord)] = &[
    ("as", PlaceWord::As),
    ("in", PlaceWord::List),
    ("on", PlaceWord::Begins),
    ("or", PlaceWord::BeginsAndEnds),
];

const WORDS_OF_3: &[(&str, PlaceWord)] = &[
    ("and", PlaceWord::And),
    ("asc", PlaceWord::Ends),
    ("end", PlaceWord::Ends),
    ("for", PlaceWord::Ends),
    ("not", PlaceWord::Begins),
];

const WORDS_OF_4: &[(&str, PlaceWord)] = &[
    ("cast", PlaceWord::Cast),
    ("date", PlaceWord::Time),
    ("desc", PlaceWord::Ends),
    ("else", PlaceWord::BeginsAndEnds),
    ("from", PlaceWord::Ends),
    ("full", PlaceWord::Ends),
    ("join", PlaceWord::Ends),
    ("left", PlaceWord::Ends),
    ("like", PlaceWord::Like),
    ("text", PlaceWord::Text),
    ("then", PlaceWord::BeginsAndEnds),
    ("uuid", PlaceWord::Text),
    ("when", PlaceWord::BeginsAndEnds),
];

const WORDS_OF_5: &[(&str, PlaceWord)] = &[
    ("array", PlaceWord::List),
    ("cross", PlaceWord::Ends),
    ("fetch", PlaceWord::Ends),
    ("float", PlaceWord::Weighs),
    ("group", PlaceWord::Sorts),
    ("ilike", PlaceWord::Like),
    ("inner", PlaceWord::Ends),
    ("limit", PlaceWord::Bound),
    ("order", PlaceWord::Sorts),
    ("right", PlaceWord::Ends),
    ("union", PlaceWord::Ends),
    ("where", PlaceWord::BeginsAndEnds),
];

const WORDS_OF_6: &[(&str, PlaceWord)] = &[
    ("except", PlaceWord::Ends),
    ("having", PlaceWord::BeginsAndEnds),
    ("offset", PlaceWord::Bound),
    ("select", PlaceWord::Begins),
    ("window", PlaceWord::Ends),
];

const LONGER_WORDS: &[(&str, PlaceWord)] = &[
    ("between", PlaceWord::Between),
    ("natural", PlaceWord::Ends),
    ("varchar", PlaceWord::Text),
    ("distinct", PlaceWord::Weighs),
    ("interval", PlaceWord::Time),
    ("intersect", PlaceWord::Ends),
    ("timestamp", PlaceWord::Time),
    ("timestamptz", PlaceWord::Time),
];

/// The operators that compare, as the grammar knows them; none of them stands before one operand.
pub(super) const COMPARISONS: &[&str] = &["=", "<>", "!=", "<", "<=", ">", ">="];

/// As long as the longest of those words.
const WORD_BYTES_MAX: usize = 11;
