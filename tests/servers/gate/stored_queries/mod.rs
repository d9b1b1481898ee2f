//! What stored queries and expressions of real servers name, and what a snapshot of theirs hides.

mod contrib;
mod extensions;
mod planned;
mod references;
mod seen;
mod system_views;
mod views;
