//! What each rule says of itself: the head of its file, for whoever was refused by it, or the
//! sentence of its row where it is about no statement and has no file.

use crate::Rule;

/// The head of a rule's file, or the sentence of its row in that form.
macro_rules! source {
    ($name:ident) => {
        include_str!(concat!(stringify!($name), ".rs"))
    };
    ($name:ident $sentence:literal) => {
        concat!("//! `", stringify!($name), "`: ", $sentence)
    };
}

macro_rules! sources {
    ($($part:ident {
        $($rule:ident $name:ident $step:tt $code:ident $($sentence:literal)?;)+
    })+) => {
        /// A text that begins with what a rule sees and why, as head comment of a file.
        pub(super) const fn source(rule: Rule) -> &'static str {
            match rule {
                $($(Rule::$rule => source!($name $($sentence)?),)+)+
            }
        }
    };
}

ground::rules!(sources);

/// What a rule sees, why, an example before and after it, and when it does not apply; a heading
/// and a paragraph in turn.
pub fn lines(rule: Rule) -> Vec<&'static str> {
    let lines = source(rule).lines();
    let lines = lines.map_while(|line| line.strip_prefix("//!"));
    let plain = |line: &'static str| {
        let line = line.strip_prefix(' ').unwrap_or(line);
        line.strip_prefix("# ").unwrap_or(line)
    };
    lines.map(plain).collect()
}
