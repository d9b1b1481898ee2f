//! The grammar of PgBouncer's files: sections, `name = value`, comments, `%include`. What stands
//! where PgBouncer sees none of these is a fault with its line; a value is never shown.
//!
//! <https://www.pgbouncer.org/config.html>

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::config::SettingsProblem;
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::text_file;

/// Where a line stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IniPlace {
    file: Rc<str>,
    line: usize,
}

/// A line that says something.
#[derive(Debug, PartialEq, Eq)]
pub enum IniLine {
    /// `[name]`
    Section(String, IniPlace),
    /// `name = value`
    Value(String, String, IniPlace),
}

/// The lines of a file, with those of the files that it includes in their places.
///
/// # Errors
/// A file cannot be read, or the first line that is none.
pub fn read(path: &Path) -> Result<Vec<IniLine>, SettingsProblem> {
    let mut lines = Vec::new();
    read_into(path, 0, &mut lines)?;
    Ok(lines)
}

fn read_into(path: &Path, depth: usize, lines: &mut Vec<IniLine>) -> Result<(), SettingsProblem> {
    let name: Rc<str> = path.display().to_string().into();
    let text = text_file::read(path, CONFIG_FILE_BYTES_MAX).map_err(|fault| SettingsProblem {
        place: name.to_string(),
        what: format!("the file cannot be read: {}", fault.describe(path)),
    })?;
    let mut cursor = IniCursor {
        rest: &text,
        line: 1,
    };
    loop {
        cursor.skip(is_space);
        let place = IniPlace {
            file: Rc::clone(&name),
            line: cursor.line,
        };
        let found = cursor.next_line().map_err(|what| place.problem(what))?;
        match found {
            FoundLine::End => return Ok(()),
            FoundLine::Comment => {}
            FoundLine::Include(_) if depth >= INCLUDES_MAX => {
                let what = format!("files that include files go deeper than {INCLUDES_MAX}");
                return Err(place.problem(&what));
            }
            FoundLine::Include(named) => {
                let named = included(path, named);
                read_into(&named, depth + 1, lines).map_err(|problem| SettingsProblem {
                    place: format!("{place}: {}", problem.place),
                    what: problem.what,
                })?;
            }
            FoundLine::Section(name) => lines.push(IniLine::Section(name.to_owned(), place)),
            FoundLine::Value(key, value) => {
                lines.push(IniLine::Value(key, value.to_owned(), place));
            }
        }
    }
}

/// The file that is meant: PgBouncer's is seen from where it was started, which is not known here,
/// so one beside the file that names it will do.
fn included(by: &Path, named: &str) -> PathBuf {
    let named = Path::new(named);
    match by.parent() {
        Some(folder) if !named.exists() => folder.join(named),
        _ => named.to_owned(),
    }
}

/// A text from some place on.
struct IniCursor<'t> {
    rest: &'t str,
    line: usize,
}

/// What the next line is.
enum FoundLine<'t> {
    End,
    Comment,
    Include(&'t str),
    Section(&'t str),
    Value(String, &'t str),
}

impl<'t> IniCursor<'t> {
    /// The line that begins here, at no space.
    fn next_line(&mut self) -> Result<FoundLine<'t>, &'static str> {
        if let Some(behind) = self.rest.strip_prefix("%include")
            && behind.starts_with(is_blank)
        {
            self.rest = behind;
            self.skip(is_blank);
            return Ok(FoundLine::Include(self.line_end()));
        }
        match self.rest.chars().next() {
            None => return Ok(FoundLine::End),
            Some('#' | ';') => {
                self.line_end();
                return Ok(FoundLine::Comment);
            }
            Some('[') => {
                let name = self.skip(|c| !matches!(c, ']' | '\n'));
                self.rest = self.rest.strip_prefix(']').ok_or("the ] is missing")?;
                return Ok(FoundLine::Section(name.get(1..).unwrap_or_default()));
            }
            Some(_) => {}
        }
        let key = match self.rest.strip_prefix('"') {
            Some(_) => self.quoted_name().ok_or(LINE_WANTED)?,
            None => self.skip(is_name).to_owned(),
        };
        self.skip(is_blank);
        self.rest = self.rest.strip_prefix('=').ok_or(LINE_WANTED)?;
        if key.is_empty() {
            return Err(LINE_WANTED);
        }
        self.skip(is_blank);
        Ok(FoundLine::Value(key, self.line_end()))
    }

    /// A name in double quotes, in which two of them are one.
    fn quoted_name(&mut self) -> Option<String> {
        let mut name = String::new();
        loop {
            self.rest = self.rest.strip_prefix('"')?;
            name.push_str(self.skip(|c| !matches!(c, '"' | '\n')));
            self.rest = self.rest.strip_prefix('"')?;
            if !self.rest.starts_with('"') {
                return Some(name);
            }
            name.push('"');
        }
    }

    /// What is left of the line, without the space at its end.
    fn line_end(&mut self) -> &'t str {
        self.skip(|c| c != '\n').trim_end_matches(is_space)
    }

    /// Goes on as far as the letters are such; gives what was passed.
    fn skip(&mut self, is_such: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !is_such(c)).unwrap_or(self.rest.len());
        let (passed, rest) = self.rest.split_at(end);
        self.line += passed.matches('\n').count();
        self.rest = rest;
        passed
    }
}

impl IniPlace {
    /// What is wrong there.
    pub fn problem(&self, what: &str) -> SettingsProblem {
        SettingsProblem {
            place: self.to_string(),
            what: what.to_owned(),
        }
    }
}

impl std::fmt::Display for IniPlace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '*')
}

/// Files that include each other, one in another: PgBouncer's bound.
const INCLUDES_MAX: usize = 10;

/// What may stand in a line.
const LINE_WANTED: &str = "PgBouncer reads no such line: `name = value`, `[section]`, `%include \
                           file` or a comment behind ; or # is wanted";
