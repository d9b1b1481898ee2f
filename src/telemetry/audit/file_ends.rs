//! The first and the last line of a file, which say what chain is in it, where it stands there, and
//! which copy wrote it. Whether anything in between holds is another question, of
//! [`verify`](super::verify).

use std::io::{self, BufRead};
use std::path::Path;

use super::chain::{ChainHead, ChainLink, LineDigest};
use super::chain_resume::FileTail;
use super::settings::ChainKey;
use crate::limits::AUDIT_LINE_BYTES_MAX;
use crate::telemetry::session_info::cleaned;

/// What a line says of its place, and of who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineOrigin {
    /// Its number.
    pub seq: u64,
    /// The digest of the line before, as it says.
    pub prev: LineDigest,
    /// The copy that wrote it, fit to be shown; none in lines of before they named one.
    pub copy: Option<String>,
}

/// The field that matters here.
#[derive(Default, serde::Deserialize)]
struct CopyField {
    copy: Option<String>,
}

impl LineOrigin {
    /// The first line of a chain in a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn first_in(mut input: impl BufRead) -> io::Result<Option<Self>> {
        let mut line = Vec::new();
        for _ in 0..FIRST_LINES_MAX {
            line.clear();
            let mut bounded = io::Read::take(&mut input, AUDIT_LINE_BYTES_MAX);
            if bounded.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            if let Some(link) = ChainLink::of(&line) {
                return Ok(Some(Self::of(&line, &link)));
            }
        }
        Ok(None)
    }

    /// Whether a chain begins with it.
    pub fn begins(&self) -> bool {
        self.seq == 1 && self.prev == ChainHead::GENESIS.digest
    }

    fn of(line: &[u8], link: &ChainLink<'_>) -> Self {
        let field: CopyField = serde_json::from_slice(line).unwrap_or_default();
        Self {
            seq: link.seq,
            prev: link.prev,
            copy: field.copy.map(|copy| cleaned(&copy)),
        }
    }
}

/// The last line of a file as the head of its chain, and the copy that wrote it; none where it is
/// no line that holds.
///
/// # Errors
/// The file cannot be read.
pub fn last_in(
    path: &Path,
    key: Option<&ChainKey>,
) -> io::Result<Option<(ChainHead, Option<String>)>> {
    let tail = FileTail::read(path)?;
    let found = [&tail.torn, &tail.whole].into_iter().find_map(|line| {
        let link = ChainLink::of(line)?;
        let head = link.verified_head(key)?;
        Some((head, LineOrigin::of(line, &link).copy))
    });
    Ok(found)
}

/// Lines at the beginning of a file that are looked at for its first number.
const FIRST_LINES_MAX: usize = 1000;
