//! A pattern of `to_char` under construction: what is a field and what stands for itself.
//!
//! <https://www.postgresql.org/docs/current/functions-formatting.html>

/// The pattern so far.
#[derive(Default)]
pub(super) struct ToCharBuilder {
    text: String,
    last: PatternEnd,
}

/// What a pattern ends in.
#[derive(Default, PartialEq)]
enum PatternEnd {
    #[default]
    Sign,
    Field,
    OpenQuotes,
}

impl ToCharBuilder {
    /// A letter that stands for itself: between double quotes where Postgres could read it as a
    /// field.
    pub(super) fn letter(&mut self, letter: char) {
        let is_plain = letter.is_ascii_punctuation() || letter == ' ';
        if is_plain && letter != '"' && letter != '\\' {
            self.close();
            self.text.push(letter);
            return;
        }
        if self.last != PatternEnd::OpenQuotes {
            self.text.push('"');
            self.last = PatternEnd::OpenQuotes;
        }
        if letter == '"' || letter == '\\' {
            self.text.push('\\');
        }
        self.text.push(letter);
    }

    /// A field of Postgres's. Two without anything between them must not be read as another one:
    /// `DD` and `D` would be `DDD`.
    pub(super) fn field(&mut self, field: &str) {
        if self.last == PatternEnd::Field {
            self.text.push_str("\"\"");
        }
        self.close();
        self.text.push_str(field);
        self.last = PatternEnd::Field;
    }

    /// The pattern: no literal of SQL yet.
    pub(super) fn end(mut self) -> String {
        self.close();
        self.text
    }

    fn close(&mut self) {
        if self.last == PatternEnd::OpenQuotes {
            self.text.push('"');
        }
        self.last = PatternEnd::Sign;
    }
}
