//! Taking up a chain where a file ends, after a restart or a crash.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::chain::{AuditChain, ChainHead, ChainLink};
use super::file::{AuditFile, aside};
use super::settings::ChainKey;
use crate::hex;
use crate::limits::AUDIT_LINE_BYTES_MAX;

/// How a file ends.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileTail {
    /// Its last whole line, without the newline.
    pub whole: Vec<u8>,
    /// What stands behind that, if the last line has no end.
    pub torn: Vec<u8>,
    /// Whether the line before was longer than any line of the audit's.
    beyond: bool,
}

/// The chain that is written, and its first line.
pub struct BegunChain {
    /// The chain.
    pub chain: AuditChain,
    /// The event of its first line.
    pub event: &'static str,
    /// Fields of that line.
    pub fields: String,
}

/// What the file's end allows.
enum TailFinding {
    /// It is empty.
    Nothing,
    /// The chain goes on behind this line.
    Ends { head: ChainHead, torn: Vec<u8> },
    /// It ends with something else.
    Strange,
}

/// Takes the chain up where the file ends, or begins one. What is in the file and not of this
/// chain is put aside first.
///
/// # Errors
/// The file cannot be read, written or put aside.
pub fn take_up(file: &mut AuditFile, key: Option<ChainKey>, keep: usize) -> io::Result<BegunChain> {
    if !file.is_plain() {
        return begin(key);
    }
    match found(&FileTail::read(file.path())?, key.as_ref()) {
        TailFinding::Ends { head, torn } => {
            if !torn.is_empty() || !ends_with_newline(file.path())? {
                file.write(b"\n")?;
            }
            let mut fields = String::from(",\"why\":\"restarted\"");
            if !torn.is_empty() {
                fields.push_str(&format!(",\"torn_bytes\":{},\"torn\":\"", torn.len()));
                hex::push(&mut fields, blake3::hash(&torn).as_bytes());
                fields.push('"');
            }
            Ok(go_on(head, key, &fields))
        }
        // Whoever rotates files may have left none; the newest then ends with the chain's head.
        TailFinding::Nothing => {
            let before = FileTail::read(&aside(file.path(), 1)).unwrap_or_default();
            match found(&before, key.as_ref()) {
                TailFinding::Ends { head, torn } if torn.is_empty() => {
                    Ok(go_on(head, key, ",\"why\":\"restarted\""))
                }
                TailFinding::Ends { .. } | TailFinding::Nothing | TailFinding::Strange => {
                    begin(key)
                }
            }
        }
        TailFinding::Strange => {
            file.rotate(keep)?;
            begin(key)
        }
    }
}

/// Fields of a line that goes on with a chain.
pub fn with_key(key: Option<&ChainKey>, fields: &str) -> String {
    let key_id = key.map(|key| format!(",\"key_id\":\"{}\"", key.id()));
    format!("{}{fields}", key_id.unwrap_or_default())
}

fn go_on(head: ChainHead, key: Option<ChainKey>, fields: &str) -> BegunChain {
    BegunChain {
        fields: with_key(key.as_ref(), fields),
        chain: AuditChain::after(head, key),
        event: "chain_continued",
    }
}

/// A new chain, with a name that no other has: lines of two cannot be mixed.
///
/// # Errors
/// The system gives no random bytes for its name.
pub fn begin(key: Option<ChainKey>) -> io::Result<BegunChain> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| io::Error::other(error.to_string()))?;
    let mut fields = String::from(",\"chain\":\"");
    hex::push(&mut fields, &id);
    fields.push('"');
    Ok(BegunChain {
        fields: with_key(key.as_ref(), &fields),
        chain: AuditChain::after(ChainHead::GENESIS, key),
        event: "chain_began",
    })
}

fn found(tail: &FileTail, key: Option<&ChainKey>) -> TailFinding {
    if tail.whole.is_empty() && tail.torn.is_empty() && !tail.beyond {
        return TailFinding::Nothing;
    }
    let head = |line| ChainLink::of(line).and_then(|link| link.verified_head(key));
    // Only its newline may be missing.
    if let Some(head) = head(&tail.torn) {
        let torn = Vec::new();
        return TailFinding::Ends { head, torn };
    }
    match head(&tail.whole) {
        Some(head) => TailFinding::Ends {
            head,
            torn: tail.torn.clone(),
        },
        None => TailFinding::Strange,
    }
}

fn ends_with_newline(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

impl FileTail {
    /// Reads the end of a file; a file that is not there is empty.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        let size = file.metadata()?.len();
        let from = size.saturating_sub(2 * AUDIT_LINE_BYTES_MAX);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(2 * AUDIT_LINE_BYTES_MAX)
            .read_to_end(&mut bytes)?;
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let (whole, torn) = match end {
            Some(end) => {
                let (before, behind) = bytes.split_at_checked(end).unwrap_or_default();
                let start = before.iter().rposition(|byte| *byte == b'\n');
                let whole = before.get(start.map_or(0, |start| start + 1)..);
                (
                    whole.unwrap_or_default(),
                    behind.get(1..).unwrap_or_default(),
                )
            }
            None => (&[][..], bytes.as_slice()),
        };
        Ok(Self {
            whole: whole.to_vec(),
            torn: torn.to_vec(),
            beyond: size > 0 && whole.is_empty() && torn.is_empty(),
        })
    }
}
