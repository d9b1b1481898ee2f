//! A text that runs in the place of the one that was judged first: its models are put in.

use std::ops::Range;

use catalog::Oid;

/// The text with the SELECT of each model where its name stood.
#[derive(Clone, PartialEq, Eq)]
pub struct RewrittenText {
    /// What runs.
    pub text: Box<str>,
    /// What was put in, in the order of the text.
    pub spans: Box<[InsertedSpan]>,
    /// The types that parameters have there by what was put in, by their numbers.
    pub parameter_types: Box<[(u32, Oid)]>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertedSpan {
    /// The bytes of the client's text that it stands for.
    pub from: Range<usize>,
    /// Its bytes in the text that runs.
    pub to: Range<usize>,
    /// Constants of the client's text that stand in it as well.
    pub copies: Box<[CopiedConstant]>,
}

/// A constant that stands in two places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiedConstant {
    /// Its bytes where it was put: in the text that runs, or in what is being put into that.
    pub to: Range<usize>,
    /// Where it begins in the client's text.
    pub from: usize,
}

impl RewrittenText {
    /// The bytes of the client's text that bytes of the changed one stand for: those of a whole
    /// name where they are within what was put in.
    pub fn in_original(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.byte_in_original(span.start, |put| put.from.start);
        let end = self.byte_in_original(span.end, |put| put.from.end);
        start..end
    }

    /// A place in the changed text as one in the client's, both in characters from 1.
    pub fn position_in_original(&self, original: &str, place: u32) -> Option<u32> {
        let before = usize::try_from(place.checked_sub(1)?).ok()?;
        let ends = std::iter::once(self.text.len());
        let mut starts = self.text.char_indices().map(|(at, _)| at).chain(ends);
        let byte = starts.nth(before)?;
        let at = self.byte_in_original(byte, |put| {
            let copied = put.copies.iter().find(|copied| copied.to.contains(&byte));
            copied.map_or(put.from.start, |copied| copied.from)
        });
        let characters = original.get(..at)?.chars().count();
        u32::try_from(characters).ok()?.checked_add(1)
    }

    fn byte_in_original(&self, at: usize, inside: impl Fn(&InsertedSpan) -> usize) -> usize {
        let before = self.spans.partition_point(|put| put.to.end <= at);
        if let Some(put) = self.spans.get(before)
            && put.to.start < at
        {
            return inside(put);
        }
        match before.checked_sub(1).and_then(|last| self.spans.get(last)) {
            Some(put) => put.from.end.saturating_add(at.saturating_sub(put.to.end)),
            None => at,
        }
    }
}

impl std::fmt::Debug for RewrittenText {
    /// Without the text.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Instead({} spans)", self.spans.len())
    }
}
