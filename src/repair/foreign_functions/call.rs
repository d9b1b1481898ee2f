//! One call with its arguments, as those see it who write what stands for it.

use super::call_span::Written;
use super::expression_span::{Ground, Run};
use super::nested_edits::Workshop;
use super::node_access;
use super::value_kind::{Kind, Kinds};
use crate::repair::Confidence;
use crate::sql::tree::{Node, nodes};

/// A call.
pub struct Call<'c, 's> {
    /// It in the tree.
    pub node: &'s nodes::FuncCall,
    /// It in the text.
    pub written: &'c Written,
    /// The tokens.
    pub ground: &'c Ground<'s>,
    /// The kinds of expressions.
    pub kinds: &'c Kinds<'s>,
    /// The text as it is by now.
    pub shop: &'c Workshop<'s>,
    /// The server's major version.
    pub server_major: u16,
}

/// What stands for a call.
pub struct Made {
    /// The expression.
    pub text: String,
    /// How sure that is.
    pub confidence: Confidence,
    /// What it is.
    pub kind: Option<Kind>,
}

/// An argument that has been made what it should be.
pub struct Argument {
    /// Its text: it can stand before `::` and beside any operator.
    pub text: String,
    /// How sure that is.
    pub confidence: Confidence,
}

impl<'s> Call<'_, 's> {
    /// The argument of a number, from 1.
    pub fn argument(&self, number: usize) -> Option<Node<'s>> {
        self.node.args().get(number.checked_sub(1)?)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.written.arguments.len()
    }

    /// The kind of an argument.
    pub fn kind(&self, number: usize) -> Kind {
        let node = self.argument(number);
        node.map_or(Kind::Unclear, |node| self.kinds.kind(node))
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

    fn run(&self, number: usize) -> Option<Run> {
        self.written.arguments.get(number.checked_sub(1)?).copied()
    }

    /// The text of an argument, as it is by now.
    pub fn text(&self, number: usize) -> Option<String> {
        self.shop.text(&self.ground.bytes(self.run(number)?))
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
        let run = Run {
            first: self.written.close.checked_add(1)?,
            last: self.written.end,
        };
        Some(format!(" {}", self.shop.text(&self.ground.bytes(run))?))
    }

    /// An argument as a point in time, or a date.
    pub fn moment(&self, number: usize) -> Option<Argument> {
        self.cast(number, |kind| match kind {
            kind if kind.is_moment() => Some(None),
            Kind::Literal => Some(Some(("timestamp", Confidence::Exact))),
            Kind::Text | Kind::Unclear => Some(Some(("timestamp", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as a date.
    pub fn date(&self, number: usize) -> Option<Argument> {
        self.cast(number, |kind| match kind {
            Kind::Date => Some(None),
            kind if kind.is_moment() || kind == Kind::Literal => {
                Some(Some(("date", Confidence::Exact)))
            }
            Kind::Text | Kind::Unclear => Some(Some(("date", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as text.
    pub fn as_text(&self, number: usize) -> Option<Argument> {
        self.cast(number, |kind| match kind {
            Kind::Text | Kind::Literal => Some(None),
            kind => as_text(kind).map(|confidence| Some(("text", confidence))),
        })
    }

    /// An argument as `numeric`, or as what can stand for it.
    pub fn numeric(&self, number: usize) -> Option<Argument> {
        self.cast(number, |kind| match kind {
            Kind::Int | Kind::Numeric => Some(None),
            Kind::Float => Some(Some(("numeric", Confidence::Exact))),
            Kind::Literal => Some(Some(("numeric", Confidence::Exact))),
            Kind::Text | Kind::Unclear => Some(Some(("numeric", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as `double precision`.
    pub fn float(&self, number: usize) -> Option<Argument> {
        self.cast(number, |kind| match kind {
            Kind::Float => Some(None),
            Kind::Int | Kind::Numeric | Kind::Literal => Some(Some(("float8", Confidence::Exact))),
            Kind::Text | Kind::Unclear => Some(Some(("float8", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as `jsonb` or `json`.
    pub fn json(&self, number: usize) -> Option<Argument> {
        self.cast(number, |kind| match kind {
            Kind::Json | Kind::Jsonb => Some(None),
            Kind::Literal => Some(Some(("json", Confidence::Exact))),
            Kind::Text => Some(Some(("json", Confidence::Likely))),
            _ => None,
        })
    }

    /// An argument as a condition: a number is one where it is not zero.
    pub fn condition(&self, number: usize) -> Option<Argument> {
        let kind = self.kind(number);
        match kind {
            Kind::Bool | Kind::Unclear => Some(Argument {
                text: self.text(number)?,
                confidence: Confidence::Exact,
            }),
            kind if kind.is_number() => Some(Argument {
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
        wanted: impl Fn(Kind) -> Option<Option<(&'static str, Confidence)>>,
    ) -> Option<Argument> {
        let operand = self.operand(number)?;
        Some(match wanted(self.kind(number))? {
            None => Argument {
                text: operand,
                confidence: Confidence::Exact,
            },
            Some((name, confidence)) => Argument {
                text: format!("{operand}::{name}"),
                confidence,
            },
        })
    }
}

impl Made {
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
            confidence: least(self.confidence, confidence),
            ..self
        }
    }

    /// Of this kind.
    pub fn of(self, kind: Kind) -> Self {
        Self {
            kind: Some(kind),
            ..self
        }
    }
}

/// How sure it is that a value as text is what another dialect reads in it. Its cast never fails.
pub fn as_text(kind: Kind) -> Option<Confidence> {
    match kind {
        Kind::Int
        | Kind::Date
        | Kind::Timestamp
        | Kind::Time
        | Kind::Uuid
        | Kind::Enum
        | Kind::Text
        | Kind::Literal => Some(Confidence::Exact),
        // They depend on settings, or dialects write them in other ways.
        Kind::Numeric
        | Kind::Float
        | Kind::Bool
        | Kind::Timestamptz
        | Kind::Json
        | Kind::Jsonb
        | Kind::Unclear => Some(Confidence::Likely),
        Kind::Interval | Kind::Array | Kind::Other => None,
    }
}

/// The less sure one.
pub fn least(one: Confidence, other: Confidence) -> Confidence {
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
