//! One call with its arguments, as those see it who write what stands for it.

use super::expression_kinds::ExpressionKinds;
use crate::confidence::Confidence;
use crate::rules::ReturnType;
use crate::sql_type::SqlType;
use sql::extent::call::CallSpan;
use sql::extent::{PairedTokens, TokenRange};
use sql::nested_edits::NestedEdits;
use sql::node_access;
use sql::tree::{Node, nodes};

/// A call.
pub struct ForeignCall<'c, 's> {
    /// It in the tree.
    pub node: &'s nodes::FuncCall,
    /// It in the text.
    pub written: &'c CallSpan,
    /// The tokens.
    pub ground: &'c PairedTokens<'s>,
    /// The kinds of expressions.
    pub kinds: &'c ExpressionKinds<'s>,
    /// The text as it is by now.
    pub edits: &'c NestedEdits<'s>,
    /// The server's major version.
    pub server_major: u16,
}

/// What stands for a call.
pub struct CallReplacement {
    /// The expression.
    pub text: String,
    /// How sure that is.
    pub confidence: Confidence,
    /// What it is.
    pub kind: Option<SqlType>,
}

/// An argument that has been made what it should be.
pub struct CallArgument {
    /// Its text: it can stand before `::` and beside any operator.
    pub text: String,
    /// How sure that is.
    pub confidence: Confidence,
}

impl<'s> ForeignCall<'_, 's> {
    /// The argument of a number, from 1.
    pub fn argument(&self, number: usize) -> Option<Node<'s>> {
        self.node.args().get(number.checked_sub(1)?)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.written.arguments.len()
    }

    /// The kind of an argument.
    pub fn kind(&self, number: usize) -> SqlType {
        let node = self.argument(number);
        node.map_or(SqlType::Unclear, |node| self.kinds.kind(node))
    }

    /// The type of what stands for it. A string, or what is not known, becomes what the arguments
    /// behind it are.
    pub fn returned(&self, returns: ReturnType) -> SqlType {
        let common = |from: usize| {
            let others = (from.saturating_add(1)..=self.count()).map(|other| self.kind(other));
            others.fold(self.kind(from), SqlType::common)
        };
        match returns {
            ReturnType::Kind(kind) => kind,
            ReturnType::Argument(number) => match self.kind(number) {
                SqlType::Literal | SqlType::Unclear => common(number),
                kind => kind,
            },
            ReturnType::Common => common(1),
        }
    }

    /// The string that an argument is.
    pub fn literal(&self, number: usize) -> Option<&'s str> {
        self.argument(number).and_then(node_access::constant_text)
    }

    /// The integer that an argument is.
    pub fn integer(&self, number: usize) -> Option<i64> {
        self.argument(number)
            .and_then(node_access::constant_integer)
    }

    fn run(&self, number: usize) -> Option<TokenRange> {
        self.written.arguments.get(number.checked_sub(1)?).copied()
    }

    /// The text of an argument, as it is by now.
    pub fn text(&self, number: usize) -> Option<String> {
        self.edits.text(&self.ground.bytes(self.run(number)?))
    }

    /// The text of an argument that can stand before `::` and beside any operator.
    pub fn operand(&self, number: usize) -> Option<String> {
        let text = self.text(number)?;
        // What was changed inside may be anything; as a call or a CASE it needs no more than this.
        let run = self.run(number)?;
        let unchanged = self.kinds.kind_made(self.argument(number)?).is_none();
        Some(if unchanged && self.ground.is_primary(run) {
            text
        } else {
            format!("({text})")
        })
    }

    /// A unit of time that is written as a word or a string: `DAY`, `'day'`.
    pub fn unit(&self, number: usize) -> Option<String> {
        let word = match self.argument(number)? {
            Node::ColumnRef(column) if column.fields().len() == 1 => {
                node_access::last_name(column.fields())?
            }
            node => node_access::constant_text(node)?,
        };
        let word = word.to_ascii_lowercase();
        let word = match word.strip_prefix("sql_tsi_") {
            Some(rest) => rest.to_owned(),
            None => word,
        };
        let known = UNITS
            .iter()
            .find(|(_, names)| names.contains(&word.as_str()))?;
        Some(known.0.to_owned())
    }

    /// What follows the parentheses: FILTER, OVER.
    pub fn tail(&self) -> Option<String> {
        if self.written.end == self.written.close {
            return Some(String::new());
        }
        let run = TokenRange {
            first: self.written.close.checked_add(1)?,
            last: self.written.end,
        };
        Some(format!(" {}", self.edits.text(&self.ground.bytes(run))?))
    }

    /// An argument as a point in time, or a date.
    pub fn temporal(&self, number: usize) -> Option<CallArgument> {
        self.cast(number, |kind| match kind {
            kind if kind.is_temporal() => Some(None),
            SqlType::Literal => Some(Some(("timestamp", Confidence::Exact))),
            SqlType::Text | SqlType::Unclear => Some(Some(("timestamp", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as a date.
    pub fn date(&self, number: usize) -> Option<CallArgument> {
        self.cast(number, |kind| match kind {
            SqlType::Date => Some(None),
            kind if kind.is_temporal() || kind == SqlType::Literal => {
                Some(Some(("date", Confidence::Exact)))
            }
            SqlType::Text | SqlType::Unclear => Some(Some(("date", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as text.
    pub fn as_text(&self, number: usize) -> Option<CallArgument> {
        self.cast(number, |kind| match kind {
            SqlType::Text | SqlType::Literal => Some(None),
            kind => text_confidence(kind).map(|confidence| Some(("text", confidence))),
        })
    }

    /// An argument as `numeric`, or as what can stand for it.
    pub fn numeric(&self, number: usize) -> Option<CallArgument> {
        self.cast(number, |kind| match kind {
            SqlType::Integer | SqlType::Decimal => Some(None),
            SqlType::Float => Some(Some(("numeric", Confidence::Exact))),
            SqlType::Literal => Some(Some(("numeric", Confidence::Exact))),
            SqlType::Text | SqlType::Unclear => Some(Some(("numeric", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as `double precision`.
    pub fn float(&self, number: usize) -> Option<CallArgument> {
        self.cast(number, |kind| match kind {
            SqlType::Float => Some(None),
            SqlType::Integer | SqlType::Decimal | SqlType::Literal => {
                Some(Some(("float8", Confidence::Exact)))
            }
            SqlType::Text | SqlType::Unclear => Some(Some(("float8", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as `jsonb` or `json`.
    pub fn json(&self, number: usize) -> Option<CallArgument> {
        self.cast(number, |kind| match kind {
            SqlType::Json | SqlType::Jsonb => Some(None),
            SqlType::Literal => Some(Some(("json", Confidence::Exact))),
            SqlType::Text => Some(Some(("json", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as a condition: a number is one where it is not zero.
    pub fn condition(&self, number: usize) -> Option<CallArgument> {
        let kind = self.kind(number);
        match kind {
            SqlType::Bool | SqlType::Unclear => Some(CallArgument {
                text: self.text(number)?,
                confidence: Confidence::Exact,
            }),
            kind if kind.is_number() => Some(CallArgument {
                text: format!("{} <> 0", self.operand(number)?),
                confidence: Confidence::Exact,
            }),
            _ => None,
        }
    }

    /// An argument, cast to what is asked for: none where that makes no sense, `None` within where
    /// nothing is needed.
    fn cast(
        &self,
        number: usize,
        wanted: impl Fn(SqlType) -> Option<Option<(&'static str, Confidence)>>,
    ) -> Option<CallArgument> {
        let operand = self.operand(number)?;
        Some(match wanted(self.kind(number))? {
            None => CallArgument {
                text: operand,
                confidence: Confidence::Exact,
            },
            Some((name, confidence)) => CallArgument {
                text: format!("{operand}::{name}"),
                confidence,
            },
        })
    }
}

impl CallReplacement {
    /// For certain.
    pub fn exact(text: String) -> Self {
        Self {
            text,
            confidence: Confidence::Exact,
            kind: None,
        }
    }

    /// As certain as this.
    pub fn sure(self, confidence: Confidence) -> Self {
        Self {
            confidence: least_confidence(self.confidence, confidence),
            ..self
        }
    }

    /// Of this kind.
    pub fn of(self, kind: SqlType) -> Self {
        Self {
            kind: Some(kind),
            ..self
        }
    }
}

/// How sure it is that a value as text is what another dialect reads in it. Its cast never fails.
pub fn text_confidence(kind: SqlType) -> Option<Confidence> {
    match kind {
        SqlType::Integer
        | SqlType::Date
        | SqlType::Timestamp
        | SqlType::Time
        | SqlType::Uuid
        | SqlType::Enum
        | SqlType::Text
        | SqlType::Literal
        | SqlType::Null => Some(Confidence::Exact),
        // They depend on settings, or dialects write them in other ways.
        SqlType::Decimal
        | SqlType::Float
        | SqlType::Bool
        | SqlType::TimestampTz
        | SqlType::Json
        | SqlType::Jsonb
        | SqlType::Unclear => Some(Confidence::Likely),
        SqlType::Interval | SqlType::Bytes | SqlType::Array | SqlType::Other => None,
    }
}

/// The less sure one.
pub fn least_confidence(one: Confidence, other: Confidence) -> Confidence {
    match (one, other) {
        (Confidence::Guess, _) | (_, Confidence::Guess) => Confidence::Guess,
        (Confidence::Likely, _) | (_, Confidence::Likely) => Confidence::Likely,
        (Confidence::Exact, Confidence::Exact) => Confidence::Exact,
    }
}

/// Units of time and what they are called.
const UNITS: [(&str, &[&str]); 8] = [
    ("year", &["year", "years", "yy", "yyyy"]),
    ("quarter", &["quarter", "quarters", "qq", "q"]),
    ("month", &["month", "months", "mm", "m", "mon"]),
    ("week", &["week", "weeks", "wk", "ww"]),
    ("day", &["day", "days", "dd", "d"]),
    ("hour", &["hour", "hours", "hh"]),
    ("minute", &["minute", "minutes", "mi", "n"]),
    ("second", &["second", "seconds", "ss", "s"]),
];
