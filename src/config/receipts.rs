//! The settings of receipts.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::config::quantities::duration;
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::limits::receipts::{
    RECEIPT_ISSUER_CHARS_MAX, RECEIPT_VALID_BOUNDS, RECEIPT_VALID_SECONDS,
};
use crate::receipts::signing_keys::SigningKeys;

/// How receipts are signed.
pub struct ReceiptSettings {
    /// In whose name.
    pub issuer: String,
    /// How long they count.
    pub valid_for: Duration,
    /// The keys.
    pub keys: SigningKeys,
}

/// `receipts.…`; none where there is no key.
pub fn receipts(reader: &mut KeyReader) -> Option<Option<ReceiptSettings>> {
    let issuer = reader.parsed("receipts.issuer", "pgsieve".to_owned(), |text| {
        let is_sound =
            text.chars().count() <= RECEIPT_ISSUER_CHARS_MAX && !text.chars().any(char::is_control);
        match is_sound {
            true => Ok(text.to_owned()),
            false => {
                Err("at most 200 characters are wanted, as in https://sieve.example.com".into())
            }
        }
    });
    let valid = Duration::from_secs(RECEIPT_VALID_SECONDS);
    let valid_for = duration(reader, "receipts.valid_for", RECEIPT_VALID_BOUNDS, valid);
    let keys = match reader.word("receipts.key_file") {
        ReadValue::Absent => None,
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => {
            let text = reader.text_of(&word)?;
            reader.note_secret_file(Path::new(&word.text), &word.place);
            match SigningKeys::read(&text) {
                Ok(keys) => Some(keys),
                Err(problem) => {
                    reader.note(&word.place, problem.to_string());
                    return None;
                }
            }
        }
    };
    let (issuer, valid_for) = (issuer?, valid_for?);
    Some(keys.map(|keys| ReceiptSettings {
        issuer,
        valid_for,
        keys,
    }))
}

impl fmt::Debug for ReceiptSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ReceiptSettings({:?})", self.keys)
    }
}
