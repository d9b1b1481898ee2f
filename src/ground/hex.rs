//! Bytes as hexadecimal digits: written in lower case, and read in lower case only, so that one
//! value has one spelling.

/// The digits of bytes.
pub fn digits(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().saturating_mul(2));
    push(&mut out, bytes);
    out
}

/// Appends the digits of bytes, without the formatting machinery: every line of the audit has a
/// hundred of them.
pub fn push(out: &mut String, bytes: &[u8]) {
    for piece in bytes.chunks(32) {
        let mut digits = [0; 64];
        let (fours, rest) = piece.as_chunks::<4>();
        for (eight, four) in digits.as_chunks_mut::<8>().0.iter_mut().zip(fours) {
            *eight = of_four(*four);
        }
        // Digits are ASCII.
        let digits = digits.get(..fours.len() * 8).unwrap_or_default();
        out.push_str(str::from_utf8(digits).unwrap_or_default());
        for byte in rest {
            let [.., high, low] = of_four([0, 0, 0, *byte]);
            out.push(char::from(high));
            out.push(char::from(low));
        }
    }
}

/// The eight digits of four bytes, all at once.
fn of_four(bytes: [u8; 4]) -> [u8; 8] {
    let mut values = u64::from(u32::from_be_bytes(bytes));
    values = (values << 16 | values) & 0x0000_ffff_0000_ffff;
    values = (values << 8 | values) & 0x00ff_00ff_00ff_00ff;
    values = (values << 4 | values) & 0x0f0f_0f0f_0f0f_0f0f;
    // One in every byte whose value is ten or more: it has a letter.
    let letters = (values + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    let up_to_letters = u64::from(b'a' - b'0' - 10);
    (values + 0x3030_3030_3030_3030 + letters * up_to_letters).to_be_bytes()
}

/// The bytes of digits: as many as there are to read, and no sign but lower-case digits.
pub fn read<const BYTES: usize>(digits: &[u8]) -> Option<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    read_into(digits, &mut bytes)?;
    Some(bytes)
}

/// The number of sixteen digits, in either case; none where a text is anything else.
pub fn number(text: &str) -> Option<u64> {
    read(text.to_ascii_lowercase().as_bytes()).map(u64::from_be_bytes)
}

/// The same, of so many bytes as there is room for.
pub fn read_into(digits: &[u8], into: &mut [u8]) -> Option<()> {
    if digits.len() != into.len().checked_mul(2)? {
        return None;
    }
    let value = |digit: &u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    for (byte, pair) in into.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = value(high)? << 4 | value(low)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in [0, 1, 3, 4, 5, 16, 31, 32, 33, 255] {
            let some = &bytes[bytes.len() - length..];
            let formatted: String = some.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digits(some), formatted);
        }
        assert_eq!(read(b"00ff10"), Some([0, 0xff, 0x10]));
        assert_eq!(read(b""), Some([]));
        for wrong in ["00ff1", "00ff1g", "00FF10", "+0ff10", "00ff100a"] {
            assert_eq!(read::<3>(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
