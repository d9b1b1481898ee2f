//! Text files as people write them: settings, policies, secrets. A byte order mark in front is no
//! part of them; what is not UTF-8 is told with its line.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::system_error;

/// Why there is no text. Holds nothing of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFault {
    /// The system does not hand it out.
    System(io::ErrorKind),
    /// It is longer than so many bytes.
    TooLong(u64),
    /// It is UTF-16.
    Utf16,
    /// It is not UTF-8.
    NotUtf8 {
        /// The first such line, counted from one.
        line: usize,
    },
}

/// Reads a file of at most so many bytes.
///
/// # Errors
/// Why not.
pub fn read(path: &Path, bytes_max: u64) -> Result<String, TextFault> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(TextFault::of)?;
    let read = file
        .take(bytes_max.saturating_add(1))
        .read_to_end(&mut bytes);
    let read = read.map_err(TextFault::of)?;
    match u64::try_from(read) {
        Ok(read) if read <= bytes_max => decoded(bytes),
        _ => Err(TextFault::TooLong(bytes_max)),
    }
}

/// The text of some bytes.
fn decoded(bytes: Vec<u8>) -> Result<String, TextFault> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(TextFault::Utf16);
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.starts_with('\u{FEFF}') {
                text.remove(0);
            }
            Ok(text)
        }
        Err(error) => {
            let sound = error.utf8_error().valid_up_to();
            let before = error.as_bytes().iter().take(sound);
            let line = before.filter(|byte| **byte == b'\n').count() + 1;
            Err(TextFault::NotUtf8 { line })
        }
    }
}

impl TextFault {
    /// Out of what the system said.
    pub fn of(error: io::Error) -> Self {
        Self::System(error.kind())
    }

    /// What is wrong with the file of this path, and what helps.
    pub fn describe(self, path: &Path) -> String {
        let shown = path.display();
        match self {
            Self::System(kind) => system_error::of_file(path, kind),
            Self::TooLong(bytes) => format!("{shown} is longer than {bytes} bytes"),
            Self::Utf16 => format!("{shown} is UTF-16: save it as UTF-8"),
            Self::NotUtf8 { line } => {
                format!("{shown}:{line} has a letter that is not UTF-8: save it as UTF-8")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_utf_8_with_or_without_a_mark() {
        assert_eq!(decoded(b"\xEF\xBB\xBFa: b".to_vec()), Ok("a: b".into()));
        assert_eq!(decoded(Vec::new()), Ok(String::new()));
        assert_eq!(decoded(b"\xFF\xFEa\0".to_vec()), Err(TextFault::Utf16));
        assert_eq!(decoded(b"\xFE\xFF\0a".to_vec()), Err(TextFault::Utf16));
        let wrong = decoded(b"a\nb\n\xE9".to_vec());
        assert_eq!(wrong, Err(TextFault::NotUtf8 { line: 3 }));
    }
}
