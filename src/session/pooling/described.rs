//! What a client is told of its prepared statements. Drivers ask once and go by that from then on:
//! what is prepared again on another connection must be what they were told, or they would misread
//! it. Where it is not, they hear what a server says whose table has changed.

use std::collections::{BTreeMap, VecDeque};

use crate::upstream::pool::description::{Description, digest_of_columns, digest_of_parameters};
use crate::upstream::pool::prepared_names::UpstreamName;

/// What is asked and told.
#[derive(Default)]
pub struct Descriptions {
    /// What Describe messages under way ask about; none where that is not followed.
    asked: VecDeque<Option<UpstreamName>>,
    /// What portals were made of.
    portals: BTreeMap<Box<str>, UpstreamName>,
    /// What was told so far of the first that is asked about.
    so_far: Description,
    check: Option<DescriptionCheck>,
}

/// A statement that was prepared again and is being described, for nobody but pgsieve.
struct DescriptionCheck {
    name: Box<str>,
    upstream: UpstreamName,
    found: Description,
}

/// A message that describes.
#[derive(Debug, Clone, Copy)]
pub enum DescribedPart<'b> {
    /// ParameterDescription.
    Parameters(&'b [u8]),
    /// RowDescription, or NoData.
    Columns(Option<&'b [u8]>),
}

impl<'b> DescribedPart<'b> {
    /// By the type byte of the message.
    pub(in crate::session) fn of(kind: u8, body: &'b [u8]) -> Self {
        match kind {
            b't' => Self::Parameters(body),
            b'T' => Self::Columns(Some(body)),
            _ => Self::Columns(None),
        }
    }

    fn put_into(self, description: &mut Description) {
        match self {
            Self::Parameters(body) => description.parameters = Some(digest_of_parameters(body)),
            Self::Columns(body) => description.columns = Some(digest_of_columns(body)),
        }
    }
}

impl Descriptions {
    /// A Describe of that is sent.
    pub(super) fn asked(&mut self, upstream: Option<UpstreamName>) {
        self.asked.push_back(upstream);
    }

    /// A Describe of a portal is sent.
    pub(in crate::session) fn portal_asked(&mut self, portal: &str) {
        let upstream = self.portals.get(portal).copied();
        self.asked.push_back(upstream);
    }

    /// A Describe was skipped, or has failed.
    pub(in crate::session) fn not_told(&mut self) {
        self.asked.pop_front();
        self.so_far = Description::default();
    }

    /// A Bind makes a portal of that; of none, the portal is closed.
    pub(in crate::session) fn bind_sent(&mut self, portal: &str, upstream: Option<UpstreamName>) {
        match upstream {
            Some(upstream) => self.portals.insert(portal.into(), upstream),
            None => self.portals.remove(portal),
        };
    }

    /// The transaction is over, or the session has another connection, or none: there are no
    /// portals.
    pub(in crate::session) fn portals_are_gone(&mut self) {
        self.portals.clear();
    }

    /// A part of an answer. Hands out the whole when it is there, of a statement that is followed.
    pub(super) fn told(&mut self, part: DescribedPart<'_>) -> Option<(UpstreamName, Description)> {
        part.put_into(&mut self.so_far);
        if let DescribedPart::Parameters(_) = part {
            return None;
        }
        let told = std::mem::take(&mut self.so_far);
        let upstream = self.asked.pop_front().flatten()?;
        Some((upstream, told))
    }

    /// The client's statement of this name was prepared again: what it is now is asked.
    pub(super) fn check(&mut self, name: &str, upstream: UpstreamName) {
        self.check = Some(DescriptionCheck {
            name: name.into(),
            upstream,
            found: Description::default(),
        });
    }

    /// Whether that is being asked.
    pub(super) fn is_checking(&self) -> bool {
        self.check.is_some()
    }

    /// That was skipped, or has failed.
    pub(super) fn check_is_over(&mut self) {
        self.check = None;
    }

    /// A part of the answer. Hands out the whole when it is there.
    pub(super) fn checked(
        &mut self,
        part: DescribedPart<'_>,
    ) -> Option<(Box<str>, UpstreamName, Description)> {
        part.put_into(&mut self.check.as_mut()?.found);
        if let DescribedPart::Parameters(_) = part {
            return None;
        }
        let check = self.check.take()?;
        Some((check.name, check.upstream, check.found))
    }
}
