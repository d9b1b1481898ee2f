//! The rule by which texts, parameters and rows are digested, for whoever wants to do it again.
//!
//! All digests are BLAKE3 with 32 bytes, written in lower-case hexadecimal digits, without a key,
//! but for that of a text that the policy put models or masks into: those are hidden from clients,
//! who could guess at a digest without one.
//!
//! * A text: its bytes in UTF-8, as they stand in the message, without the NUL behind them.
//! * Parameters: the bytes of the Bind message from the number of format codes to the last value:
//!   Int16 the number of codes, each an Int16; Int16 the number of values, each an Int32 with its
//!   length (-1 is NULL) and its bytes.
//! * Rows: each DataRow message as it was sent to the client, one behind the other, in their order:
//!   the byte `D`; Int32 the length of what follows, itself included; Int16 the number of columns;
//!   for each an Int32 with its length (-1 is NULL) and its bytes, as text or in binary, whichever
//!   the client had asked for. Of `COPY … TO STDOUT`: each CopyData message, the byte `d`, its
//!   Int32 and its data. Numbers are big-endian. No rows: the digest of nothing.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

/// A digest.
pub type Digest = [u8; 32];

/// The digest of a text or of parameters.
pub fn of_bytes(bytes: &[u8]) -> Digest {
    *blake3::hash(bytes).as_bytes()
}

/// The digest of rows that pass.
#[derive(Debug, Default)]
pub struct ResultDigest(Option<Box<blake3::Hasher>>);

impl ResultDigest {
    /// Messages of rows, or a part of one.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.get_or_insert_default().update(bytes);
    }

    /// The digest of all that was added; what is added from now on begins another one.
    pub fn take(&mut self) -> Digest {
        match &mut self.0 {
            None => of_bytes(&[]),
            Some(hasher) => {
                let digest = *hasher.finalize().as_bytes();
                hasher.reset();
                digest
            }
        }
    }
}

/// The DataRow of values, as it is sent.
///
/// # Errors
/// A value, or the row, is too long for a message.
pub fn data_row<'v>(
    values: impl ExactSizeIterator<Item = Option<&'v [u8]>>,
) -> Result<Vec<u8>, RowTooLong> {
    let mut body = Vec::new();
    let columns = u16::try_from(values.len()).map_err(|_| RowTooLong)?;
    body.extend_from_slice(&columns.to_be_bytes());
    for value in values {
        match value {
            None => body.extend_from_slice(&(-1_i32).to_be_bytes()),
            Some(bytes) => {
                let length = i32::try_from(bytes.len()).map_err(|_| RowTooLong)?;
                body.extend_from_slice(&length.to_be_bytes());
                body.extend_from_slice(bytes);
            }
        }
    }
    let length = i32::try_from(body.len() + 4).map_err(|_| RowTooLong)?;
    let mut row = Vec::with_capacity(body.len() + 5);
    row.push(b'D');
    row.extend_from_slice(&length.to_be_bytes());
    row.append(&mut body);
    Ok(row)
}

/// A row that no message has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowTooLong;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_digested_as_they_are_sent() {
        let values = [Some(&b"42"[..]), None, Some(b"")];
        let row = data_row(values.into_iter()).unwrap();
        let sent = b"D\0\0\0\x14\0\x03\0\0\0\x0242\xff\xff\xff\xff\0\0\0\0";
        assert_eq!(row, sent);
        let mut whole = ResultDigest::default();
        whole.add(&row);
        whole.add(&row);
        let mut torn = ResultDigest::default();
        for byte in [row.as_slice(), &row].concat() {
            torn.add(&[byte]);
        }
        let digest = whole.take();
        assert_eq!(digest, torn.take());
        assert_ne!(digest, of_bytes(&row));
        assert_eq!(whole.take(), of_bytes(&[]));
        assert_eq!(ResultDigest::default().take(), of_bytes(&[]));
    }
}
