//! DataRow: one row of a result that pgsieve itself has asked for, as text.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

/// The values of a row of so many columns.
pub fn data_row(body: &[u8], columns: usize) -> Option<Vec<Option<String>>> {
    let (count, mut rest) = body.split_first_chunk()?;
    if usize::from(u16::from_be_bytes(*count)) != columns {
        return None;
    }
    let mut values = Vec::new();
    for _ in 0..columns {
        let (length, behind) = rest.split_first_chunk()?;
        let length = i32::from_be_bytes(*length);
        if length == NULL {
            values.push(None);
            rest = behind;
            continue;
        }
        let (value, behind) = behind.split_at_checked(usize::try_from(length).ok()?)?;
        values.push(Some(std::str::from_utf8(value).ok()?.to_owned()));
        rest = behind;
    }
    rest.is_empty().then_some(values)
}

/// The length that stands for NULL.
const NULL: i32 = -1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_value_for_each() {
        let body = b"\0\x03\0\0\0\x01a\xff\xff\xff\xff\0\0\0\0";
        let values = [Some("a".to_owned()), None, Some(String::new())];
        assert_eq!(data_row(body, 3).as_deref(), Some(&values[..]));
        assert_eq!(data_row(body, 2), None);
        for kept in 0..body.len() {
            assert_eq!(data_row(&body[..kept], 3), None, "cut at {kept}");
        }
        assert_eq!(data_row(&[body, &b"x"[..]].concat(), 3), None);
    }
}
