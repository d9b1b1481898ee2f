//! The word that a client wants to have in its receipts: by it, whoever verifies them knows for
//! which conversation they were made.

/// A word of letters, digits, `-` and `_`, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiptNonce {
    bytes: [u8; NONCE_BYTES_MAX],
    length: u8,
}

impl Default for ReceiptNonce {
    /// None.
    fn default() -> Self {
        Self {
            bytes: [0; NONCE_BYTES_MAX],
            length: 0,
        }
    }
}

impl ReceiptNonce {
    /// The word of a text; none where it is longer, or has other letters in it.
    pub fn of(text: &str) -> Option<Self> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !text.bytes().all(is_letter) {
            return None;
        }
        let mut nonce = Self {
            length: u8::try_from(text.len()).ok()?,
            ..Self::default()
        };
        nonce
            .bytes
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        Some(nonce)
    }

    /// The word, if there is one.
    pub fn word(&self) -> Option<&str> {
        let bytes = self.bytes.get(..usize::from(self.length))?;
        let word = str::from_utf8(bytes).ok()?;
        (!word.is_empty()).then_some(word)
    }
}

/// As long as a name of SQL, and a digest in hexadecimal digits.
const NONCE_BYTES_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_is_a_word() {
        let longest = "a".repeat(64);
        for word in ["talk-17_B", "0", &longest] {
            assert_eq!(ReceiptNonce::of(word).unwrap().word(), Some(word));
        }
        assert_eq!(ReceiptNonce::of("").unwrap().word(), None);
        for text in ["a b", "a'b", "ü", "a.b", &"a".repeat(65)] {
            assert_eq!(ReceiptNonce::of(text), None, "{text}");
        }
    }
}
