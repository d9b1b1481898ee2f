//! What the upstream says of a statement, as its client may hear it.
//!
//! Where a policy's models were put into a text, the upstream counts characters in a text that the
//! client has never seen and may quote it: places are those of the client's own text again, and
//! what would quote the other one is left out. Where a policy hides anything, so are the upstream's
//! guesses of what was meant: they look at every column of every table.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use crate::gate::{Facts, OffsetMap, ReadPermit, RewrittenText};
use crate::policy::Policy;
use crate::repair::CompileError;
use crate::sqlstate;
use crate::wire::backend::ResponseFields;

/// A text that ran in the place of a client's.
#[derive(Debug, Clone)]
pub struct SubstitutedText {
    models: Option<WithModels>,
    /// What was lowered in the client's own text before that, the last change first.
    moved: Box<[OffsetMap]>,
}

/// A text with models in it.
#[derive(Debug, Clone)]
struct WithModels {
    instead: Arc<RewrittenText>,
    original: ClientText,
}

/// The client's text.
#[derive(Clone)]
struct ClientText(Arc<str>);

impl std::fmt::Debug for ClientText {
    /// Without the text.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ClientText")
    }
}

/// Which text the upstream speaks of.
#[derive(Debug, Clone, Copy)]
pub enum QuotedText<'s> {
    /// The client's own.
    OfOwn,
    /// One that ran in its place.
    OfAnother(&'s SubstitutedText),
    /// One that is not at hand: that of a prepared statement or cursor, perhaps, or else this one.
    OfUnknown(Option<&'s SubstitutedText>),
}

impl<'s> QuotedText<'s> {
    /// What it speaks of while a statement runs.
    pub fn of(another: Option<&'s SubstitutedText>, facts: &Facts) -> Self {
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
enum ClientPosition {
    /// This character, counted from one.
    At(usize),
    /// This one, where a name begins that a model was put in for.
    InModel(usize),
    /// None.
    Nowhere,
}

impl SubstitutedText {
    /// What ran in the place of a text; nothing where that ran itself.
    pub fn of(facts: &Facts, text: &str) -> Option<Box<Self>> {
        let instead = facts.rewritten.as_ref()?;
        Some(Box::new(Self {
            models: Some(WithModels {
                instead: Arc::clone(instead),
                original: ClientText(text.into()),
            }),
            moved: Box::default(),
        }))
    }

    /// The same where values were lowered in the client's text before.
    pub fn lowered(another: Option<Box<Self>>, moved: &[OffsetMap]) -> Option<Box<Self>> {
        if moved.is_empty() {
            return another;
        }
        Some(Box::new(Self {
            models: another.and_then(|another| another.models),
            moved: moved.into(),
        }))
    }

    /// Where a character of the text that ran stands in the client's, both counted from one.
    fn place(&self, character: usize) -> ClientPosition {
        let place = match &self.models {
            Some(models) => models.place(character),
            None => ClientPosition::At(character),
        };
        let own = |place| {
            self.moved
                .iter()
                .fold(place, |at, moved| moved.original_position(at))
        };
        match place {
            ClientPosition::At(at) => ClientPosition::At(own(at)),
            ClientPosition::InModel(at) => ClientPosition::InModel(own(at)),
            ClientPosition::Nowhere => ClientPosition::Nowhere,
        }
    }
}

impl WithModels {
    /// Where a character of the text that ran stands in the one without models, both counted from
    /// one.
    fn place(&self, character: usize) -> ClientPosition {
        let text = &self.instead.text;
        let Some(before) = character.checked_sub(1) else {
            return ClientPosition::Nowhere;
        };
        let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let Some(at) = starts.nth(before) else {
            return ClientPosition::Nowhere;
        };
        let (mut own_end, mut end) = (0, 0);
        for put in &self.instead.spans {
            if at < put.to.start {
                break;
            }
            if at < put.to.end {
                let copied = put.copies.iter().find(|copied| copied.to.contains(&at));
                if let Some(own) = copied.and_then(|copied| self.character(copied.from)) {
                    return ClientPosition::At(own);
                }
                let is_model = text.get(put.to.clone()).is_none_or(|put| put.contains('('));
                return match (self.character(put.from.start), is_model) {
                    (Some(start), true) => ClientPosition::InModel(start),
                    (Some(start), false) => ClientPosition::At(start),
                    (None, _) => ClientPosition::Nowhere,
                };
            }
            (own_end, end) = (put.from.end, put.to.end);
        }
        let own = at
            .checked_sub(end)
            .and_then(|behind| own_end.checked_add(behind));
        own.and_then(|own| self.character(own))
            .map_or(ClientPosition::Nowhere, ClientPosition::At)
    }

    /// The number of a character of the client's text, from one, by its byte.
    fn character(&self, byte: usize) -> Option<usize> {
        Some(self.original.0.get(..byte)?.chars().count() + 1)
    }
}

/// The body of an error or notice as the client may hear it; none where that is as it came.
pub fn rewrite_error(
    fields: ResponseFields<'_>,
    speaks: QuotedText<'_>,
    policy: &Policy,
) -> Option<Bytes> {
    let speaks = match speaks {
        QuotedText::OfUnknown(None) if !policy.has_models() => QuotedText::OfOwn,
        QuotedText::OfUnknown(Some(lowered)) if !policy.has_models() => {
            QuotedText::OfAnother(lowered)
        }
        speaks => speaks,
    };
    let is_another = match speaks {
        QuotedText::OfOwn => false,
        QuotedText::OfAnother(text) => text.models.is_some(),
        QuotedText::OfUnknown(_) => true,
    };
    if matches!(speaks, QuotedText::OfOwn) && !policy.hides() {
        return None;
    }
    let place = client_position(fields, speaks);
    let in_model = matches!(place, Some(ClientPosition::InModel(_)));
    let is_of_names = fields.get(b'C').is_none_or(|code| code.starts_with("42"));
    let hides = is_another || policy.hides();
    let mut changed = false;
    let mut out = BytesMut::new();
    for (kind, value) in fields.iter() {
        let told: FieldRewrite<'_> = match kind {
            b'P' => match place {
                Some(ClientPosition::At(at) | ClientPosition::InModel(at)) => {
                    FieldRewrite::Number(at)
                }
                Some(ClientPosition::Nowhere) => FieldRewrite::Nothing,
                None => FieldRewrite::AsItIs,
            },
            b'C' if in_model => FieldRewrite::Words(sqlstate::INVALID_OBJECT_DEFINITION.as_str()),
            b'M' if in_model => FieldRewrite::Words(UNFIT),
            // Texts of functions, and what the upstream was doing with them.
            b'q' | b'p' | b'W' if hides => FieldRewrite::Nothing,
            b'D' | b's' | b't' | b'c' | b'd' | b'n' if is_another => FieldRewrite::Nothing,
            b'H' if in_model || is_another && names_something(value) => FieldRewrite::Nothing,
            b'D' | b'H' if hides && is_of_names && names_something(value) => FieldRewrite::Nothing,
            _ => FieldRewrite::AsItIs,
        };
        let value = match told {
            FieldRewrite::AsItIs => value,
            FieldRewrite::Nothing => {
                changed = true;
                continue;
            }
            FieldRewrite::Words(words) => {
                changed = true;
                words.as_bytes()
            }
            FieldRewrite::Number(number) => {
                let own = number.to_string();
                changed |= own.as_bytes() != value;
                append_field(&mut out, kind, own.as_bytes());
                continue;
            }
        };
        append_field(&mut out, kind, value);
    }
    out.put_u8(0);
    changed.then(|| out.freeze())
}

/// The place that an error names, in the client's text; none where it names none, or is as it came.
fn client_position(fields: ResponseFields<'_>, speaks: QuotedText<'_>) -> Option<ClientPosition> {
    match (speaks, fields.get(b'P')) {
        (QuotedText::OfOwn, _) | (_, None) => None,
        (QuotedText::OfUnknown(_), Some(_)) => Some(ClientPosition::Nowhere),
        (QuotedText::OfAnother(text), Some(character)) => {
            let place = character.parse().map(|character| text.place(character));
            Some(place.unwrap_or(ClientPosition::Nowhere))
        }
    }
}

/// Why a text did not compile, as it may be known where repairs are looked for.
pub fn uncompiled(failed: CompileError, permit: &ReadPermit<'_>, policy: &Policy) -> CompileError {
    let another = SubstitutedText::of(permit.facts(), permit.original());
    match failed {
        CompileError::Failed {
            sqlstate,
            message,
            hint,
            position,
        } => {
            let place = match (&another, position) {
                (None, Some(at)) => ClientPosition::At(usize::try_from(at).unwrap_or(usize::MAX)),
                (Some(another), Some(at)) => {
                    another.place(usize::try_from(at).unwrap_or(usize::MAX))
                }
                (_, None) => ClientPosition::Nowhere,
            };
            let position = match place {
                ClientPosition::At(at) => u32::try_from(at).ok(),
                ClientPosition::InModel(_) => return CompileError::Unavailable,
                ClientPosition::Nowhere => None,
            };
            let is_told = |hint: &String| !policy.hides() || !names_something(hint.as_bytes());
            CompileError::Failed {
                sqlstate,
                message,
                hint: hint.filter(is_told),
                position,
            }
        }
        CompileError::Unavailable => CompileError::Unavailable,
    }
}

/// What becomes of a field.
enum FieldRewrite<'t> {
    AsItIs,
    Nothing,
    Words(&'t str),
    Number(usize),
}

fn append_field(out: &mut BytesMut, kind: u8, value: &[u8]) {
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
    use crate::gate::InsertedSpan;
    use crate::wire::backend::error_fields;

    /// `SELECT ü, shop.t.x FROM shop.t c, t` with models in it.
    fn substituted() -> SubstitutedText {
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
            spans.push(InsertedSpan {
                from: start..done,
                to,
                copies: Box::default(),
            });
        }
        text.push_str(&own[done..]);
        SubstitutedText {
            models: Some(WithModels {
                instead: Arc::new(RewrittenText {
                    text: text.into(),
                    spans: spans.into(),
                    parameter_types: Box::default(),
                }),
                original: ClientText(own.into()),
            }),
            moved: Box::default(),
        }
    }

    impl SubstitutedText {
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
        let check = |mark: &str, own: ClientPosition| {
            let at = character(texts.texts().0, mark);
            assert_eq!(texts.place(at), own, "{mark}");
        };
        let own = |mark: &str| character(texts.texts().1, mark);
        check("SELECT ü", ClientPosition::At(1));
        check("ü", ClientPosition::At(8));
        check("t.x", ClientPosition::At(own("shop.t.x")));
        check("x FROM", ClientPosition::At(own("x FROM")));
        check("ä", ClientPosition::InModel(own("shop.t c")));
        check("real", ClientPosition::InModel(own("shop.t c")));
        check(", (", ClientPosition::At(own(", t ")));
        check("1)", ClientPosition::InModel(own("t WHERE")));
        check("é", ClientPosition::At(own("é")));
        check("= x", ClientPosition::At(own("= x")));
        let end = texts.texts().0.chars().count() + 1;
        let own_end = texts.texts().1.chars().count() + 1;
        assert_eq!(texts.place(end), ClientPosition::At(own_end));
        assert_eq!(texts.place(end + 1), ClientPosition::Nowhere);
        assert_eq!(texts.place(0), ClientPosition::Nowhere);
        assert_eq!(texts.place(usize::MAX), ClientPosition::Nowhere);
    }

    /// The fields of an error that come to the client, as `CMDHPpqW=…`.
    fn told(code: &str, fields: &[(u8, &str)], speaks: QuotedText<'_>, policy: &Policy) -> String {
        let mut body = BytesMut::new();
        append_field(&mut body, b'V', b"ERROR");
        append_field(&mut body, b'C', code.as_bytes());
        for (kind, value) in fields {
            append_field(&mut body, *kind, value.as_bytes());
        }
        body.put_u8(0);
        let told = rewrite_error(error_fields(&body).unwrap(), speaks, policy);
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
        let open = told("42703", &fields, QuotedText::OfOwn, &Policy::agent());
        assert_eq!(open, format!("C=42703 M=no D={} H={GUESS} ", fields[1].1));
        let closed = told("42703", &fields, QuotedText::OfOwn, &hiding());
        assert_eq!(closed, "C=42703 M=no ");
        let german = [(b'H', "Vielleicht war „c.ssn“ gemeint.")];
        assert_eq!(
            told("42703", &german, QuotedText::OfOwn, &hiding()),
            "C=42703 "
        );
        let plain = [
            (b'H', "You might need to add explicit type casts."),
            (b'P', "8"),
        ];
        let told = told("42883", &plain, QuotedText::OfOwn, &hiding());
        assert_eq!(told, format!("C=42883 H={} P=8 ", plain[0].1));
    }

    #[test]
    fn what_is_said_of_another_text_quotes_nothing_of_it() {
        let texts = substituted();
        let another = QuotedText::OfAnother(&texts);
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
        let told = told("42703", &unknown, QuotedText::OfUnknown(None), &policy);
        // There are no models under this policy.
        assert_eq!(told, "C=42703 M=no P=7 ");
    }

    /// `SET statement_timeout = 0; …`, with a lower value in it.
    fn lowered(another: Option<Box<SubstitutedText>>) -> Box<SubstitutedText> {
        let text = "SET statement_timeout = 0; SELECT nope";
        let gate = crate::gate::Gate::without_fingerprints(Arc::new(Policy::bi()));
        let names = crate::gate::SessionNames::of_no_database();
        let crate::gate::Verdict::Clamped(clamp) = gate.judge(text.into(), &names).verdict else {
            panic!("nothing is lowered");
        };
        let moved: Vec<OffsetMap> = clamp.offsets.into_iter().collect();
        SubstitutedText::lowered(another, &moved).unwrap()
    }

    #[test]
    fn places_behind_lowered_values_are_those_of_the_own_text() {
        // '600000' stands where 0 stood.
        let texts = lowered(None);
        let fields = [(b'M', "no"), (b'H', GUESS), (b'W', "SQL"), (b'P', "42")];
        let shown = told(
            "42703",
            &fields,
            QuotedText::OfAnother(&texts),
            &Policy::bi(),
        );
        assert_eq!(shown, format!("C=42703 M=no H={GUESS} W=SQL P=35 "));
        let unknown = QuotedText::OfUnknown(Some(&texts));
        assert_eq!(told("42703", &fields, unknown, &Policy::bi()), shown);
        let shown = told("42703", &fields, QuotedText::OfAnother(&texts), &hiding());
        assert_eq!(shown, "C=42703 M=no P=35 ");
        let with_models = lowered(Some(Box::new(substituted())));
        let before = substituted();
        for at in [1, 8, 30, 41, 60] {
            let moved = match before.place(at) {
                ClientPosition::At(place) => {
                    ClientPosition::At(with_models.moved[0].original_position(place))
                }
                ClientPosition::InModel(place) => {
                    ClientPosition::InModel(with_models.moved[0].original_position(place))
                }
                ClientPosition::Nowhere => ClientPosition::Nowhere,
            };
            assert_eq!(with_models.place(at), moved, "{at}");
        }
    }
}
