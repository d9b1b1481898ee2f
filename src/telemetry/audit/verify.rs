//! Whether an audit is whole: every line as it was written, none missing, none put in, all in their
//! order, over one file or several.
//!
//! Files are read once, line by line; what is remembered of them is a handful of numbers, some gaps
//! and the first faults. All files of one question hold one chain. Oldest files may be missing:
//! they are put away in time. Nothing of a line is ever shown.

use std::io::{self, BufRead, Read};

use super::chain::{ChainHead, ChainLink};
use super::settings::ChainKey;
use crate::hex;
use crate::limits::{AUDIT_FAULTS_TOLD_MAX, AUDIT_GAPS_MAX, AUDIT_LINE_BYTES_MAX};

/// What is found out, file by file.
pub struct ChainVerifier {
    key: Option<ChainKey>,
    /// A line whose digest is known from elsewhere.
    expected: Option<ChainHead>,
    expectation: ExpectedHead,
    /// The highest line so far.
    last: Option<HighestLine>,
    /// The first line of all.
    first: Option<ChainHead>,
    /// Lines that were passed over, in case they come later.
    gaps: Vec<SequenceGap>,
    /// A line that is none of the chain: what comes next says whether a crash has left it.
    torn: Option<TornLine>,
    /// Lines that are none of the chain, since the last that is.
    strangers: u64,
    findings: ChainFindings,
    place: LinePlace,
    /// The file before this one, if nothing was in it.
    emptied: Option<LinePlace>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainFindings {
    /// Lines that are in place.
    pub lines: u64,
    /// The first faults, in the order in which they were seen.
    pub faults: Vec<ChainFault>,
    /// All faults.
    pub faults_total: u64,
    /// Crashes that left half a line, which the chain speaks of.
    pub crashes: u64,
    /// Lines that the audit itself says it had to drop.
    pub dropped: u64,
    /// Lines that belong to a chain with a key, as they say.
    pub keyed: u64,
    /// Lines that belong to one without.
    pub unkeyed: u64,
    /// The same file by file, in the order in which they were read.
    pub files: Vec<FileFindings>,
}

/// What was found in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFindings {
    /// The numbers of its lowest and its highest line that holds.
    pub numbers: Option<(u64, u64)>,
    /// Its faults.
    pub faults: u64,
}

/// One fault and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainFault {
    /// The file, counted from 0 in the order in which they were read.
    pub file: usize,
    /// The line in that file, counted from 1.
    pub line: u64,
    /// What it is.
    pub kind: FaultKind,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The line is not as it was written, or no line of an audit.
    Altered,
    /// Lines that should stand before this one are nowhere.
    Missing {
        /// The first of them.
        from: u64,
        /// The last.
        to: u64,
    },
    /// The line stands in another place than it was written to.
    Reordered {
        /// Its number.
        seq: u64,
    },
    /// The line is there before.
    Duplicated {
        /// Its number.
        seq: u64,
    },
    /// The line is sound in itself and does not follow the one before: it is of another chain, or
    /// the one before was exchanged.
    Foreign {
        /// Its number.
        seq: u64,
    },
    /// Another chain begins here.
    AnotherChain,
    /// The first line of all is not what a file begins with: lines before it are missing.
    Headless,
    /// There is nothing in a file that was put aside.
    Emptied,
    /// The line has no end.
    Torn,
    /// Half a line that a crash had left, as this one says, is not there.
    HalfMissing,
    /// The line that was expected by its number has another digest than was expected.
    NotAsExpected,
    /// The line that was expected by its number is not there.
    CutOff {
        /// Its number.
        seq: u64,
    },
}

/// Where the reading is.
#[derive(Clone, Copy, Default)]
struct LinePlace {
    file: usize,
    line: u64,
}

/// The highest line so far. Without its digest when it was altered.
#[derive(Clone, Copy)]
struct HighestLine {
    seq: u64,
    digest: Option<super::chain::LineDigest>,
}

/// Lines that were passed over.
struct SequenceGap {
    from: u64,
    to: u64,
    place: LinePlace,
}

/// Half a line, perhaps.
struct TornLine {
    bytes: usize,
    digest: super::chain::LineDigest,
    place: LinePlace,
}

/// What became of the line that is known from elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedHead {
    Open,
    Met,
}

impl ChainVerifier {
    /// Nothing is read yet. `expected` is a line whose digest was noted elsewhere.
    pub fn new(key: Option<ChainKey>, expected: Option<ChainHead>) -> Self {
        Self {
            key,
            expected,
            expectation: ExpectedHead::Open,
            last: None,
            first: None,
            gaps: Vec::new(),
            torn: None,
            strangers: 0,
            findings: ChainFindings::default(),
            place: LinePlace::default(),
            emptied: None,
        }
    }

    /// Reads a file; they are given oldest first. Where one ends in the middle of a line, `more` is
    /// asked whether to read on, since somebody may be writing.
    ///
    /// # Errors
    /// The input's.
    pub fn read(
        &mut self,
        mut input: impl BufRead,
        mut more: impl FnMut() -> bool,
    ) -> io::Result<()> {
        if let Some(place) = self.emptied.take() {
            self.fault(FaultKind::Emptied, place);
        }
        self.findings.files.push(FileFindings::default());
        let mut line = Vec::new();
        loop {
            let mut bounded = input.by_ref().take(AUDIT_LINE_BYTES_MAX);
            let read = bounded.read_until(b'\n', &mut line)?;
            let is_cut = bounded.limit() == 0;
            if line.last() == Some(&b'\n') {
                line.pop();
                self.place.line += 1;
                self.line(&line);
                line.clear();
            } else if is_cut || line.len() > LINE_BYTES_MAX {
                self.place.line += 1;
                self.stranger(None);
                line.clear();
                skip_line(&mut input)?;
            } else if read == 0 && (line.is_empty() || !more()) {
                break;
            }
        }
        if !line.is_empty() {
            self.place.line += 1;
            self.settle_torn();
            self.fault(FaultKind::Torn, self.place);
            self.strangers += 1;
        }
        // The newest may have been begun just now; no other was ever put aside empty.
        self.emptied = (self.place.line == 0).then_some(LinePlace {
            line: 1,
            ..self.place
        });
        self.place = LinePlace {
            file: self.place.file + 1,
            line: 0,
        };
        Ok(())
    }

    /// What was found, and the head of the chain. Everything has been read.
    pub fn finish(mut self) -> (ChainFindings, Option<u64>, Option<ChainHead>) {
        self.settle_torn();
        for gap in std::mem::take(&mut self.gaps) {
            let (from, to) = (gap.from, gap.to);
            self.fault(FaultKind::Missing { from, to }, gap.place);
        }
        if let (Some(expected), ExpectedHead::Open) = (self.expected, self.expectation)
            && expected.seq > 0
        {
            let seq = expected.seq;
            self.fault(FaultKind::CutOff { seq }, self.place);
        }
        let head = self.last.and_then(|last| {
            let (seq, digest) = (last.seq, last.digest?);
            Some(ChainHead { seq, digest })
        });
        (self.findings, self.first.map(|first| first.seq), head)
    }

    fn line(&mut self, line: &[u8]) {
        let Some(link) = ChainLink::of(line) else {
            return self.stranger(Some(line));
        };
        let Some(head) = link.verified_head(self.key.as_ref()) else {
            self.note_kind(line);
            return self.stranger(None);
        };
        self.note_kind(line);
        if has_event(line, b"\"event\":\"lines_lost\"") {
            let told = serde_json::from_slice::<ChainEvent>(line).unwrap_or_default();
            let lines = told.lines.unwrap_or(0);
            self.findings.dropped = self.findings.dropped.saturating_add(lines);
        }
        self.note_torn(line, &link);
        self.strangers_before(&link);
        self.findings.lines += 1;
        if let Some(file) = self.findings.files.last_mut() {
            let (low, high) = file.numbers.unwrap_or((head.seq, head.seq));
            file.numbers = Some((low.min(head.seq), high.max(head.seq)));
        }
        self.expect(head);
        self.take(&link, head);
    }

    /// Where a sound line stands among the others.
    fn take(&mut self, link: &ChainLink<'_>, head: ChainHead) {
        let seq = head.seq;
        let last = HighestLine {
            seq,
            digest: Some(head.digest),
        };
        let Some(before) = self.last else {
            self.first = Some(head);
            self.last = Some(last);
            if seq == 1 && link.prev != ChainHead::GENESIS.digest {
                self.fault(FaultKind::Foreign { seq }, self.place);
            }
            // Every file begins with a line about the chain.
            if !begins_file(link.body) {
                self.fault(FaultKind::Headless, self.place);
            }
            return;
        };
        if seq <= before.seq {
            return self.late(head, link);
        }
        let follows = seq == before.seq + 1;
        if follows && before.digest.is_some_and(|digest| digest != link.prev) {
            self.fault(FaultKind::Foreign { seq }, self.place);
        }
        if !follows {
            self.gap(before.seq + 1, seq - 1);
        }
        self.last = Some(last);
    }

    /// A line with a number that is over.
    fn late(&mut self, head: ChainHead, link: &ChainLink<'_>) {
        let seq = head.seq;
        let begins = seq == 1 && link.prev == ChainHead::GENESIS.digest;
        if begins && self.first.is_none_or(|first| first != head) {
            self.last = Some(HighestLine {
                seq,
                digest: Some(head.digest),
            });
            return self.fault(FaultKind::AnotherChain, self.place);
        }
        let found = self
            .gaps
            .iter()
            .position(|gap| gap.from <= seq && seq <= gap.to);
        let Some(gap) = found.map(|place| self.gaps.swap_remove(place)) else {
            let what = match self.first {
                Some(first) if seq < first.seq => FaultKind::Reordered { seq },
                _ => FaultKind::Duplicated { seq },
            };
            return self.fault(what, self.place);
        };
        for (from, to) in [(gap.from, seq - 1), (seq + 1, gap.to)] {
            if from <= to {
                let place = gap.place;
                self.gaps.push(SequenceGap { from, to, place });
            }
        }
        self.fault(FaultKind::Reordered { seq }, self.place);
    }

    fn gap(&mut self, from: u64, to: u64) {
        if self.gaps.len() < AUDIT_GAPS_MAX {
            let place = self.place;
            self.gaps.push(SequenceGap { from, to, place });
        } else {
            self.fault(FaultKind::Missing { from, to }, self.place);
        }
    }

    /// A line that is none of the chain. Half of one, from a crash, is spoken of by the next line.
    fn stranger(&mut self, line: Option<&[u8]>) {
        self.settle_torn();
        match line {
            Some(line) => {
                self.torn = Some(TornLine {
                    bytes: line.len(),
                    digest: *blake3::hash(line).as_bytes(),
                    place: self.place,
                });
            }
            None => {
                self.fault(FaultKind::Altered, self.place);
                self.strangers += 1;
            }
        }
    }

    /// No line spoke of it: it is a line that was altered, or put in.
    fn settle_torn(&mut self) {
        if let Some(torn) = self.torn.take() {
            self.fault(FaultKind::Altered, torn.place);
            self.strangers += 1;
        }
    }

    fn note_torn(&mut self, line: &[u8], link: &ChainLink<'_>) {
        if self.torn.is_none() && !begins_file(line) {
            return;
        }
        let told = serde_json::from_slice::<ChainEvent>(line).unwrap_or_default();
        let Some(torn) = &self.torn else {
            // In front of the oldest line there may be a file that was put away.
            if told.torn.is_some() && self.last.is_some() {
                self.fault(FaultKind::HalfMissing, self.place);
            }
            return;
        };
        let mut digits = String::new();
        hex::push(&mut digits, &torn.digest);
        let is_next = self
            .last
            .is_none_or(|last| last.seq + 1 == link.seq && last.digest == Some(link.prev));
        let speaks = told.event == "chain_continued"
            && told.torn_bytes == u64::try_from(torn.bytes).ok()
            && told.torn.as_ref().is_some_and(|told| *told == digits);
        if speaks && is_next {
            self.torn = None;
            self.findings.crashes += 1;
        } else {
            self.settle_torn();
        }
    }

    /// Altered lines stand for as many that seem to be missing.
    fn strangers_before(&mut self, link: &ChainLink<'_>) {
        let strangers = std::mem::take(&mut self.strangers);
        let Some(last) = &mut self.last else { return };
        let missing = link.seq.saturating_sub(last.seq + 1);
        let replaced = strangers.min(missing);
        if replaced > 0 {
            *last = HighestLine {
                seq: last.seq + replaced,
                digest: None,
            };
        }
    }

    fn expect(&mut self, head: ChainHead) {
        if let Some(expected) = self.expected
            && expected.seq == head.seq
            && self.expectation == ExpectedHead::Open
        {
            self.expectation = ExpectedHead::Met;
            if expected != head {
                self.fault(FaultKind::NotAsExpected, self.place);
            }
        }
    }

    /// Lines about the chain say whether it has a key.
    fn note_kind(&mut self, line: &[u8]) {
        if !begins_file(line) {
            return;
        }
        let told = serde_json::from_slice::<ChainEvent>(line).unwrap_or_default();
        if told.key_id.is_some() {
            self.findings.keyed += 1;
        } else {
            self.findings.unkeyed += 1;
        }
    }

    fn fault(&mut self, what: FaultKind, place: LinePlace) {
        self.findings.faults_total += 1;
        if let Some(file) = self.findings.files.get_mut(place.file) {
            file.faults += 1;
        }
        if self.findings.faults.len() < AUDIT_FAULTS_TOLD_MAX {
            self.findings.faults.push(ChainFault {
                file: place.file,
                line: place.line,
                kind: what,
            });
        }
    }
}

/// What a line about the chain itself says.
#[derive(Default, serde::Deserialize)]
struct ChainEvent {
    #[serde(default)]
    event: String,
    torn_bytes: Option<u64>,
    torn: Option<String>,
    key_id: Option<String>,
    lines: Option<u64>,
}

/// Whether it is a line about the chain, as every file begins with.
fn begins_file(line: &[u8]) -> bool {
    has_event(line, b"\"event\":\"chain_")
}

fn has_event(line: &[u8], event: &[u8]) -> bool {
    let start = line.get(..ABOUT_BYTES.min(line.len())).unwrap_or_default();
    start.windows(event.len()).any(|part| part == event)
}

/// Reads over the rest of a line that is too long, in pieces.
///
/// # Errors
/// The input cannot be read.
pub fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let ahead = input.fill_buf()?;
        let (length, ended) = match ahead.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (ahead.len(), ahead.is_empty()),
        };
        input.consume(length);
        if ended {
            return Ok(());
        }
    }
}

/// Bytes of a line in which its event stands.
const ABOUT_BYTES: usize = 80;

/// [`AUDIT_LINE_BYTES_MAX`], of what is in memory.
const LINE_BYTES_MAX: usize = 1 << 20;
