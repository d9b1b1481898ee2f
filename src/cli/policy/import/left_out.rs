//! What of a manifest is not carried over, and why.

use crate::cli::complain;

/// All of it, a line each.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// What, and why.
    pub(super) lines: Vec<String>,
}

impl LeftOut {
    /// Adds a thing with the reason. Both may hold anything: one line of them is shown.
    pub(super) fn add(&mut self, what: &str, why: &str) {
        let line = format!("{what}: {why}");
        let plain = line
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter });
        let mut line: String = plain.take(LETTERS_MAX + 1).collect();
        if line.chars().count() > LETTERS_MAX {
            line.pop();
            line.push('…');
        }
        self.lines.push(line);
    }

    /// Says it.
    pub(super) fn print(&self) {
        for line in &self.lines {
            complain(format_args!("left out: {line}"));
        }
        match self.lines.len() {
            0 => complain(format_args!("nothing is left out")),
            count => complain(format_args!("{count} left out")),
        }
    }
}

/// Letters of a line: enough for an id and a sentence.
const LETTERS_MAX: usize = 400;
