//! A name in another case than the catalog has it.

use std::ops::Range;

use crate::Confidence;
use crate::names::context::{NameRepairContext, spelled};
use crate::names::name_repair::NameFix;

/// The last part of a reference, in the case in which it exists.
pub(crate) fn case_fix(
    name_context: &NameRepairContext<'_>,
    part: &Range<usize>,
    name: &str,
) -> NameFix {
    let right = spelled(None, name);
    let change = format!(
        "{} is written as the catalog spells it, {right}",
        name_context.text(part)
    );
    NameFix::name(Confidence::Exact, part.clone(), right, change, name)
}
