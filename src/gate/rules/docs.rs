//! What each rule says of itself: the head of its file, for whoever was refused by it, or the
//! sentence of its row where it is about no statement and has no file.

use crate::gate::Rule;

/// What a rule sees, why, an example before and after it, and when it does not apply; a heading
/// and a paragraph in turn.
pub fn lines(rule: Rule) -> Vec<&'static str> {
    let lines = rule.source().lines();
    let lines = lines.map_while(|line| line.strip_prefix("//!"));
    let plain = |line: &'static str| {
        let line = line.strip_prefix(' ').unwrap_or(line);
        line.strip_prefix("# ").unwrap_or(line)
    };
    lines.map(plain).collect()
}
