//! The doctor before real servers, old and new: each finding fires where it should and nowhere
//! else, the SQL that is printed mends what it says and takes no reading away, and hostile names
//! change nothing.

mod cases;
mod failures;
mod fires;
mod hostile;
mod lookup;
mod printed;
mod settings;
mod special;
mod support;
