//! What the upstream says of a statement, as its client may hear it.
//!
//! Where a policy's models were put into a text, the upstream counts characters in a text that the
//! client has never seen and may quote it: places are those of the client's own text again, and
//! what would quote the other one is left out. Where a policy hides anything, so are the upstream's
//! guesses of what was meant: they look at every column of every table.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use crate::gate::{Facts, Instead, Moved, ReadPermit};
use crate::policy::Policy;
use crate::repair::Uncompiled;
use crate::sqlstate;
use crate::wire::backend::Fields;

/// A text that ran in the place of a client's.
#[derive(Debug, Clone)]
pub struct Substituted {
    models: Option<WithModels>,
    /// What was lowered in the client's own text before that, the last change first.
    moved: Box<[Moved]>,
}

/// A text with models in it.
#[derive(Debug, Clone)]
struct WithModels {
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
    /// One that is not at hand: that of a prepared statement or cursor, perhaps, or else this one.
    OfUnknown(Option<&'s Substituted>),
}

impl<'s> Speaks<'s> {
    /// What it speaks of while a statement runs.
    pub fn of(another: Option<&'s Substituted>, facts: &Facts) -> Self {
        match another {
            Some(another) if another.models.is_some() => Self::OfAnother(another),
            another if facts.kind.runs_another() => Self::OfUnknown(another),
            Some(another) => Self::OfAnother(another),
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
            models: Some(WithModels {
                instead: Arc::clone(instead),
                original: Own(text.into()),
            }),
            moved: Box::default(),
        }))
    }

    /// The same where values were lowered in the client's text before.
    pub fn lowered(another: Option<Box<Self>>, moved: &[Moved]) -> Option<Box<Self>> {
        if moved.is_empty() {
            return another;
        }
        Some(Box::new(Self {
            models: another.and_then(|another| another.models),
            moved: moved.into(),
        }))
    }

    /// Where a character of the text that ran stands in the client's, both counted from one.
    fn place(&self, character: usize) -> Place {
        let place = match &self.models {
            Some(models) => models.place(character),
            None => Place::At(character),
        };
        let own = |place| self.moved.iter().fold(place, |at, moved| moved.place(at));
        match place {
            Place::At(at) => Place::At(own(at)),
            Place::InModel(at) => Place::InModel(own(at)),
            Place::Nowhere => Place::Nowhere,
        }
    }
}

impl WithModels {
    /// Where a character of the text that ran stands in the one without models, both counted from
    /// one.
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
                let copied = put.copies.iter().find(|copied| copied.to.contains(&at));
                if let Some(own) = copied.and_then(|copied| self.character(copied.from)) {
                    return Place::At(own);
                }
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
        Speaks::OfUnknown(None) if !policy.has_models() => Speaks::OfOwn,
        Speaks::OfUnknown(Some(lowered)) if !policy.has_models() => Speaks::OfAnother(lowered),
        speaks => speaks,
    };
    let is_another = match speaks {
        Speaks::OfOwn => false,
        Speaks::OfAnother(text) => text.models.is_some(),
        Speaks::OfUnknown(_) => true,
    };
    if matches!(speaks, Speaks::OfOwn) && !policy.hides() {
        return None;
    }
    let place = match (speaks, fields.get(b'P')) {
        (Speaks::OfOwn, _) | (_, None) => None,
        (Speaks::OfUnknown(_), Some(_)) => Some(Place::Nowhere),
        (Speaks::OfAnother(text), Some(character)) => {
            let place = character.parse().map(|character| text.place(character));
            Some(place.unwrap_or(Place::Nowhere))
        }
    };
    let in_model = matches!(place, Some(Place::InModel(_)));
    let is_of_names = fields.get(b'C').is_none_or(|code| code.starts_with("42"));
    let hides = is_another || policy.hides();
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
            b'q' | b'p' | b'W' if hides => Told::Nothing,
            b'D' | b's' | b't' | b'c' | b'd' | b'n' if is_another => Told::Nothing,
            b'H' if in_model || is_another && names_something(value) => Told::Nothing,
            b'D' | b'H' if hides && is_of_names && names_something(value) => Told::Nothing,
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
                copies: Box::default(),
            });
        }
        text.push_str(&own[done..]);
        Substituted {
            models: Some(WithModels {
                instead: Arc::new(Instead {
                    text: text.into(),
                    spans: spans.into(),
                    typed: Box::default(),
                }),
                original: Own(own.into()),
            }),
            moved: Box::default(),
        }
    }

    impl Substituted {
        /// The text that runs, and the client's.
        fn texts(&self) -> (&str, &str) {
            let models = self.models.as_ref().unwrap();
            (&models.instead.text, &models.original.0)
        }
    }

    fn character(text: &str, mark: &str) -> usize {
        text[..text.find(mark).unwrap()].chars().count() + 1
    }

    #[test]
    fn places_are_those_of_the_own_text() {
        let texts = substituted();
        let check = |mark: &str, own: Place| {
            let at = character(texts.texts().0, mark);
            assert_eq!(texts.place(at), own, "{mark}");
        };
        let own = |mark: &str| character(texts.texts().1, mark);
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
        let end = texts.texts().0.chars().count() + 1;
        let own_end = texts.texts().1.chars().count() + 1;
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
        let yaml = include_str!("../../../policies/agent.yaml");
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
        let at = character(texts.texts().0, "é").to_string();
        let fields = [
            (b'M', "no"),
            (b'D', "Token is invalid."),
            (b'P', &*at),
            (b'q', "SELECT ä"),
            (b'p', "3"),
            (b'W', "SQL function \"f\""),
            (b't', "t"),
        ];
        let own = character(texts.texts().1, "é");
        assert_eq!(
            told("22P02", &fields, another, &policy),
            format!("C=22P02 M=no P={own} ")
        );
        let at = character(texts.texts().0, "ä").to_string();
        let fields = [
            (b'M', "column \"ä\" does not exist"),
            (b'H', GUESS),
            (b'P', &*at),
        ];
        let own = character(texts.texts().1, "shop.t c");
        let expected = format!("C=42P17 M={UNFIT} P={own} ");
        assert_eq!(told("42703", &fields, another, &policy), expected);
        let unknown = [(b'M', "no"), (b'P', "7")];
        let told = told("42703", &unknown, Speaks::OfUnknown(None), &policy);
        // There are no models under this policy.
        assert_eq!(told, "C=42703 M=no P=7 ");
    }

    /// `SET statement_timeout = 0; …`, with a lower value in it.
    fn lowered(another: Option<Box<Substituted>>) -> Box<Substituted> {
        let text = "SET statement_timeout = 0; SELECT nope";
        let gate = crate::gate::Gate::without_fingerprints(Arc::new(Policy::bi()));
        let names = crate::gate::SessionNames::of_no_database();
        let crate::gate::Verdict::Clamped(clamp) = gate.judge(text.into(), &names).verdict else {
            panic!("nothing is lowered");
        };
        let moved: Vec<Moved> = clamp.moved.into_iter().collect();
        Substituted::lowered(another, &moved).unwrap()
    }

    #[test]
    fn places_behind_lowered_values_are_those_of_the_own_text() {
        // '600000' stands where 0 stood.
        let texts = lowered(None);
        let fields = [(b'M', "no"), (b'H', GUESS), (b'W', "SQL"), (b'P', "42")];
        let shown = told("42703", &fields, Speaks::OfAnother(&texts), &Policy::bi());
        assert_eq!(shown, format!("C=42703 M=no H={GUESS} W=SQL P=35 "));
        let unknown = Speaks::OfUnknown(Some(&texts));
        assert_eq!(told("42703", &fields, unknown, &Policy::bi()), shown);
        let shown = told("42703", &fields, Speaks::OfAnother(&texts), &hiding());
        assert_eq!(shown, "C=42703 M=no P=35 ");
        let with_models = lowered(Some(Box::new(substituted())));
        let before = substituted();
        for at in [1, 8, 30, 41, 60] {
            let moved = match before.place(at) {
                Place::At(place) => Place::At(with_models.moved[0].place(place)),
                Place::InModel(place) => Place::InModel(with_models.moved[0].place(place)),
                Place::Nowhere => Place::Nowhere,
            };
            assert_eq!(with_models.place(at), moved, "{at}");
        }
    }
}
