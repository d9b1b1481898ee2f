//! What a byte can start or continue.

/// The sorts of bytes that a token can begin with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::sql) enum Class {
    Space,
    /// A letter, an underscore or a byte beyond ASCII.
    Letter,
    Digit,
    Quote,
    DoubleQuote,
    Dollar,
    Operator,
    Period,
    Colon,
    /// The rest of what stands for itself.
    Punctuation,
    Other,
}

pub(in crate::sql) fn class_of(byte: u8) -> Class {
    CLASSES
        .get(usize::from(byte))
        .copied()
        .unwrap_or(Class::Other)
}

/// How many bytes from the start all satisfy `test`.
pub(super) fn run(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|byte| !test(*byte))
        .unwrap_or(bytes.len())
}

pub(super) fn starts_word(byte: u8) -> bool {
    class_of(byte) == Class::Letter
}

pub(super) fn continues_word(byte: u8) -> bool {
    matches!(class_of(byte), Class::Letter | Class::Digit | Class::Dollar)
}

/// What may stand inside the tag of a dollar-quoted string.
pub(super) fn continues_tag(byte: u8) -> bool {
    matches!(class_of(byte), Class::Letter | Class::Digit)
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte: u8 = 0;
    loop {
        #[expect(
            clippy::indexing_slicing,
            clippy::as_conversions,
            reason = "checked by the compiler: a u8 is below 256"
        )]
        {
            classes[byte as usize] = class(byte);
        }
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

const fn class(byte: u8) -> Class {
    match byte {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => Class::Space,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..=0xff => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        b'\'' => Class::Quote,
        b'"' => Class::DoubleQuote,
        b'$' => Class::Dollar,
        b'~' | b'!' | b'@' | b'#' | b'^' | b'&' | b'|' | b'`' | b'?' => Class::Operator,
        b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' => Class::Operator,
        b'.' => Class::Period,
        b':' => Class::Colon,
        b',' | b'(' | b')' | b'[' | b']' | b';' => Class::Punctuation,
        _ => Class::Other,
    }
}
