//! RowDescription: the columns of a result that pgsieve itself has asked for.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// A column of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDescription<'a> {
    /// Its name.
    pub name: &'a str,
    /// The oid of its type.
    pub type_oid: u32,
    /// The modifier of its type, or -1.
    pub type_modifier: i32,
}

/// Reads the columns, in order.
///
/// # Errors
/// The body does not read as its type says, or a name is not UTF-8.
pub fn row_description(body: &[u8]) -> Result<Vec<FieldDescription<'_>>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let count = reader.u16()?;
    // What a peer says of how many there are reserves nothing.
    let mut fields = Vec::new();
    for _ in 0..count {
        let name = reader.text()?.utf8()?;
        let _table = reader.i32()?;
        let _column = reader.i16()?;
        let type_oid = reader.i32()?.cast_unsigned();
        let _type_length = reader.i16()?;
        let type_modifier = reader.i32()?;
        let _format = reader.i16()?;
        fields.push(FieldDescription {
            name,
            type_oid,
            type_modifier,
        });
    }
    reader.finish()?;
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::check_ends;

    #[test]
    fn golden() {
        let body = b"\0\x01id\0\0\0\x40\x01\0\x02\0\0\x06\xa4\xff\xff\0\x0a\0\x06\0\0";
        let id = FieldDescription {
            name: "id",
            type_oid: 1_700,
            type_modifier: 0x000a_0006,
        };
        assert_eq!(row_description(body), Ok(vec![id]));
        assert_eq!(row_description(b"\0\0"), Ok(Vec::new()));
        check_ends(body, |body| row_description(body).is_ok());
    }
}
