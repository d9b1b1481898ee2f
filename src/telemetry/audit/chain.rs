//! The chain that runs through the lines, so that none can be altered, taken out, put in or moved
//! without that being found.
//!
//! Every line ends with three fields, in this order and with nothing behind them:
//!
//! ```text
//! …,"seq":17,"prev":"<64 digits>","seal":"<32 digits>"}
//! ```
//!
//! `seq` counts the lines of the chain from 1. The digest of a line is BLAKE3 over all its bytes
//! up to `,"seal"`, keyed where a key is given. `prev` is the digest of the line before (64 zeros
//! for the first), `seal` the first half of the line's own: it is what the last line of a chain is
//! checked by, for which no next one speaks.
//!
//! Without a key anybody who can write the file can make such a chain anew. With one, nobody
//! without the key can. In either case a tail that was cut off can only be noticed by what was
//! noted elsewhere: number and digest of the last line, the head, are in the log at each rotation
//! and at the end.

use std::fmt;

use super::settings::ChainKey;
use crate::hex;
use crate::telemetry::json_text::push_number;

/// The digest of a line.
pub type LineDigest = [u8; 32];

/// The end of a chain: its last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainHead {
    /// The number of that line; 0 where there is none yet.
    pub seq: u64,
    /// Its digest.
    pub digest: LineDigest,
}

/// What puts lines on a chain.
pub struct AuditChain {
    key: Option<ChainKey>,
    head: ChainHead,
}

/// A line that ends as a line of a chain does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainLink<'l> {
    /// What its digest is taken over.
    pub body: &'l [u8],
    /// Its number.
    pub seq: u64,
    /// The digest of the line before, as it says.
    pub prev: LineDigest,
    /// The first half of its own digest, as it says.
    pub seal: [u8; 16],
}

impl AuditChain {
    /// A chain that goes on behind a line.
    pub fn after(head: ChainHead, key: Option<ChainKey>) -> Self {
        Self { key, head }
    }

    /// The last line.
    pub fn head(&self) -> ChainHead {
        self.head
    }

    /// Appends a line, given as an object without its closing brace.
    pub fn seal(&mut self, open: &str, out: &mut String) {
        let start = out.len();
        let seq = self.head.seq + 1;
        out.push_str(open);
        out.push_str(SEQ);
        push_number(out, seq);
        out.push_str(PREV);
        hex::push(out, &self.head.digest);
        out.push('"');
        let line = out.as_bytes().get(start..).unwrap_or_default();
        let digest = digest(self.key.as_ref(), line);
        out.push_str(SEAL);
        hex::push(out, first_half(&digest));
        out.push_str("\"}\n");
        self.head = ChainHead { seq, digest };
    }
}

impl ChainHead {
    /// Before the first line.
    pub const GENESIS: Self = Self {
        seq: 0,
        digest: [0; 32],
    };

    /// Reads what [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (seq, digits) = text.split_once(':')?;
        let mut digest = [0; 32];
        hex::read_into(digits.as_bytes(), &mut digest)?;
        Some(Self {
            seq: seq.parse().ok()?,
            digest,
        })
    }
}

impl fmt::Display for ChainHead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = String::new();
        hex::push(&mut digits, &self.digest);
        write!(formatter, "{}:{digits}", self.seq)
    }
}

impl<'l> ChainLink<'l> {
    /// Reads the end of a line, given without its newline; none where it is not that of a chain.
    /// Whether what it says is so is [another question](Self::verified_head).
    pub fn of(line: &'l [u8]) -> Option<Self> {
        let rest = line.strip_suffix(b"\"}")?;
        let (rest, seal_digits) = rest.split_at_checked(rest.len().checked_sub(32)?)?;
        let body = rest.strip_suffix(SEAL.as_bytes())?;
        let rest = body.strip_suffix(b"\"")?;
        let (rest, prev_digits) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
        let rest = rest.strip_suffix(PREV.as_bytes())?;
        let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit());
        let (rest, seq) = rest.split_at_checked(rest.len() - digits.count())?;
        rest.strip_suffix(SEQ.as_bytes())?;
        // One number has one spelling.
        if seq.starts_with(b"0") {
            return None;
        }
        let (mut prev, mut seal) = ([0; 32], [0; 16]);
        hex::read_into(prev_digits, &mut prev)?;
        hex::read_into(seal_digits, &mut seal)?;
        let seq = str::from_utf8(seq).ok()?.parse().ok()?;
        // No audit comes there, and there is a number behind every number.
        if seq > SEQ_MAX {
            return None;
        }
        Some(Self {
            body,
            seq,
            prev,
            seal,
        })
    }

    /// The line as the head of its chain, if its seal is right.
    pub fn verified_head(&self, key: Option<&ChainKey>) -> Option<ChainHead> {
        let digest = digest(key, self.body);
        (first_half(&digest) == self.seal).then_some(ChainHead {
            seq: self.seq,
            digest,
        })
    }
}

impl ChainKey {
    /// A short name of the key that gives nothing of it away.
    pub fn id(&self) -> String {
        let derived = blake3::derive_key("pgsieve 2026 audit chain key id", &self.0);
        let mut id = String::new();
        hex::push(&mut id, derived.get(..4).unwrap_or_default());
        id
    }
}

/// BLAKE3, keyed where there is a key.
fn digest(key: Option<&ChainKey>, bytes: &[u8]) -> LineDigest {
    let hash = match key {
        Some(key) => blake3::keyed_hash(&key.0, bytes),
        None => blake3::hash(bytes),
    };
    *hash.as_bytes()
}

fn first_half(digest: &LineDigest) -> &[u8] {
    digest.get(..16).unwrap_or_default()
}

/// The highest number that a line is taken for.
const SEQ_MAX: u64 = u64::MAX / 4;

const SEQ: &str = ",\"seq\":";
const PREV: &str = ",\"prev\":\"";
const SEAL: &str = ",\"seal\":\"";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_and_every_byte_of_it_counts() {
        for key in [None, Some(ChainKey([7; 32]))] {
            let mut chain = AuditChain::after(ChainHead::GENESIS, key);
            let mut out = String::new();
            chain.seal("{\"v\":2", &mut out);
            chain.seal("{\"v\":2,\"a\":\"ß\"", &mut out);
            let lines: Vec<&str> = out.lines().collect();
            let first = ChainLink::of(lines[0].as_bytes()).unwrap();
            let second = ChainLink::of(lines[1].as_bytes()).unwrap();
            let head = first.verified_head(key.as_ref()).unwrap();
            assert_eq!((first.seq, first.prev), (1, [0; 32]));
            assert_eq!((second.seq, second.prev), (2, head.digest));
            assert_eq!(second.verified_head(key.as_ref()), Some(chain.head()));
            assert_eq!(
                ChainHead::parse(&chain.head().to_string()),
                Some(chain.head())
            );
            assert!(second.verified_head(Some(&ChainKey([8; 32]))).is_none());
            for place in 0..lines[1].len() {
                for flip in [1, 0x20, 0x80] {
                    let mut bytes = lines[1].as_bytes().to_vec();
                    bytes[place] ^= flip;
                    let held =
                        ChainLink::of(&bytes).and_then(|link| link.verified_head(key.as_ref()));
                    assert!(held.is_none(), "{place}");
                }
            }
        }
    }

    #[test]
    fn every_byte_has_its_two_digits() {
        let all: Vec<u8> = (0..=255).chain([0xa0, 9, 0x9a]).collect();
        for length in [0, 1, 4, 7, 16, 32, 33, 64, all.len()] {
            let bytes = &all[all.len() - length..];
            let mut digits = String::new();
            hex::push(&mut digits, bytes);
            let usual: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digits, usual);
            let mut back = vec![0; length];
            assert_eq!(hex::read_into(digits.as_bytes(), &mut back), Some(()));
            assert_eq!(back, bytes);
        }
    }

    #[test]
    fn what_is_not_of_a_chain_is_not_taken_for_one() {
        for line in [
            "",
            "}",
            "{}",
            "\"}",
            ",\"seal\":\"\"}",
            "{\"v\":1,\"seq\":1}",
        ] {
            assert!(ChainLink::of(line.as_bytes()).is_none(), "{line}");
        }
        assert!(ChainHead::parse("1:00").is_none() && ChainHead::parse("x").is_none());
    }
}
