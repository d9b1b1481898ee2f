//! What a byte can start or continue.

/// The sorts of bytes that a token can begin with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteClass {
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

pub(crate) fn class_of(byte: u8) -> ByteClass {
    CLASSES
        .get(usize::from(byte))
        .copied()
        .unwrap_or(ByteClass::Other)
}

/// How many bytes from the start all satisfy `test`.
pub(super) fn run(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|byte| !test(*byte))
        .unwrap_or(bytes.len())
}

pub(super) fn starts_word(byte: u8) -> bool {
    class_of(byte) == ByteClass::Letter
}

pub(super) fn continues_word(byte: u8) -> bool {
    matches!(
        class_of(byte),
        ByteClass::Letter | ByteClass::Digit | ByteClass::Dollar
    )
}

/// What may stand inside the tag of a dollar-quoted string.
pub(super) fn continues_tag(byte: u8) -> bool {
    matches!(class_of(byte), ByteClass::Letter | ByteClass::Digit)
}

const CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Other; 256];
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

const fn class(byte: u8) -> ByteClass {
    match byte {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => ByteClass::Space,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..=0xff => ByteClass::Letter,
        b'0'..=b'9' => ByteClass::Digit,
        b'\'' => ByteClass::Quote,
        b'"' => ByteClass::DoubleQuote,
        b'$' => ByteClass::Dollar,
        b'~' | b'!' | b'@' | b'#' | b'^' | b'&' | b'|' | b'`' | b'?' => ByteClass::Operator,
        b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' => ByteClass::Operator,
        b'.' => ByteClass::Period,
        b':' => ByteClass::Colon,
        b',' | b'(' | b')' | b'[' | b']' | b';' => ByteClass::Punctuation,
        _ => ByteClass::Other,
    }
}
