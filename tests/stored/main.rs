//! What stored queries and expressions of real servers name, and what a snapshot of theirs hides.

#[cfg(test)]
mod contrib;
#[cfg(test)]
mod extensions;
#[cfg(test)]
mod planned;
#[cfg(test)]
mod references;
#[cfg(test)]
mod seen;
#[cfg(test)]
#[path = "../snapshot/support.rs"]
#[expect(dead_code, reason = "the tests of snapshots use more of it")]
mod support;
#[cfg(test)]
mod system_views;
#[cfg(test)]
mod views;
