//! What a refusal of the upstream at a login means, for whoever has to fix it. Knows SQLSTATEs
//! alone: the server's own words may quote.

/// In the order of the codes: what each means.
const MEANINGS: &[(&str, &str)] = &[
    (
        "08P01",
        "the server does not understand the login, as poolers of some kinds do not",
    ),
    (
        "28000",
        "no line of pg_hba.conf lets this role in from here, or it may not log in at all",
    ),
    (
        "28P01",
        "the password does not fit, or there is no such role",
    ),
    ("3D000", "no such database at this server"),
    (
        "42501",
        "the role may not connect to this database; GRANT CONNECT lets it",
    ),
    (
        "42704",
        "the login names a setting that the server does not have",
    ),
    (
        "53300",
        "the server has no connection left; raise its max_connections, or close others",
    ),
    ("55000", "the database takes no connections"),
    ("57P03", "the server is starting up or shutting down"),
];

/// The refusal with this code.
pub fn refusal_text(code: Option<&str>) -> String {
    let Some(code) = code else {
        return "refused with no code".into();
    };
    match MEANINGS.iter().find(|(known, _)| *known == code) {
        Some((_, meaning)) => format!("refused with {code}: {meaning}"),
        None => format!("refused with {code}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_codes_have_a_meaning_and_others_are_shown() {
        assert!(refusal_text(Some("28P01")).contains("the password does not fit"));
        assert_eq!(refusal_text(Some("XX000")), "refused with XX000");
        assert_eq!(refusal_text(None), "refused with no code");
        assert!(MEANINGS.is_sorted_by_key(|(code, _)| *code));
    }
}
