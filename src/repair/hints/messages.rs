//! What the words of a server call for, by SQLSTATE.
//!
//! The rows stand in `messages.txt`. A row has the words as PostgreSQL's `src/backend` has them,
//! with `{}` for what differs, and a sentence in which `{0}` stands for the first of those. The
//! last row of a code has no words: it holds for all messages of the code, in any language.
//!
//! <https://www.postgresql.org/docs/current/errcodes-appendix.html>

/// What one message calls for.
struct HintRow {
    /// The code.
    sqlstate: &'static str,
    /// The words, with `{}` for what differs; none for all that have the code.
    message: &'static str,
    /// What to do.
    advice: &'static str,
}

/// What to do about an error, if anything is known.
pub fn advice(sqlstate: &str, message: &str) -> Option<String> {
    let mut rows = rows().filter(|row| row.sqlstate == sqlstate);
    rows.find_map(|row| row.advice(message))
}

/// The codes that something is known of, each once, in the order of the table.
pub fn sqlstates() -> Vec<&'static str> {
    let mut codes: Vec<&'static str> = rows().map(|row| row.sqlstate).collect();
    codes.dedup();
    codes
}

impl HintRow {
    fn advice(&self, message: &str) -> Option<String> {
        if self.message.is_empty() {
            return Some(self.advice.to_owned());
        }
        let parts = captured(self.message, message)?;
        let mut advice = self.advice.to_owned();
        for (number, part) in parts.iter().enumerate() {
            advice = advice.replace(&format!("{{{number}}}"), part);
        }
        Some(advice)
    }
}

fn rows() -> impl Iterator<Item = HintRow> {
    let lines = include_str!("messages.txt").lines();
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut parts = line.splitn(3, '\t');
        Some(HintRow {
            sqlstate: parts.next()?,
            message: parts.next()?,
            advice: parts.next()?,
        })
    })
}

/// What stands in a message at the places of a pattern; none where it is another message. The last
/// place takes what is left.
fn captured<'m>(pattern: &str, message: &'m str) -> Option<Vec<&'m str>> {
    let mut pieces = pattern.split("{}");
    let mut rest = message.strip_prefix(pieces.next()?)?;
    let mut found = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let end = match (piece.is_empty(), pieces.peek().is_none()) {
            (true, true) => rest.len(),
            (false, true) => rest
                .len()
                .checked_sub(piece.len())
                .filter(|_| rest.ends_with(piece))?,
            (_, false) => rest.find(piece)?,
        };
        let (part, behind) = rest.split_at(end);
        if part.is_empty() {
            return None;
        }
        found.push(part);
        rest = behind.strip_prefix(piece)?;
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ground::limits::HINT_CHARACTERS_MAX;

    #[test]
    fn messages_are_taken_apart() {
        let taken = |pattern, message| captured(pattern, message);
        assert_eq!(taken("a {} b {}", "a x y b z"), Some(vec!["x y", "z"]));
        assert_eq!(taken("{} is", "x is"), Some(vec!["x"]));
        assert_eq!(taken("{} is", " is"), None);
        assert_eq!(taken("all", "all"), Some(vec![]));
        assert_eq!(taken("all", "all of it"), None);
        assert_eq!(taken("ü{}ö", "üéö"), Some(vec!["é"]));
    }

    #[test]
    fn rows_are_in_order_and_the_last_of_a_code_holds_for_all() {
        let mut seen: Vec<&str> = Vec::new();
        let all: Vec<HintRow> = rows().collect();
        for pair in all.windows(2) {
            let [row, next] = pair else { continue };
            assert_eq!(
                row.message.is_empty(),
                row.sqlstate != next.sqlstate,
                "{}",
                next.message
            );
            if row.sqlstate != next.sqlstate {
                assert!(!seen.contains(&next.sqlstate), "{} twice", next.sqlstate);
                seen.push(row.sqlstate);
            }
        }
        for row in all {
            let length = row.advice.chars().count();
            assert!(
                length < HINT_CHARACTERS_MAX && row.advice.ends_with('.'),
                "{}",
                row.advice
            );
            let places = row.message.matches("{}").count();
            for number in places..4 {
                assert!(
                    !row.advice.contains(&format!("{{{number}}}")),
                    "{}",
                    row.advice
                );
            }
        }
    }
}
