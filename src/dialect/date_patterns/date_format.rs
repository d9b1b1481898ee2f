//! Patterns of dates: those of other dialects as patterns of Postgres's `to_char`.
//!
//! What `to_char` cannot write (weeks that begin on a Sunday, weekdays from 0) makes the whole
//! pattern inexpressible; it is never left out. Letters that a pattern only quotes are put between
//! double quotes, so that `to_char` does not read them as its own.
//!
//! <https://www.postgresql.org/docs/current/functions-formatting.html>

use super::to_char::ToCharBuilder;

/// A pattern of `to_char`, `to_date` or `to_timestamp`.
#[derive(Clone, PartialEq, Eq)]
pub struct ToCharPattern {
    /// The pattern itself: no literal of SQL yet, its quotes are not doubled.
    pub text: String,
    /// Whether it has parts of a day (hours and below).
    pub has_time: bool,
    /// Whether it has parts of a calendar (days and above).
    pub has_date: bool,
    /// Whether it writes nothing but digits, and how many parts.
    pub is_digits: bool,
}

impl ToCharPattern {
    /// The pattern as a literal of SQL.
    pub fn literal(&self) -> String {
        format!("'{}'", self.text.replace('\'', "''"))
    }
}

/// A pattern of MySQL's DATE_FORMAT and STR_TO_DATE.
///
/// <https://dev.mysql.com/doc/refman/8.4/en/date-and-time-functions.html#function_date-format>
pub fn from_mysql(pattern: &str) -> Option<ToCharPattern> {
    from_percent(pattern, |code, _| match code {
        'a' => day("Dy"),
        'b' => day("Mon"),
        'c' => day("FMMM"),
        'D' => day("FMDDth"),
        'd' => day("DD"),
        'e' => day("FMDD"),
        'f' => time("US"),
        'H' => time("HH24"),
        'h' | 'I' => time("HH12"),
        'i' => time("MI"),
        'j' => day("DDD"),
        'k' => time("FMHH24"),
        'l' => time("FMHH12"),
        'M' => day("FMMonth"),
        'm' => day("MM"),
        'p' => time("AM"),
        'r' => time("HH12:MI:SS AM"),
        'S' | 's' => time("SS"),
        'T' => time("HH24:MI:SS"),
        'v' => day("IW"),
        'W' => day("FMDay"),
        'x' => day("IYYY"),
        'Y' => day("YYYY"),
        'y' => day("YY"),
        // Weeks from Sunday, weeks 0 to 53, weekdays from 0.
        'U' | 'u' | 'V' | 'X' | 'w' => PatternCode::Inexpressible,
        other => PatternCode::Literal(other),
    })
}

/// A pattern of SQLite's strftime.
///
/// <https://www.sqlite.org/lang_datefunc.html>
pub fn from_sqlite(pattern: &str) -> Option<ToCharPattern> {
    from_percent(pattern, |code, padded| match code {
        _ if !padded => PatternCode::Inexpressible,
        'd' => day("DD"),
        'f' => time("SS.MS"),
        'F' => day("YYYY-MM-DD"),
        'G' => day("IYYY"),
        'g' => day("IY"),
        'H' => time("HH24"),
        'I' => time("HH12"),
        'j' => day("DDD"),
        'm' => day("MM"),
        'M' => time("MI"),
        'p' => time("AM"),
        'P' => time("am"),
        'R' => time("HH24:MI"),
        'S' => time("SS"),
        'T' => time("HH24:MI:SS"),
        'u' => day("ID"),
        'V' => day("IW"),
        'Y' => day("YYYY"),
        '%' => PatternCode::Literal('%'),
        _ => PatternCode::Inexpressible,
    })
}

/// A pattern of C's strftime, as DuckDB and Python write it.
///
/// <https://duckdb.org/docs/stable/sql/functions/dateformat>
pub fn from_strftime(pattern: &str) -> Option<ToCharPattern> {
    from_percent(pattern, |code, padded| match (code, padded) {
        ('f', true) => time("US"),
        ('g', true) => time("MS"),
        (code, padded) => of_c(code, padded),
    })
}

/// A pattern of BigQuery's FORMAT_DATE, FORMAT_TIMESTAMP, PARSE_DATE and their kin.
///
/// <https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements>
pub fn from_bigquery(pattern: &str) -> Option<ToCharPattern> {
    from_percent(pattern, |code, padded| match (code, padded) {
        ('Q', true) => day("Q"),
        (code, padded) => of_c(code, padded),
    })
}

/// A pattern of Java, as Spark writes it: `yyyy-MM-dd`.
///
/// <https://spark.apache.org/docs/latest/sql-ref-datetime-pattern.html>
pub fn from_java(pattern: &str) -> Option<ToCharPattern> {
    from_runs(pattern, |letter, run| match (letter, run) {
        ('y' | 'u', 4 | 1) => day("YYYY"),
        ('y' | 'u', 2) => day("YY"),
        ('M' | 'L', 1) => day("FMMM"),
        ('M' | 'L', 2) => day("MM"),
        ('M' | 'L', 3) => day("Mon"),
        ('M' | 'L', 4) => day("FMMonth"),
        ('d', 1) => day("FMDD"),
        ('d', 2) => day("DD"),
        ('D', 3) => day("DDD"),
        ('E', 1..=3) => day("Dy"),
        ('E', 4) => day("FMDay"),
        ('Q' | 'q', 1) => day("Q"),
        ('S', 3) => time("MS"),
        ('S', 6) => time("US"),
        ('a', 1) => time("AM"),
        ('\'', _) => PatternCode::Inexpressible,
        (letter, run) => of_clock(letter, run),
    })
}

/// A pattern of .NET, as T-SQL's FORMAT takes it. A letter alone is the name of a pattern.
///
/// <https://learn.microsoft.com/en-us/dotnet/standard/base-types/custom-date-and-time-format-strings>
pub fn from_dotnet(pattern: &str) -> Option<ToCharPattern> {
    pattern.chars().nth(1)?;
    from_runs(pattern, |letter, run| match (letter, run) {
        ('y', 4) => day("YYYY"),
        ('y', 2) => day("YY"),
        ('M', 4) => day("FMMonth"),
        ('M', 3) => day("Mon"),
        ('M', 2) => day("MM"),
        ('M', 1) => day("FMMM"),
        ('d', 4) => day("FMDay"),
        ('d', 3) => day("Dy"),
        ('d', 2) => day("DD"),
        ('d', 1) => day("FMDD"),
        ('f', 3) => time("MS"),
        ('t', 2) => time("AM"),
        ('T', 1) => PatternCode::Literal('T'),
        (letter, run) if letter.is_ascii_alphabetic() => of_clock(letter, run),
        (' ' | '-' | '/' | '.' | ',' | ':' | '_', _) => PatternCode::Literal(letter),
        _ => PatternCode::Inexpressible,
    })
}

/// A pattern of Snowflake's, in whatever case.
///
/// <https://docs.snowflake.com/en/sql-reference/date-time-input-output>
pub fn from_snowflake(pattern: &str) -> Option<ToCharPattern> {
    let upper = pattern.to_ascii_uppercase();
    let mut made = ToCharPatternBuilder::default();
    let mut rest = upper.as_str();
    while let Some(letter) = rest.chars().next() {
        let found = SNOWFLAKE.iter().find_map(|(name, code)| {
            let behind = rest.strip_prefix(*name)?;
            Some((*code, behind))
        });
        let (code, behind) = match found {
            Some(found) => found,
            None if " -/.,:_".contains(letter) => (
                PatternCode::Literal(letter),
                rest.get(letter.len_utf8()..).unwrap_or_default(),
            ),
            None => return None,
        };
        made.add(code)?;
        rest = behind;
    }
    (!pattern.is_empty()).then(|| made.end())
}

/// The elements of Snowflake's patterns; the longer names stand first.
#[rustfmt::skip]
const SNOWFLAKE: &[(&str, PatternCode)] = &[
    ("YYYY", day("YYYY")),
    ("YY", day("YY")),
    ("MMMM", day("FMMonth")),
    ("MON", day("Mon")),
    ("MM", day("MM")),
    ("DD", day("DD")),
    ("DY", day("Dy")),
    ("HH24", time("HH24")),
    ("HH12", time("HH12")),
    ("AM", time("AM")),
    ("PM", time("PM")),
    ("MI", time("MI")),
    ("SS", time("SS")),
];

/// What a code stands for.
#[derive(Clone, Copy)]
enum PatternCode {
    /// Something of a calendar.
    Day(&'static str),
    /// Something of a day.
    Time(&'static str),
    /// Itself.
    Literal(char),
    /// Something that `to_char` cannot write.
    Inexpressible,
}

const fn day(pattern: &'static str) -> PatternCode {
    PatternCode::Day(pattern)
}

const fn time(pattern: &'static str) -> PatternCode {
    PatternCode::Time(pattern)
}

/// The codes that all heirs of C's strftime share. Without padding: `%-d`.
fn of_c(code: char, padded: bool) -> PatternCode {
    match (code, padded) {
        ('A', true) => day("FMDay"),
        ('a', true) => day("Dy"),
        ('B', true) => day("FMMonth"),
        ('b' | 'h', true) => day("Mon"),
        ('D' | 'x', true) => day("MM/DD/YY"),
        ('d', true) => day("DD"),
        ('d' | 'e', false) => day("FMDD"),
        ('F', true) => day("YYYY-MM-DD"),
        ('G', true) => day("IYYY"),
        ('H', true) => time("HH24"),
        ('H' | 'k', false) => time("FMHH24"),
        ('I', true) => time("HH12"),
        ('I' | 'l', false) => time("FMHH12"),
        ('j', true) => day("DDD"),
        ('j', false) => day("FMDDD"),
        ('M', true) => time("MI"),
        ('M', false) => time("FMMI"),
        ('m', true) => day("MM"),
        ('m', false) => day("FMMM"),
        ('p', true) => time("AM"),
        ('P', true) => time("am"),
        ('R', true) => time("HH24:MI"),
        ('S', true) => time("SS"),
        ('S', false) => time("FMSS"),
        ('T' | 'X', true) => time("HH24:MI:SS"),
        ('u', true) => day("ID"),
        ('V', true) => day("IW"),
        ('Y', true) => day("YYYY"),
        ('y', true) => day("YY"),
        ('%', true) => PatternCode::Literal('%'),
        ('n', true) => PatternCode::Literal('\n'),
        ('t', true) => PatternCode::Literal('\t'),
        _ => PatternCode::Inexpressible,
    }
}

/// The hours, minutes and seconds of Java and .NET. Other letters cannot be written; what is no
/// letter stands for itself.
fn of_clock(letter: char, run: usize) -> PatternCode {
    match (letter, run) {
        ('H', 1) => time("FMHH24"),
        ('H', 2) => time("HH24"),
        ('h', 1) => time("FMHH12"),
        ('h', 2) => time("HH12"),
        ('m', 2) => time("MI"),
        ('s', 2) => time("SS"),
        (letter, _) if letter.is_alphabetic() => PatternCode::Inexpressible,
        (letter, _) => PatternCode::Literal(letter),
    }
}

/// A pattern of which each run of one letter is a code; what stands for itself does so once for
/// each letter.
fn from_runs(pattern: &str, meaning: impl Fn(char, usize) -> PatternCode) -> Option<ToCharPattern> {
    let mut made = ToCharPatternBuilder::default();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let run = rest.chars().take_while(|next| *next == first).count();
        let code = meaning(first, run);
        let taken = match code {
            PatternCode::Literal(_) => 1,
            _ => run,
        };
        made.add(code)?;
        let bytes = first.len_utf8().saturating_mul(taken);
        rest = rest.get(bytes..).unwrap_or_default();
    }
    Some(made.end())
}

/// A pattern of codes that begin with `%`; `%-` takes the padding away.
fn from_percent(
    pattern: &str,
    meaning: impl Fn(char, bool) -> PatternCode,
) -> Option<ToCharPattern> {
    if !pattern.contains('%') {
        return None;
    }
    let mut made = ToCharPatternBuilder::default();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            made.add(PatternCode::Literal(letter))?;
            continue;
        }
        let part = match letters.next()? {
            '-' => meaning(letters.next()?, false),
            code => meaning(code, true),
        };
        made.add(part)?;
    }
    Some(made.end())
}

/// A pattern that grows, and what it has.
#[derive(Default)]
struct ToCharPatternBuilder {
    chars: ToCharBuilder,
    has_time: bool,
    has_date: bool,
    codes: usize,
    has_words: bool,
    has_literals: bool,
}

impl ToCharPatternBuilder {
    fn add(&mut self, part: PatternCode) -> Option<()> {
        match part {
            PatternCode::Day(code) => {
                self.has_date = true;
                self.code(code);
            }
            PatternCode::Time(code) => {
                self.has_time = true;
                self.code(code);
            }
            PatternCode::Literal(letter) => {
                self.has_literals = true;
                self.chars.letter(letter);
            }
            PatternCode::Inexpressible => return None,
        }
        Some(())
    }

    fn code(&mut self, code: &str) {
        self.chars.field(code);
        self.codes = self.codes.saturating_add(1);
        self.has_words |= WORDS.iter().any(|word| code.ends_with(word));
        self.has_literals |= !code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    }

    fn end(self) -> ToCharPattern {
        ToCharPattern {
            is_digits: self.codes > 0 && !self.has_words && !self.has_literals,
            text: self.chars.end(),
            has_time: self.has_time,
            has_date: self.has_date,
        }
    }
}

/// How codes end that write words.
const WORDS: [&str; 7] = ["Dy", "Day", "Mon", "Month", "AM", "am", "th"];

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(read: fn(&str) -> Option<ToCharPattern>, rows: &[(&str, Option<&str>)]) {
        for (pattern, wanted) in rows {
            let made = read(pattern).map(|made| made.text);
            assert_eq!(made.as_deref(), *wanted, "{pattern}");
        }
    }

    #[test]
    fn patterns_of_mysql() {
        texts(
            from_mysql,
            &[
                ("%Y-%m-%d", Some("YYYY-MM-DD")),
                ("%Y-%m-%d %H:%i:%s", Some("YYYY-MM-DD HH24:MI:SS")),
                ("%M %e, %Y", Some("FMMonth FMDD, YYYY")),
                ("%W the %D", Some("FMDay \"the\" FMDDth")),
                ("%l:%i %p", Some("FMHH12:MI AM")),
                ("%c/%e/%y", Some("FMMM/FMDD/YY")),
                ("%x-W%v", Some("IYYY-\"W\"IW")),
                ("%Y%m", Some("YYYY\"\"MM")),
                ("%d%%", Some("DD%")),
                ("100\"%Y\\", Some("\"100\\\"\"YYYY\"\\\\\"")),
                ("%Y-%u", None),
                ("%w", None),
                ("%", None),
                ("%q", Some("\"q\"")),
                ("yyyy-MM-dd", None),
                ("", None),
            ],
        );
    }

    #[test]
    fn patterns_of_sqlite_and_c() {
        texts(
            from_sqlite,
            &[
                ("%Y-%m", Some("YYYY-MM")),
                ("%H:%M:%f", Some("HH24:MI:SS.MS")),
                ("%w", None),
                ("%W", None),
                ("%s", None),
                ("%B", None),
                ("Q%m", Some("\"Q\"MM")),
                ("YYYY-MM", None),
            ],
        );
        texts(
            from_strftime,
            &[
                ("%-d %B %Y", Some("FMDD FMMonth YYYY")),
                ("%a, %d %b %Y", Some("Dy, DD Mon YYYY")),
                ("%f", Some("US")),
                ("%U", None),
            ],
        );
        texts(from_bigquery, &[("%Y-Q%Q", Some("YYYY-\"Q\"Q"))]);
        texts(
            from_java,
            &[
                ("yyyy-MM-dd HH:mm:ss", Some("YYYY-MM-DD HH24:MI:SS")),
                ("MMMM d, yyyy", Some("FMMonth FMDD, YYYY")),
                ("yyyyww", None),
                ("yyyy 'at' HH", None),
                ("dd..MM", Some("DD..MM")),
            ],
        );
    }

    #[test]
    fn patterns_of_dotnet_and_snowflake() {
        texts(
            from_dotnet,
            &[
                ("yyyy-MM-dd HH:mm", Some("YYYY-MM-DD HH24:MI")),
                ("d MMMM yyyy", Some("FMDD FMMonth YYYY")),
                ("yyyy-MM-ddTHH:mm", Some("YYYY-MM-DD\"T\"HH24:MI")),
                ("HHmm", Some("HH24\"\"MI")),
                ("d", None),
                ("yyy", None),
                ("g", None),
                ("'x'yyyy", None),
                ("K", None),
                ("", None),
            ],
        );
        texts(
            from_snowflake,
            &[
                ("yyyy-mm-dd hh24:mi:ss", Some("YYYY-MM-DD HH24:MI:SS")),
                ("DD MON YY", Some("DD Mon YY")),
                ("YYYYMMDD", Some("YYYY\"\"MM\"\"DD")),
                ("HH", None),
                ("Q", None),
                ("", None),
            ],
        );
    }

    #[test]
    fn a_pattern_says_what_it_writes() {
        let digits = |pattern: &str| from_mysql(pattern).unwrap().is_digits;
        assert!(digits("%m") && digits("%Y%m"));
        assert!(!digits("%Y-%m") && !digits("%M") && !digits("x%%"));
        let parts = |pattern: &str| {
            let made = from_mysql(pattern).unwrap();
            (made.has_date, made.has_time)
        };
        assert_eq!(parts("%Y"), (true, false));
        assert_eq!(parts("%H"), (false, true));
    }
}
