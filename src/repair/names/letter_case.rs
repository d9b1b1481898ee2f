//! Which name is meant by one that is written in another case.
//!
//! People and models write names in the case that they were shown, and Postgres folds them: so the
//! case is no evidence against a name, and the same case is evidence for it.

use crate::RecovererAnswer;
use catalog::quote;

/// What a written name stands for among others.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CaseChoice {
    /// Nothing is spelled so, in any case.
    Nothing,
    /// This one.
    One(String),
    /// Several that differ in case alone, none of them as it is written.
    Several(Vec<String>),
}

/// Chooses among names: the one in exactly the case written, else the only one where case does not
/// count. What Postgres finds without help is chosen by nobody.
pub(crate) fn choose<'n>(
    written: &str,
    folded: &str,
    among: impl Iterator<Item = &'n str>,
) -> CaseChoice {
    let mut found: Vec<&str> = Vec::new();
    for name in among.filter(|name| is_same(name, written)) {
        if name == folded {
            return CaseChoice::Nothing;
        }
        if !found.contains(&name) {
            found.push(name);
        }
    }
    match found.as_slice() {
        [] => CaseChoice::Nothing,
        names if names.contains(&written) => CaseChoice::One(written.to_owned()),
        [only] => CaseChoice::One((*only).to_owned()),
        several => CaseChoice::Several(several.iter().map(|name| (*name).to_owned()).collect()),
    }
}

/// Whether two names differ in case at most.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || !(one.is_ascii() && other.is_ascii()) && one.to_lowercase() == other.to_lowercase()
}

/// A name without quotes as Postgres reads it, in a database of UTF-8.
pub(crate) fn folded(word: &str) -> String {
    word.to_ascii_lowercase()
}

/// The name that a token in double quotes spells.
pub(crate) fn unquoted(token: &str) -> Option<String> {
    let inside = token.strip_prefix('"')?.strip_suffix('"')?;
    Some(inside.replace("\"\"", "\""))
}

/// A name as it can be written in SQL.
pub(crate) fn spelled(name: &str) -> String {
    quote::quoted(name).into_owned()
}

/// A name in double quotes, whether it needs them or not.
pub(crate) fn in_quotes(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The words for a name that could be several others.
pub(crate) fn which_of(written: &str, names: &[String]) -> RecovererAnswer {
    let names: Vec<String> = names.iter().map(|name| in_quotes(name)).collect();
    RecovererAnswer::hint(format!(
        "Postgres folds names without quotes to lower case, and nothing is called {}. \
         These differ from it in case alone: {}. Write the one that is meant in double quotes.",
        in_quotes(&folded(written)),
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(written: &str, among: &[&str]) -> CaseChoice {
        choose(written, &folded(written), among.iter().copied())
    }

    #[test]
    fn the_exact_case_wins_and_else_the_only_name() {
        let one = |name: &str| CaseChoice::One(name.into());
        assert_eq!(chosen("Name", &["Name", "NAME", "x"]), one("Name"));
        assert_eq!(chosen("name", &["Name", "Name"]), one("Name"));
        assert_eq!(chosen("größe", &["GRÖSSE", "GrÖße"]), one("GrÖße"));
        assert_eq!(chosen("Name", &["name", "Name"]), CaseChoice::Nothing);
        assert_eq!(chosen("Name", &["Names"]), CaseChoice::Nothing);
        assert_eq!(
            chosen("Name", &["NAME", "nAME"]),
            CaseChoice::Several(vec!["NAME".into(), "nAME".into()])
        );
    }

    #[test]
    fn quotes_are_taken_off_and_put_on() {
        assert_eq!(unquoted("\"a\"\"b\"").as_deref(), Some("a\"b"));
        assert_eq!(unquoted("a"), None);
        assert_eq!(in_quotes("a\"b"), "\"a\"\"b\"");
        assert_eq!(spelled("a b"), "\"a b\"");
    }
}
