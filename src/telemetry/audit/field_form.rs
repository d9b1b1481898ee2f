//! The forms of events, of their fields and of what these hold.

/// One event.
pub struct EventForm {
    /// The word in `event`.
    pub name: &'static str,
    /// What has happened.
    pub doc: &'static str,
    /// Whether its line has the fields of a session.
    pub of_session: bool,
    /// The fields of its own.
    pub fields: &'static [FieldForm],
}

/// One field.
pub struct FieldForm {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub form: AuditValueForm,
    /// Whether every line of the event has it.
    pub presence: FieldPresence,
    /// What it means.
    pub doc: &'static str,
}

/// What a value looks like.
#[derive(Clone, Copy)]
pub enum AuditValueForm {
    /// One word of a closed set: small letters, digits and underscores.
    Word,
    /// Such words.
    Words,
    /// Text, cleaned of control characters and cut.
    Text,
    /// Names of the database's own.
    Names,
    /// Base64 of what is encrypted with age.
    Sealed,
    /// A whole number of 64 bits, in digits.
    QueryId,
    /// Hexadecimal digits, so many.
    Hex(usize),
    /// A whole number from zero on.
    Number,
    /// True or false.
    Truth,
    /// The five letters of an error.
    SqlState,
    /// RFC 3339, UTC, microseconds.
    Time,
    /// Objects with fields of their own, which count themselves in `step`.
    Steps(&'static [FieldForm]),
}

/// Whether every line of the event has a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FieldPresence {
    /// It does.
    Always,
    /// Where there is something to say.
    Sometimes,
}
