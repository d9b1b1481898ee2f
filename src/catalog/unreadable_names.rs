//! Names whose bytes are not known to be text: a database of the encoding SQL_ASCII takes any
//! bytes, and roles are shared with it by every other database.
//!
//! Such a name is kept as a sentence about it that is longer than any name can be, so that no text
//! of a client is equal to one, with the bytes behind it, so that no two are the same.

use std::fmt::Write;

/// What is kept for a name of these bytes.
pub fn kept(bytes: &[u8]) -> String {
    let mut kept = SENTENCE.to_owned();
    for byte in bytes {
        match byte {
            b' '..=b'~' if *byte != b'\\' => kept.push(char::from(*byte)),
            // Writing into a String cannot fail.
            _ => drop(write!(kept, "\\x{byte:02x}")),
        }
    }
    kept
}

/// Whether that is what was kept for a name.
pub fn is_kept(name: &str) -> bool {
    name.starts_with(SENTENCE)
}

/// Whether a name with letters beyond ASCII, as a client has written it, may be that one to the
/// server, which folds single bytes of it and cuts it where it likes: whether it has the same
/// letters of ASCII in the same order, with others between them in the same places.
pub fn may_be(kept: &str, written: &str) -> bool {
    let Some(escaped) = kept.strip_prefix(SENTENCE) else {
        return false;
    };
    let (whole, part) = (outline(&unescaped(escaped)), outline(written.as_bytes()));
    // What the parser has cut the server may have cut elsewhere.
    whole == part || written.len() >= CUT_FROM && whole.starts_with(&part)
}

/// The bytes of a name, each run of those beyond ASCII as one zero, which no name has.
fn outline(name: &[u8]) -> Vec<u8> {
    let mut outline = Vec::with_capacity(name.len());
    for byte in name {
        match byte.is_ascii() {
            true => outline.push(*byte),
            false if outline.last() == Some(&0) => {}
            false => outline.push(0),
        }
    }
    outline
}

fn unescaped(escaped: &str) -> Vec<u8> {
    let mut parts = escaped.split("\\x");
    let mut bytes: Vec<u8> = parts.next().unwrap_or_default().into();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        bytes.extend(u8::from_str_radix(digits, 16));
        bytes.extend(rest.as_bytes());
    }
    bytes
}

/// Longer than NAMEDATALEN, in letters that take one byte everywhere.
const SENTENCE: &str = "(a name whose bytes are no text that a client could have written) ";

/// How long a name is at least of which the parser has cut something: 63 bytes, less those of a
/// letter that does not fit.
pub const CUT_FROM: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_longer_than_any_name_and_no_two_are_the_same() {
        assert!(SENTENCE.len() > 63);
        let names: [&[u8]; 5] = [b"\xff", b"\xfe", b"caf\xe9", b"caf\\xe9", b"\x01\\"];
        for name in names {
            let same = names.iter().filter(|other| kept(other) == kept(name));
            assert_eq!(same.count(), 1);
            assert!(is_kept(&kept(name)) && !is_kept("caf"));
            let kept = kept(name);
            assert_eq!(unescaped(kept.strip_prefix(SENTENCE).unwrap()), name);
        }
    }

    #[test]
    fn letters_of_ascii_have_to_be_the_same() {
        for (bytes, written, wanted) in [
            (&b"caf\xe9"[..], "café", true),
            (b"caf\xe9", "cafÉ", true),
            (b"caf\xe9", "cafés", false),
            (b"caf\xe9", "caf", false),
            (b"caf\xe9x\xe9", "caféxé", true),
            (b"caf\xe9\xe9", "café", true),
            (b"\xff", "größe", false),
        ] {
            assert_eq!(may_be(&kept(bytes), written), wanted, "{written}");
        }
        // The server keeps 63 bytes, and so half a letter; the parser keeps whole ones.
        let long = [&[b'a'; 62][..], b"\xc3"].concat();
        assert!(may_be(&kept(&long), &"a".repeat(62)));
        assert!(!may_be(&kept(&long), &"a".repeat(50)));
    }
}
