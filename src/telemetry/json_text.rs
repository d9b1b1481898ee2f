//! Strings and numbers as JSON has them, appended to a text without the machinery of a serializer:
//! audit and log lines have many of them.

use std::fmt::Write;

/// Appends a JSON string.
pub fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Line separators are legal in JSON and still end a line for some readers.
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Appends a number in decimal, without the formatting machinery: a line has seven of them.
pub fn push_number(out: &mut String, number: u64) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    let digit = u32::try_from(number % 10).unwrap_or(0);
    out.push(char::from_digit(digit, 10).unwrap_or('0'));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_reads_back_and_stays_on_its_line() {
        for text in [
            "",
            "a\"b\\c",
            "\n\r\t\u{0}\u{7f}\u{85}\u{2028}",
            "äß€😀",
            "</script>",
        ] {
            let mut out = String::new();
            push_string(&mut out, text);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
            assert!(!out.chars().any(char::is_control));
        }
    }

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 9, 10, 1234567890, u64::MAX] {
            let mut out = String::new();
            push_number(&mut out, number);
            assert_eq!(out, number.to_string());
        }
    }
}
