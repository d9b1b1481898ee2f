//! What the upstream says of a statement, as its client may hear it.
//!
//! Where a policy's models were put into a text, the upstream counts characters in a text that the
//! client has never seen and may quote it: places are those of the client's own text again, and
//! what would quote the other one is left out. Where a policy hides anything, so are the upstream's
//! guesses of what was meant: they look at every column of every table.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use crate::funnel::Uncompiled;
use crate::gate::{Facts, Instead, ReadPermit};
use crate::policy::Policy;
use crate::sqlstate;
use crate::wire::backend::Fields;

/// A text that ran in the place of a client's.
#[derive(Debug, Clone)]
pub struct Substituted {
    instead: Arc<Instead>,
    original: Own,
}

/// The client's text.
#[derive(Clone)]
struct Own(Arc<str>);

impl std::fmt::Debug for Own {
    /// Without the text.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Own")
    }
}

/// Which text the upstream speaks of.
#[derive(Debug, Clone, Copy)]
pub enum Speaks<'s> {
    /// The client's own.
    OfOwn,
    /// One that ran in its place.
    OfAnother(&'s Substituted),
    /// One that is not at hand: that of a prepared statement or cursor, perhaps.
    OfUnknown,
}

impl<'s> Speaks<'s> {
    /// What it speaks of while a statement runs.
    pub fn of(another: Option<&'s Substituted>, facts: &Facts) -> Self {
        match another {
            Some(another) => Self::OfAnother(another),
            None if facts.kind.runs_another() => Self::OfUnknown,
            None => Self::OfOwn,
        }
    }
}

/// A place in the client's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// This character, counted from one.
    At(usize),
    /// This one, where a name begins that a model was put in for.
    InModel(usize),
    /// None.
    Nowhere,
}

impl Substituted {
    /// What ran in the place of a text; nothing where that ran itself.
    pub fn of(facts: &Facts, text: &str) -> Option<Box<Self>> {
        let instead = facts.instead.as_ref()?;
        Some(Box::new(Self {
            instead: Arc::clone(instead),
            original: Own(text.into()),
        }))
    }

    /// Where a character of the text that ran stands in the client's, both counted from one.
    fn place(&self, character: usize) -> Place {
        let text = &self.instead.text;
        let Some(before) = character.checked_sub(1) else {
            return Place::Nowhere;
        };
        let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let Some(at) = starts.nth(before) else {
            return Place::Nowhere;
        };
        let (mut own_end, mut end) = (0, 0);
        for put in &self.instead.spans {
            if at < put.to.start {
                break;
            }
            if at < put.to.end {
                let is_model = text.get(put.to.clone()).is_none_or(|put| put.contains('('));
                return match (self.character(put.from.start), is_model) {
                    (Some(start), true) => Place::InModel(start),
                    (Some(start), false) => Place::At(start),
                    (None, _) => Place::Nowhere,
                };
            }
            (own_end, end) = (put.from.end, put.to.end);
        }
        let own = at
            .checked_sub(end)
            .and_then(|behind| own_end.checked_add(behind));
        own.and_then(|own| self.character(own))
            .map_or(Place::Nowhere, Place::At)
    }

    /// The number of a character of the client's text, from one, by its byte.
    fn character(&self, byte: usize) -> Option<usize> {
        Some(self.original.0.get(..byte)?.chars().count() + 1)
    }
}

/// The body of an error or notice as the client may hear it; none where that is as it came.
pub fn retold(fields: Fields<'_>, speaks: Speaks<'_>, policy: &Policy) -> Option<Bytes> {
    let speaks = match speaks {
        Speaks::OfUnknown if policy.models().is_empty() => Speaks::OfOwn,
        speaks => speaks,
    };
    let is_another = !matches!(speaks, Speaks::OfOwn);
    if !is_another && !policy.hides() {
        return None;
    }
    let place = match (speaks, fields.get(b'P')) {
        (Speaks::OfOwn, _) | (_, None) => None,
        (Speaks::OfUnknown, Some(_)) => Some(Place::Nowhere),
        (Speaks::OfAnother(text), Some(character)) => {
            let place = character.parse().map(|character| text.place(character));
            Some(place.unwrap_or(Place::Nowhere))
        }
    };
    let in_model = matches!(place, Some(Place::InModel(_)));
    let is_of_names = fields.get(b'C').is_none_or(|code| code.starts_with("42"));
    let mut changed = false;
    let mut out = BytesMut::new();
    for (kind, value) in fields.iter() {
        let told: Told<'_> = match kind {
            b'P' => match place {
                Some(Place::At(at) | Place::InModel(at)) => Told::Number(at),
                Some(Place::Nowhere) => Told::Nothing,
                None => Told::AsItIs,
            },
            b'C' if in_model => Told::Words(sqlstate::INVALID_OBJECT_DEFINITION.as_str()),
            b'M' if in_model => Told::Words(UNFIT),
            // Texts of functions, and what the upstream was doing with them.
            b'q' | b'p' | b'W' => Told::Nothing,
            b'D' | b's' | b't' | b'c' | b'd' | b'n' if is_another => Told::Nothing,
            b'H' if in_model || is_another && names_something(value) => Told::Nothing,
            b'D' | b'H' if is_of_names && names_something(value) => Told::Nothing,
            _ => Told::AsItIs,
        };
        let value = match told {
            Told::AsItIs => value,
            Told::Nothing => {
                changed = true;
                continue;
            }
            Told::Words(words) => {
                changed = true;
                words.as_bytes()
            }
            Told::Number(number) => {
                let own = number.to_string();
                changed |= own.as_bytes() != value;
                put(&mut out, kind, own.as_bytes());
                continue;
            }
        };
        put(&mut out, kind, value);
    }
    out.put_u8(0);
    changed.then(|| out.freeze())
}

/// Why a text did not compile, as it may be known where repairs are looked for.
pub fn uncompiled(failed: Uncompiled, permit: &ReadPermit<'_>, policy: &Policy) -> Uncompiled {
    let another = Substituted::of(permit.facts(), permit.original());
    match failed {
        Uncompiled::Failed {
            sqlstate,
            message,
            hint,
            position,
        } => {
            let place = match (&another, position) {
                (None, Some(at)) => Place::At(usize::try_from(at).unwrap_or(usize::MAX)),
                (Some(another), Some(at)) => {
                    another.place(usize::try_from(at).unwrap_or(usize::MAX))
                }
                (_, None) => Place::Nowhere,
            };
            let position = match place {
                Place::At(at) => u32::try_from(at).ok(),
                Place::InModel(_) => return Uncompiled::Unavailable,
                Place::Nowhere => None,
            };
            let is_told = |hint: &String| !policy.hides() || !names_something(hint.as_bytes());
            Uncompiled::Failed {
                sqlstate,
                message,
                hint: hint.filter(is_told),
                position,
            }
        }
        Uncompiled::Unavailable => Uncompiled::Unavailable,
    }
}

/// What becomes of a field.
enum Told<'t> {
    AsItIs,
    Nothing,
    Words(&'t str),
    Number(usize),
}

fn put(out: &mut BytesMut, kind: u8, value: &[u8]) {
    out.put_u8(kind);
    out.extend_from_slice(value);
    out.put_u8(0);
}

/// Whether words of the upstream name anything: it puts names in quotes, in every language that it
/// speaks in quotes of another kind.
fn names_something(words: &[u8]) -> bool {
    !words.is_ascii() || words.contains(&b'"')
}

/// In place of the upstream's words about the SELECT of a model.
const UNFIT: &str =
    "a model of the policy, or a value of the session in it, does not fit the database";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Put;
    use crate::wire::backend::error_fields;

    /// `SELECT ü, shop.t.x FROM shop.t c, t` with models in it.
    fn substituted() -> Substituted {
        let own = "SELECT ü, shop.t.x FROM shop.t c, t WHERE é = x";
        let mut text = String::new();
        let mut spans = Vec::new();
        let mut done = 0;
        for (name, put) in [
            ("shop.t.", "t."),
            ("shop.t c", "(SELECT ä FROM real.t) c"),
            ("t WHERE", "(SELECT 1) AS \"t\" WHERE"),
        ] {
            let start = done + own[done..].find(name).unwrap();
            text.push_str(&own[done..start]);
            let to = text.len()..text.len() + put.len();
            text.push_str(put);
            done = start + name.len();
            spans.push(Put {
                from: start..done,
                to,
            });
        }
        text.push_str(&own[done..]);
        Substituted {
            instead: Arc::new(Instead {
                text: text.into(),
                spans: spans.into(),
            }),
            original: Own(own.into()),
        }
    }

    fn character(text: &str, mark: &str) -> usize {
        text[..text.find(mark).unwrap()].chars().count() + 1
    }

    #[test]
    fn places_are_those_of_the_own_text() {
        let texts = substituted();
        let check = |mark: &str, own: Place| {
            let at = character(&texts.instead.text, mark);
            assert_eq!(texts.place(at), own, "{mark}");
        };
        let own = |mark: &str| character(&texts.original.0, mark);
        check("SELECT ü", Place::At(1));
        check("ü", Place::At(8));
        check("t.x", Place::At(own("shop.t.x")));
        check("x FROM", Place::At(own("x FROM")));
        check("ä", Place::InModel(own("shop.t c")));
        check("real", Place::InModel(own("shop.t c")));
        check(", (", Place::At(own(", t ")));
        check("1)", Place::InModel(own("t WHERE")));
        check("é", Place::At(own("é")));
        check("= x", Place::At(own("= x")));
        let end = texts.instead.text.chars().count() + 1;
        let own_end = texts.original.0.chars().count() + 1;
        assert_eq!(texts.place(end), Place::At(own_end));
        assert_eq!(texts.place(end + 1), Place::Nowhere);
        assert_eq!(texts.place(0), Place::Nowhere);
        assert_eq!(texts.place(usize::MAX), Place::Nowhere);
    }

    /// The fields of an error that come to the client, as `CMDHPpqW=…`.
    fn told(code: &str, fields: &[(u8, &str)], speaks: Speaks<'_>, policy: &Policy) -> String {
        let mut body = BytesMut::new();
        put(&mut body, b'V', b"ERROR");
        put(&mut body, b'C', code.as_bytes());
        for (kind, value) in fields {
            put(&mut body, *kind, value.as_bytes());
        }
        body.put_u8(0);
        let told = retold(error_fields(&body).unwrap(), speaks, policy);
        let body = told.unwrap_or_else(|| body.freeze());
        let fields = error_fields(&body).unwrap();
        let shown = fields.iter().filter(|(kind, _)| *kind != b'V');
        let shown = shown.map(|(kind, value)| {
            format!("{}={} ", char::from(kind), String::from_utf8_lossy(value))
        });
        shown.collect()
    }

    fn hiding() -> Policy {
        let yaml = include_str!("../../policies/agent.yaml");
        Policy::from_yaml(&format!("{yaml}\ncolumns: {{deny: ['*.*.ssn']}}\n")).unwrap()
    }

    const GUESS: &str = "Perhaps you meant to reference the column \"c.ssn\".";

    #[test]
    fn guesses_of_the_upstream_are_dropped_where_anything_is_hidden() {
        let fields = [
            (b'M', "no"),
            (b'D', "There is a column named \"ssn\"."),
            (b'H', GUESS),
        ];
        let open = told("42703", &fields, Speaks::OfOwn, &Policy::agent());
        assert_eq!(open, format!("C=42703 M=no D={} H={GUESS} ", fields[1].1));
        let closed = told("42703", &fields, Speaks::OfOwn, &hiding());
        assert_eq!(closed, "C=42703 M=no ");
        let german = [(b'H', "Vielleicht war „c.ssn“ gemeint.")];
        assert_eq!(told("42703", &german, Speaks::OfOwn, &hiding()), "C=42703 ");
        let plain = [
            (b'H', "You might need to add explicit type casts."),
            (b'P', "8"),
        ];
        let told = told("42883", &plain, Speaks::OfOwn, &hiding());
        assert_eq!(told, format!("C=42883 H={} P=8 ", plain[0].1));
    }

    #[test]
    fn what_is_said_of_another_text_quotes_nothing_of_it() {
        let texts = substituted();
        let another = Speaks::OfAnother(&texts);
        let policy = hiding();
        let at = character(&texts.instead.text, "é").to_string();
        let fields = [
            (b'M', "no"),
            (b'D', "Token is invalid."),
            (b'P', &*at),
            (b'q', "SELECT ä"),
            (b'p', "3"),
            (b'W', "SQL function \"f\""),
            (b't', "t"),
        ];
        let own = character(&texts.original.0, "é");
        assert_eq!(
            told("22P02", &fields, another, &policy),
            format!("C=22P02 M=no P={own} ")
        );
        let at = character(&texts.instead.text, "ä").to_string();
        let fields = [
            (b'M', "column \"ä\" does not exist"),
            (b'H', GUESS),
            (b'P', &*at),
        ];
        let own = character(&texts.original.0, "shop.t c");
        let expected = format!("C=42P17 M={UNFIT} P={own} ");
        assert_eq!(told("42703", &fields, another, &policy), expected);
        let unknown = [(b'M', "no"), (b'P', "7")];
        let told = told("42703", &unknown, Speaks::OfUnknown, &policy);
        // There are no models under this policy.
        assert_eq!(told, "C=42703 M=no P=7 ");
    }
}
