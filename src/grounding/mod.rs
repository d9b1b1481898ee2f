//! Grounding: what a session may read, told for a prompt, by the same catalog and under the same
//! policy that judge its statements. Pure: what a server has to be asked is given to it.
//!
//! * [`facet`]: which kinds of things are told
//! * [`details`]: what is read of a server beside the snapshot; [`source`]: all that a grounding is
//!   made of; `visible`: which relations and columns of it the session may read; [`type_spelling`]:
//!   types as SQL spells them; `hidden_names`: comments that speak of what is hidden
//! * [`document`]: what is told, which nothing that prints can add to; [`assembly`]: makes it, with
//!   `functions`, `statistics` and `known_records`
//! * [`citation`]: the record that the HINT of a failing statement cites; [`failing_names`]: the
//!   names that an error has
//! * [`format`](mod@format): the document as text; [`budget`]: how much of it there is room for
//! * [`retrieval`]: what of the document a question needs; [`told`]: a whole grounding, and how it
//!   is told
//! * [`version`]: the hash of what a grounding shows; [`difference`]: what changed since another
//!
//! What is hidden from the session is left out when the document is made. Where a doubt is left (a
//! comment that has a word of a hidden name, counts of rows of which a part is hidden), the thing
//! is left out.

pub mod assembly;
pub mod budget;
pub mod citation;
pub mod details;
pub mod difference;
pub mod document;
pub mod facet;
pub mod failing_names;
pub mod format;
mod functions;
mod hidden_names;
mod known_records;
pub mod retrieval;
pub mod source;
mod statistics;
#[cfg(test)]
mod tests;
pub mod told;
pub mod type_spelling;
pub mod version;
mod visible;

pub use self::assembly::{UnreadableRelation, ground};
pub use self::details::{CatalogDetails, ColumnSamples, ColumnStatistics, IndexDetail};
pub use self::difference::{EarlierGrounding, GroundingChange};
pub use self::document::{GroundedColumn, GroundedRecord, GroundedRelation, Grounding};
pub use self::facet::{FacetError, GroundingFacet, GroundingFacets};
pub use self::format::GroundingFormat;
pub use self::source::{DescribedColumn, GroundingSource, ModelDescription};
pub use self::told::{BudgetTooSmall, GroundingWish, WholeGrounding};
pub use self::version::GroundingVersion;
