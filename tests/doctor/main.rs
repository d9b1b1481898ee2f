//! The doctor before real servers, old and new: each finding fires where it should and nowhere
//! else, the SQL that is printed mends what it says and takes no reading away, and hostile names
//! change nothing.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod fires;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod printed;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod special;
#[cfg(test)]
mod support;
