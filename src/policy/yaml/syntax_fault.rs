//! What is wrong with a text that is no YAML: told from the line as it is written, for whoever
//! wrote it. What the library says of it is only asked for its kind, and never shown.
//!
//! Shows keys and patterns of names, never values: they may be secrets.

/// A mistake, and where it is.
pub(crate) struct YamlFault {
    /// Line and column, counted from one.
    pub place: (u64, u64),
    /// What is wrong, and what would be right.
    pub what: String,
}

/// The mistake in a text that the library has stopped reading at a place.
pub(crate) fn fault(text: &str, place: (u64, u64), said: &str) -> YamlFault {
    let lines: Vec<&str> = text.lines().collect();
    let at = usize::try_from(place.0).map_or(0, |line| line.saturating_sub(1));
    let at = at.min(lines.len().saturating_sub(1));
    let page = YamlPage { lines, at, place };
    let found = page
        .second_document(said)
        .or_else(|| page.twice(said))
        .or_else(|| page.tab())
        .or_else(|| page.unquoted(said))
        .or_else(|| page.behind_quote(said))
        .or_else(|| page.not_closed(said))
        .or_else(|| page.comma(said))
        .or_else(|| page.colon())
        .or_else(|| page.indentation(said));
    found.unwrap_or_else(|| YamlFault {
        place,
        what:
            "the text cannot be gone on with from here: look at its quotes, brackets, colons and \
               indentation"
                .into(),
    })
}

/// A text, and the line that the library has stopped at.
struct YamlPage<'a> {
    lines: Vec<&'a str>,
    at: usize,
    place: (u64, u64),
}

impl<'a> YamlPage<'a> {
    fn line(&self) -> &'a str {
        self.lines.get(self.at).copied().unwrap_or_default()
    }

    /// A fault at a column of a line, both counted from zero.
    fn fault(&self, line: usize, column: usize, what: impl Into<String>) -> Option<YamlFault> {
        let counted = |number: usize| u64::try_from(number).map_or(u64::MAX, |number| number + 1);
        Some(YamlFault {
            place: (counted(line), counted(column)),
            what: what.into(),
        })
    }

    /// `---` in the middle.
    fn second_document(&self, said: &str) -> Option<YamlFault> {
        if !said.contains("multiple") {
            return None;
        }
        let begins = |line: &&str| line.starts_with("---");
        let before = self.lines.get(..=self.at)?;
        let line = before.iter().rposition(begins).unwrap_or(self.at);
        let what = "a second document begins here (---): write a file each";
        self.fault(line, 0, what)
    }

    /// A key that stands there already.
    fn twice(&self, said: &str) -> Option<YamlFault> {
        let (_, rest) = said.split_once("duplicate mapping key: ")?;
        let end = rest.find(|c: char| c == ',' || c.is_whitespace());
        let key = rest.get(..end.unwrap_or(rest.len()))?;
        let what = format!("{key} is given twice; put what belongs to it in one place");
        Some(YamlFault {
            place: self.place,
            what,
        })
    }

    /// A tab where the line is indented.
    fn tab(&self) -> Option<YamlFault> {
        let is_indent = |c: &char| matches!(c, ' ' | '\t');
        let near = [Some(self.at), self.at.checked_sub(1), Some(self.at + 1)];
        near.into_iter().flatten().find_map(|line| {
            let text = self.lines.get(line)?;
            let indent = text.chars().take_while(is_indent);
            let column = indent.collect::<String>().find('\t')?;
            self.fault(
                line,
                column,
                "a tab stands here; lines are indented with spaces",
            )
        })
    }

    /// A value that begins with a sign of YAML's own.
    fn unquoted(&self, said: &str) -> Option<YamlFault> {
        let is_about_one = [
            "anchor",
            "alias",
            "unexpected character",
            "tag",
            "directive",
        ];
        let is_scan = is_about_one.iter().any(|word| said.contains(word))
            || said.contains("while scanning")
            || said.contains("cannot start");
        let values = values(self.line());
        let (column, value) = values.into_iter().find(|(_, value)| {
            let sign = value.chars().next();
            sign.is_some_and(|sign| RESERVED.contains(&sign))
        })?;
        let sign = value.chars().next()?;
        if !is_scan && !matches!(sign, '%' | '@' | '`') {
            return None;
        }
        let end = value.find(|c: char| c == ',' || c == ']' || c == '}' || c.is_whitespace());
        let word = value.get(..end.unwrap_or(value.len()))?;
        let what = match is_pattern(word) {
            true => format!("a value that begins with {sign} stands in quotes: \"{word}\""),
            false => format!("a value that begins with {sign} stands in quotes"),
        };
        self.fault(self.at, column, what)
    }

    /// Something behind a value in quotes.
    fn behind_quote(&self, said: &str) -> Option<YamlFault> {
        let is_flow = self.line().contains(['[', '{']);
        let what = match is_flow {
            true => "a comma is missing between two values",
            false => {
                "something stands behind the closing quote: the quotes go round all of a value"
            }
        };
        said.contains("trailing content after").then(|| YamlFault {
            place: self.place,
            what: what.into(),
        })
    }

    /// A quote or bracket without its other one.
    fn not_closed(&self, said: &str) -> Option<YamlFault> {
        if said.contains("unclosed quote") || said.contains("quoted") {
            let what = "the quote that begins here is not closed";
            return Some(YamlFault {
                place: self.place,
                what: what.into(),
            });
        }
        let open = open_bracket(&self.lines)?;
        let (line, column, sign) = open;
        let close = if sign == '[' { ']' } else { '}' };
        let what = format!("the {sign} that begins here is not closed: {close} is missing");
        self.fault(line, column, what)
    }

    /// Two values of a list side by side.
    fn comma(&self, said: &str) -> Option<YamlFault> {
        let line = self.line();
        let is_flow = line.contains('[') || line.contains('{');
        (is_flow && (said.contains("',' or") || said.contains("flow"))).then(|| YamlFault {
            place: self.place,
            what: "a comma is missing between two values".into(),
        })
    }

    /// No colon, or one without its space; one too many in a value.
    fn colon(&self) -> Option<YamlFault> {
        let near = [Some(self.at), self.at.checked_sub(1)];
        let wrong = near.into_iter().flatten().find_map(|line| {
            let text = self.lines.get(line)?;
            let plain = text.trim();
            let is_entry = !plain.is_empty() && !plain.starts_with(['#', '-', '[', '{', '"', '\'']);
            let has_colon = plain.ends_with(':') || plain.contains(": ");
            if !is_entry || has_colon || plain.contains([']', '}']) && !plain.contains(['[', '{']) {
                return None;
            }
            let column = text.len() - text.trim_start().len();
            let what = match plain.split_once(':') {
                Some((key, _)) if is_key(key) => {
                    format!("a space is missing behind the colon: {key}: …")
                }
                _ => "a colon is missing behind the key, as in key: value".to_owned(),
            };
            self.fault(line, column, what)
        });
        wrong.or_else(|| {
            let (key, value) = self.line().split_once(": ")?;
            let is_plain = !value.trim_start().starts_with(['"', '\'', '{', '[', '#']);
            let column = key.len() + 2;
            let what = "a value with a colon and a space in it stands in quotes";
            (is_plain && value.contains(": ")).then(|| self.fault(self.at, column, what))?
        })
    }

    /// A line that begins in a column of its own.
    fn indentation(&self, said: &str) -> Option<YamlFault> {
        let is_block = ["block", "mapping values", "indent", "simple key"];
        let is_about = is_block.iter().any(|word| said.contains(word));
        let line = self.line();
        let column = line.len() - line.trim_start().len();
        let what = "the indentation of this line fits no group: keys of one group begin in the \
                    same column, and those inside it further right";
        is_about.then(|| self.fault(self.at, column, what))?
    }
}

/// What stands on a line where values can begin, outside of quotes, with its column.
fn values(line: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut quote, mut may_begin) = (None, true);
    for (column, c) in line.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' && may_begin => break,
            None if matches!(c, '"' | '\'') && may_begin => quote = Some(c),
            None if matches!(c, ' ' | '[' | '{' | ',') => may_begin = true,
            None => {
                // A dash or a key is followed by a space; what is in a word begins none.
                if may_begin {
                    found.extend(line.get(column..).map(|rest| (column, rest)));
                }
                may_begin = false;
            }
        }
    }
    found
}

/// The innermost bracket that nothing closes before the end, or that the wrong one closes.
fn open_bracket(lines: &[&str]) -> Option<(usize, usize, char)> {
    let mut open: Vec<(usize, usize, char)> = Vec::new();
    let mut quote = None;
    for (at, line) in lines.iter().enumerate() {
        let mut before = ' ';
        for (column, c) in line.char_indices() {
            match (quote, c) {
                (Some(own), c) if c == own => quote = None,
                (Some(_), _) => {}
                (None, '#') if before == ' ' => break,
                (None, '"' | '\'') if matches!(before, ' ' | '[' | '{' | ',') => quote = Some(c),
                (None, '[' | '{') if !open.is_empty() || matches!(before, ' ') => {
                    open.push((at, column, c));
                }
                (None, ']' | '}') => {
                    let wanted = if c == ']' { '[' } else { '{' };
                    match open.last() {
                        Some((_, _, own)) if *own == wanted => {
                            open.pop();
                        }
                        Some(wrong) => return Some(*wrong),
                        None => {}
                    }
                }
                (None, _) => {}
            }
            before = c;
        }
    }
    open.pop()
}

/// Whether a word is a pattern of names or an address, which is no secret.
fn is_pattern(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '*' | '.' | '_' | ':');
    // A star and a word could be a password.
    let is_long_enough = word == "*" || word.contains('.') || word.starts_with("*:");
    is_long_enough
        && word.starts_with('*')
        && word.len() <= PATTERN_BYTES_MAX
        && word.chars().all(is_part)
}

fn is_key(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '_';
    !word.is_empty() && word.chars().all(is_part)
}

/// The signs that begin something else than a value.
const RESERVED: &[char] = &['*', '&', '!', '@', '`', '%', '|', '>'];

/// The longest pattern that is shown: three names of a database.
const PATTERN_BYTES_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use super::super::tree;

    fn told(text: &str) -> String {
        let Err(problem) = tree::read(text) else {
            panic!("readable: {text}");
        };
        format!("{}: {}", problem.place, problem.what)
    }

    #[test]
    fn a_tag_is_no_part_of_a_value_that_is_silently_left_out() {
        for text in [
            "a: [!b]",
            "a: !b c",
            "a:\n  - !b",
            "a: {b: !c [d]}",
            "a: ! b",
        ] {
            assert!(
                told(text).contains("begins with ! stands in quotes"),
                "{text}"
            );
        }
        for text in [
            "a: '!b'",
            "a: b != c",
            "a: |\n  b !c\n",
            "a: [b, \"!c\"]",
            "ä: b\né: [c]",
            "a:",
        ] {
            assert!(tree::read(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn each_mistake_is_told_by_what_is_to_be_written() {
        for (text, wanted) in [
            (
                "a: [*.*.x]",
                "1:5: not readable as YAML: a value that begins with * stands in quotes: \"*.*.x\"",
            ),
            (
                "a: *",
                "1:4: not readable as YAML: a value that begins with * stands in quotes: \"*\"",
            ),
            ("a:\n  - *.x", "2:5"),
            ("a: *secret", "a value that begins with * stands in quotes"),
            (
                "a: 1\n---\nb: 2",
                "2:1: not readable as YAML: a second document",
            ),
            ("a: 1\na: 2", "a is given twice"),
            ("a:\n\tb: 1", "2:1: not readable as YAML: a tab"),
            (
                "a: @b",
                "1:4: not readable as YAML: a value that begins with @ stands in quotes",
            ),
            ("a: `b", "stands in quotes"),
            (
                "a: [b, c",
                "1:4: not readable as YAML: the [ that begins here is not closed: ]",
            ),
            (
                "a: {b: [c}",
                "1:8: not readable as YAML: the [ that begins here is not closed: ]",
            ),
            ("a: \"b", "the quote that begins here is not closed"),
            ("a\n  b: 1", "1:1: not readable as YAML: a colon is missing"),
            ("a: 1\nb 2", "2:1: not readable as YAML: a colon is missing"),
            (
                "a: 1\nb:secret",
                "2:1: not readable as YAML: a space is missing behind the colon: b: …",
            ),
            (
                "a: b: c",
                "1:4: not readable as YAML: a value with a colon and a space",
            ),
            (
                "a:\n    b: 1\n  c: 2",
                "3:3: not readable as YAML: the indentation",
            ),
            ("a: [\"b\" \"c\"]", "a comma is missing"),
            ("a: \"b\" c", "the quotes go round all of a value"),
        ] {
            let said = told(text);
            assert!(said.contains(wanted), "{text:?}: {said}");
            assert!(!said.contains("secret"), "{said}");
        }
    }
}
