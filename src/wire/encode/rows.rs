//! Rows that pgsieve itself answers with, as texts.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use bytes::{BufMut, BytesMut};
use pgwire::messages::data::{DataRow, FORMAT_CODE_TEXT, FieldDescription, RowDescription};

use super::{EncodeError, put, whole};

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnDescription<'a> {
    /// Its name.
    pub name: &'a str,
    /// The oid of its type.
    pub type_oid: u32,
    /// Bytes of a value, negative where they vary.
    pub type_size: i16,
}

/// RowDescription, of columns of no table.
///
/// # Errors
/// A name has a zero byte in it, or the message is longer than the receiver takes.
pub fn row_description<'a>(
    out: &mut BytesMut,
    columns: impl Iterator<Item = ColumnDescription<'a>>,
) -> Result<(), EncodeError> {
    let fields = columns.map(|column| {
        let (name, type_oid) = (whole(column.name)?.to_owned(), column.type_oid);
        let (table, place, modifier) = (0, 0, -1);
        Ok(FieldDescription::new(
            name,
            table,
            place,
            type_oid,
            column.type_size,
            modifier,
            FORMAT_CODE_TEXT,
        ))
    });
    let fields: Vec<FieldDescription> = fields.collect::<Result<_, EncodeError>>()?;
    i16::try_from(fields.len()).map_err(|_| EncodeError::TooLong)?;
    put(out, &RowDescription::new(fields))
}

/// DataRow, of values that are texts or NULL.
///
/// # Errors
/// The message is longer than the receiver takes.
pub fn data_row<'a>(
    out: &mut BytesMut,
    values: impl Iterator<Item = Option<&'a str>>,
) -> Result<(), EncodeError> {
    let mut data = BytesMut::new();
    let mut count: i16 = 0;
    for value in values {
        count = count.checked_add(1).ok_or(EncodeError::TooLong)?;
        match value {
            Some(text) => {
                let length = i32::try_from(text.len()).map_err(|_| EncodeError::TooLong)?;
                data.put_i32(length);
                data.put_slice(text.as_bytes());
            }
            None => data.put_i32(NULL),
        }
    }
    put(out, &DataRow::new(data, count))
}

/// The length that stands for NULL.
const NULL: i32 = -1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend;
    use crate::encode::{unwritten, written};

    #[test]
    fn rows_are_read_back() {
        let columns = [
            ColumnDescription {
                name: "user",
                type_oid: 25,
                type_size: -1,
            },
            ColumnDescription {
                name: "cl_active",
                type_oid: 23,
                type_size: 4,
            },
        ];
        let out = written(|out| row_description(out, columns.into_iter()).unwrap());
        let read = backend::row_description(&out[5..]).unwrap();
        let read: Vec<_> = read.iter().map(|one| (one.name, one.type_oid)).collect();
        assert_eq!(read, [("user", 25), ("cl_active", 23)]);
        let values = [Some("ann"), None, Some("")];
        let out = written(|out| data_row(out, values.into_iter()).unwrap());
        assert_eq!(
            &out[..],
            b"D\0\0\0\x15\0\x03\0\0\0\x03ann\xff\xff\xff\xff\0\0\0\0"
        );
        let read = backend::data_row(&out[5..], 3).unwrap();
        assert_eq!(read, values.map(|value| value.map(str::to_owned)));
    }

    #[test]
    fn a_name_that_would_end_early_is_not_written() {
        let column = ColumnDescription {
            name: "a\0b",
            type_oid: 25,
            type_size: -1,
        };
        let cause = unwritten(|out| row_description(out, [column].into_iter()));
        assert_eq!(cause, EncodeError::StringEndsEarly);
    }
}
