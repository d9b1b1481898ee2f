//! Which columns probably hold something about a person, or a secret: told by their names and
//! types, and right as often as names are.

/// What a column probably holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnGuess {
    /// Passwords, tokens, keys.
    Secret,
    /// A number that names one person to the state or to a firm.
    PersonalNumber,
    /// An account or a card.
    Account,
    /// An address for mail.
    Email,
    /// A telephone number.
    Phone,
    /// A date of birth.
    Birth,
    /// Pay.
    Pay,
    /// A name of a person.
    Name,
    /// Where somebody lives, or from where somebody came.
    Address,
    /// Health, belief, origin.
    Sensitive,
}

/// The kinds of types that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GuessedKind {
    Text,
    Number,
    Date,
    Network,
    Uuid,
    Document,
    Truth,
    Other,
}

/// What a column of this name and type probably holds. The type is named as the server names it.
pub fn guess(name: &str, type_name: &str) -> Option<ColumnGuess> {
    let kind = GuessedKind::of(type_name);
    let words = words(name);
    let is_changed_at = matches!(
        words.last().map(String::as_str),
        Some("at" | "on" | "count")
    );
    let named = TABLE.iter().find(|(_, kinds, phrases)| {
        kinds.contains(&kind) && phrases.iter().any(|phrase| says(&words, phrase))
    });
    match (named, kind) {
        (Some((guess, _, _)), _) if !is_changed_at => Some(*guess),
        (_, GuessedKind::Network) => Some(ColumnGuess::Address),
        _ => None,
    }
}

impl ColumnGuess {
    /// What it is, for a comment.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Secret => "a secret",
            Self::PersonalNumber => "a number of a person",
            Self::Account => "an account or a card",
            Self::Email => "an address for mail",
            Self::Phone => "a telephone number",
            Self::Birth => "a date of birth",
            Self::Pay => "pay",
            Self::Name => "a name of a person",
            Self::Address => "an address",
            Self::Sensitive => "health, belief or origin",
        }
    }
}

/// The mask under which a column is still of use: by it people are told apart, and not found. None
/// where no mask is for that, or the type is not one that a mask takes.
pub fn mask(guess: ColumnGuess, type_name: &str) -> Option<&'static str> {
    let bare = type_name.split('(').next().unwrap_or(type_name).trim();
    let is_text = ["text", "character varying", "character"].contains(&bare);
    let mask = match guess {
        ColumnGuess::Email | ColumnGuess::Name => Some("partial"),
        ColumnGuess::Phone => Some("last(4)"),
        ColumnGuess::Secret
        | ColumnGuess::PersonalNumber
        | ColumnGuess::Account
        | ColumnGuess::Birth
        | ColumnGuess::Pay
        | ColumnGuess::Address
        | ColumnGuess::Sensitive => None,
    };
    mask.filter(|_| is_text && !type_name.ends_with("[]"))
}

impl GuessedKind {
    fn of(type_name: &str) -> Self {
        let bare = type_name.rsplit('.').next().unwrap_or(type_name);
        let bare = bare.trim_matches('"').trim_end_matches("[]");
        let bare = bare.split('(').next().unwrap_or(bare).trim();
        match bare {
            "text" | "character varying" | "varchar" | "character" | "bpchar" | "char"
            | "citext" | "name" => Self::Text,
            "smallint" | "integer" | "bigint" | "numeric" | "real" | "double precision"
            | "money" | "int2" | "int4" | "int8" | "float4" | "float8" => Self::Number,
            "date"
            | "timestamp"
            | "timestamptz"
            | "timestamp without time zone"
            | "timestamp with time zone" => Self::Date,
            "inet" | "cidr" | "macaddr" | "macaddr8" => Self::Network,
            "uuid" => Self::Uuid,
            "boolean" | "bool" => Self::Truth,
            "json" | "jsonb" | "hstore" | "xml" | "bytea" => Self::Document,
            _ => Self::Other,
        }
    }
}

/// The words of a name, in lower case: `homeAddress2` is `home` and `address`.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut was_small = false;
    for c in name.chars() {
        let begins = c.is_uppercase() && was_small;
        if (begins || !c.is_alphabetic()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether words say a phrase: one after another, or written together. Long words count as part of
/// a longer one, short ones only alone.
fn says(words: &[String], phrase: &str) -> bool {
    let parts: Vec<&str> = phrase.split(' ').collect();
    let together = parts.concat();
    let is_long = together.len() >= LONG_WORD;
    words.windows(parts.len()).any(|window| window == parts)
        || words
            .iter()
            .any(|word| *word == together || is_long && word.contains(&together))
}

/// Letters of a word that is no part of many others.
const LONG_WORD: usize = 5;

const TEXTS: &[GuessedKind] = &[GuessedKind::Text, GuessedKind::Document];
const NUMBERS: &[GuessedKind] = &[GuessedKind::Text, GuessedKind::Number];
const DATES: &[GuessedKind] = &[GuessedKind::Text, GuessedKind::Date];

/// The first that fits.
const TABLE: &[(ColumnGuess, &[GuessedKind], &[&str])] = &[
    (
        ColumnGuess::Secret,
        &[GuessedKind::Text, GuessedKind::Document, GuessedKind::Uuid],
        &[
            "password",
            "passwd",
            "pwd",
            "passphrase",
            "passcode",
            "pass hash",
            "secret",
            "token",
            "api key",
            "private key",
            "access key",
            "credential",
            "otp",
            "totp",
            "pin",
            "salt",
            "cookie",
            "session id",
            "session key",
            "recovery code",
        ],
    ),
    (
        ColumnGuess::PersonalNumber,
        NUMBERS,
        &[
            "ssn",
            "social security",
            "tax id",
            "tax number",
            "vat number",
            "passport",
            "national id",
            "national number",
            "nin",
            "bsn",
            "cpf",
            "curp",
            "aadhaar",
            "nhs number",
            "driver license",
            "drivers license",
            "licence number",
            "license number",
            "id card",
            "insurance number",
            "personnummer",
            "personal number",
        ],
    ),
    (
        ColumnGuess::Account,
        NUMBERS,
        &[
            "iban",
            "account number",
            "account no",
            "card number",
            "card no",
            "credit card",
            "cc number",
            "cvv",
            "cvc",
            "pan",
            "routing number",
            "sort code",
            "bank account",
        ],
    ),
    (
        ColumnGuess::Email,
        TEXTS,
        &["email", "e mail", "mail address", "mail"],
    ),
    (
        ColumnGuess::Phone,
        NUMBERS,
        &[
            "phone", "mobile", "msisdn", "fax", "tel", "cell", "whatsapp",
        ],
    ),
    (
        ColumnGuess::Birth,
        DATES,
        &["birth", "dob", "born", "geburtsdatum"],
    ),
    (
        ColumnGuess::Pay,
        NUMBERS,
        &[
            "salary",
            "wage",
            "wages",
            "income",
            "compensation",
            "bonus",
            "payroll",
            "gehalt",
        ],
    ),
    (
        ColumnGuess::Name,
        &[GuessedKind::Text],
        &[
            "first name",
            "last name",
            "given name",
            "family name",
            "middle name",
            "maiden name",
            "full name",
            "surname",
            "nachname",
            "vorname",
        ],
    ),
    (
        ColumnGuess::Address,
        &[
            GuessedKind::Text,
            GuessedKind::Document,
            GuessedKind::Number,
            GuessedKind::Other,
        ],
        &[
            "address",
            "street",
            "zip",
            "zip code",
            "postcode",
            "postal",
            "latitude",
            "longitude",
            "ip",
            "adresse",
        ],
    ),
    (
        ColumnGuess::Sensitive,
        TEXTS,
        &[
            "diagnosis",
            "medication",
            "disability",
            "religion",
            "ethnicity",
            "race",
            "gender",
            "sexual",
            "blood type",
            "allergy",
            "allergies",
            "nationality",
            "political",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cases: &[(&str, &str, Option<ColumnGuess>)]) -> Vec<String> {
        let wrong = cases
            .iter()
            .filter(|(name, of, wanted)| guess(name, of) != *wanted);
        wrong
            .map(|(name, of, _)| format!("{name} {of}: {:?}", guess(name, of)))
            .collect()
    }

    #[test]
    fn names_and_types_tell_what_columns_hold() {
        use ColumnGuess::{
            Account, Address, Birth, Email, Name, Pay, PersonalNumber, Phone, Secret,
        };
        let wrong = check(&[
            ("email", "text", Some(Email)),
            ("Email", "character varying", Some(Email)),
            ("contact_email", "character varying(100)", Some(Email)),
            ("e_mail", "citext", Some(Email)),
            ("email_verified", "boolean", None),
            ("email_sent_at", "timestamp with time zone", None),
            ("email_count", "integer", None),
            ("phone", "text", Some(Phone)),
            ("mobileNumber", "text", Some(Phone)),
            ("telephone", "bigint", Some(Phone)),
            ("ssn", "text", Some(PersonalNumber)),
            ("session", "text", None),
            ("passport_no", "text", Some(PersonalNumber)),
            ("iban", "character varying(34)", Some(Account)),
            ("card_number", "text", Some(Account)),
            ("birth_date", "date", Some(Birth)),
            ("birthday", "date", Some(Birth)),
            ("dob", "date", Some(Birth)),
            ("salary", "numeric", Some(Pay)),
            ("base_salary", "numeric(10,2)", Some(Pay)),
            ("salary_currency_id", "boolean", None),
            ("password", "text", Some(Secret)),
            ("password_hash", "text", Some(Secret)),
            ("password_changed_at", "timestamp without time zone", None),
            ("api_key", "text", Some(Secret)),
            ("apikey", "text", Some(Secret)),
            ("auth_token", "uuid", Some(Secret)),
            ("token_count", "integer", None),
            ("first_name", "text", Some(Name)),
            ("lastName", "text", Some(Name)),
            ("name", "text", None),
            ("street", "text", Some(Address)),
            ("address_id", "boolean", None),
            ("remote", "inet", Some(Address)),
            ("id", "integer", None),
            ("total", "numeric", None),
            ("region", "text", None),
            ("created_at", "timestamp with time zone", None),
        ]);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn masks_are_for_texts_that_somebody_still_needs() {
        for (guess, type_name, wanted) in [
            (ColumnGuess::Email, "text", Some("partial")),
            (
                ColumnGuess::Email,
                "character varying(100)",
                Some("partial"),
            ),
            (ColumnGuess::Email, "character varying", Some("partial")),
            (ColumnGuess::Name, "character(20)", Some("partial")),
            (ColumnGuess::Phone, "text", Some("last(4)")),
            (ColumnGuess::Phone, "bigint", None),
            (ColumnGuess::Email, "text[]", None),
            (ColumnGuess::Email, "character varying(9)[]", None),
            (ColumnGuess::Email, "citext", None),
            (ColumnGuess::Email, "jsonb", None),
            (ColumnGuess::Name, "name", None),
            (ColumnGuess::Name, "\"char\"", None),
            (ColumnGuess::Name, "shop.text", None),
            (ColumnGuess::Secret, "text", None),
            (ColumnGuess::Account, "text", None),
            (ColumnGuess::Address, "text", None),
        ] {
            assert_eq!(mask(guess, type_name), wanted, "{guess:?} {type_name}");
        }
    }

    #[test]
    fn columns_that_the_table_was_not_written_for() {
        use ColumnGuess::{
            Account, Address, Birth, Email, Pay, PersonalNumber, Phone, Secret, Sensitive,
        };
        let wrong = check(&[
            ("customer_email_address", "text", Some(Email)),
            ("EMAIL2", "text", Some(Email)),
            ("home_phone", "character varying(20)", Some(Phone)),
            ("fax", "text", Some(Phone)),
            (
                "social_security_number",
                "character(11)",
                Some(PersonalNumber),
            ),
            ("tax_id", "text", Some(PersonalNumber)),
            ("bank_account", "text", Some(Account)),
            ("cvv", "smallint", Some(Account)),
            ("date_of_birth", "date", Some(Birth)),
            ("annual_income", "money", Some(Pay)),
            ("refresh_token", "text", Some(Secret)),
            ("client_secret", "bytea", Some(Secret)),
            ("shipping_address", "jsonb", Some(Address)),
            ("postal_code", "text", Some(Address)),
            ("religion", "text", Some(Sensitive)),
            ("description", "text", None),
            ("quantity", "integer", None),
            ("status", "text", None),
            ("is_mobile", "boolean", None),
        ]);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
