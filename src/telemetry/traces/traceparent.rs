//! A `traceparent`: the place in a trace that a client says its statement has.
//!
//! Only hexadecimal digits of exactly the form that the W3C gives are taken over, so nothing that a
//! client writes can travel in one. `tracestate`, baggage and everything else stay where they are.
//!
//! <https://www.w3.org/TR/trace-context/#traceparent-header>

use crate::hex;

/// Where a statement belongs, as the client says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceParent {
    /// The trace; never zero.
    pub trace: [u8; 16],
    /// The span that the statement is a part of; never zero.
    pub span: [u8; 8],
    /// Whether that span is recorded. If not, neither is the statement.
    pub sampled: bool,
}

impl TraceParent {
    /// Reads a whole value. A version that is not known is read as far as it must be the same.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let [version] = hex::read(bytes.get(..2)?)?;
        let ends_well = match version {
            0 => bytes.len() == LENGTH,
            0xff => false,
            _ => bytes.get(LENGTH).is_none_or(|next| *next == b'-'),
        };
        let is_cut = [2, 35, 52].iter().all(|at| bytes.get(*at) == Some(&b'-'));
        if !ends_well || !is_cut {
            return None;
        }
        let trace: [u8; 16] = hex::read(bytes.get(3..35)?)?;
        let span: [u8; 8] = hex::read(bytes.get(36..52)?)?;
        let [flags] = hex::read(bytes.get(53..LENGTH)?)?;
        (trace != [0; 16] && span != [0; 8]).then_some(Self {
            trace,
            span,
            sampled: flags & SAMPLED == SAMPLED,
        })
    }

    /// The first one in an application_name: all of it, or a part between other signs than letters,
    /// digits, `-` and `_`, as in `shop traceparent='00-…'`.
    pub fn in_name(name: &str) -> Option<Self> {
        let is_sign = |c: char| !(c.is_alphanumeric() || c == '-' || c == '_');
        let start = name.get(..name.floor_char_boundary(NAME_BYTES_MAX))?;
        start.split(is_sign).find_map(Self::read)
    }
}

/// Bytes of a value of version 00.
const LENGTH: usize = 55;

/// The flag that says that the parent is recorded.
const SAMPLED: u8 = 1;

/// As much of an application_name is looked at; Postgres itself keeps 63 bytes.
const NAME_BYTES_MAX: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    fn sampled(text: &str) -> Option<bool> {
        TraceParent::read(text).map(|parent| parent.sampled)
    }

    #[test]
    fn what_the_specification_shows_is_read() {
        let parent = TraceParent::read(&format!("00-{TRACE}-{SPAN}-01")).unwrap();
        assert_eq!(parent.trace[..3], [0x4b, 0xf9, 0x2f]);
        assert_eq!(parent.span[5..], [0xa9, 0x02, 0xb7]);
        assert!(parent.sampled);
    }

    #[test]
    fn only_the_lowest_flag_counts() {
        for (flags, said) in [
            ("00", false),
            ("01", true),
            ("02", false),
            ("03", true),
            ("fe", false),
        ] {
            assert_eq!(
                sampled(&format!("00-{TRACE}-{SPAN}-{flags}")),
                Some(said),
                "{flags}"
            );
        }
    }

    #[test]
    fn other_versions_are_read_as_far_as_they_are_the_same() {
        for fine in ["01", "02", "fe"] {
            assert_eq!(sampled(&format!("{fine}-{TRACE}-{SPAN}-01")), Some(true));
            assert_eq!(
                sampled(&format!("{fine}-{TRACE}-{SPAN}-00-canary")),
                Some(false)
            );
            assert_eq!(sampled(&format!("{fine}-{TRACE}-{SPAN}-01canary")), None);
        }
        assert_eq!(sampled(&format!("ff-{TRACE}-{SPAN}-01")), None);
        assert_eq!(sampled(&format!("00-{TRACE}-{SPAN}-01-canary")), None);
    }

    #[test]
    fn whatever_is_not_of_the_form_is_nothing() {
        let right = format!("00-{TRACE}-{SPAN}-01");
        for end in 0..right.len() {
            assert_eq!(sampled(&right[..end]), None);
        }
        for at in 0..right.len() {
            for wrong in ["g", "A", "+", " ", "ü", "\0", "--", ""] {
                let mut text = right.clone();
                text.replace_range(at..=at, wrong);
                assert_eq!(TraceParent::read(&text), None, "{text}");
            }
        }
        let (no_trace, no_span) = ("0".repeat(32), "0".repeat(16));
        assert_eq!(sampled(&format!("00-{no_trace}-{SPAN}-01")), None);
        assert_eq!(sampled(&format!("00-{TRACE}-{no_span}-01")), None);
    }

    #[test]
    fn a_name_may_hold_one() {
        let right = format!("00-{TRACE}-{SPAN}-01");
        for name in [
            right.clone(),
            format!("traceparent={right}"),
            format!("shop; traceparent='{right}'"),
            format!("shop/{right} and more"),
        ] {
            assert_eq!(
                TraceParent::in_name(&name),
                TraceParent::read(&right),
                "{name}"
            );
        }
        for name in [
            String::new(),
            "psql".to_owned(),
            format!("a{right}"),
            format!("{right}b"),
            format!("{right}-b"),
            format!("{}{right}", " ".repeat(NAME_BYTES_MAX)),
            format!("{}{right}", "ü".repeat(NAME_BYTES_MAX)),
        ] {
            assert_eq!(TraceParent::in_name(&name), None, "{name}");
        }
    }
}
