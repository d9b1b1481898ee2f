//! What can be asked of a running pgsieve: the parameters of `GET /grounding`.

use std::borrow::Cow;
use std::net::IpAddr;

use percent_encoding::percent_decode;

use super::failure::GroundingFailure;
use crate::grounding::{GroundingFacet, GroundingFacets, GroundingFormat, GroundingWish};
use crate::limits::served_groundings;
use crate::policy::set::matching::UserClaims;
use crate::session::login::login_settings::AdmissionProof;

/// A request for a grounding.
#[derive(Clone, Debug)]
pub struct GroundingRequest {
    /// The user whose session would be told.
    pub user: String,
    /// What its program calls itself.
    pub application_name: String,
    /// Where it comes from, where that is known.
    pub client_address: Option<IpAddr>,
    /// Its database; the one of the settings without it.
    pub database: Option<String>,
    /// Its role; without it the one that such a user has there.
    pub role: Option<String>,
    /// The policy by its name; without it the one that such a session gets.
    pub policy: Option<String>,
    /// What lets such a user in.
    pub admission: AdmissionProof,
    /// What that proves of the user beside the name.
    pub claims: UserClaims,
    /// What is told.
    pub facets: GroundingFacets,
    /// How.
    pub wish: GroundingWish,
}

impl GroundingRequest {
    /// Reads the part of an address behind its question mark.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(query: &str) -> Result<Self, GroundingFailure> {
        let mut given = GivenParameters::default();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            given.add(&decoded(name)?, decoded(value)?)?;
        }
        let wrong = |name: &str, what: &str| Err(wrong(format!("{name} {what}")));
        let [
            user,
            database,
            role,
            policy,
            facets,
            format,
            budget,
            question,
        ] = given.values;
        let Some(user) = user else {
            return wrong("user", "is missing: whose session is it?");
        };
        let facets = match facets {
            Some(list) => GroundingFacets::read(&list)
                .map_err(|error| GroundingFailure::Request(format!("facets: {error}")))?,
            None => GroundingFacets::default(),
        };
        let format = match format.as_deref().map(GroundingFormat::named) {
            None => GroundingFormat::Markdown,
            Some(Some(format)) => format,
            Some(None) => {
                let names = GroundingFormat::ALL.iter().map(|format| format.name());
                let names: Vec<&str> = names.collect();
                return wrong("format", &format!("is one of {}", names.join(", ")));
            }
        };
        let budget = match budget.as_deref().map(str::parse) {
            None => None,
            Some(Ok(tokens)) => Some(tokens),
            Some(Err(_)) => return wrong("budget", "is a number of tokens"),
        };
        let longest = served_groundings::QUESTION_BYTES_MAX;
        if question.as_ref().is_some_and(|asked| asked.len() > longest) {
            return wrong("question", &format!("is longer than {longest} bytes"));
        }
        Ok(Self {
            user,
            application_name: String::new(),
            client_address: None,
            database,
            role,
            policy,
            admission: AdmissionProof::Name,
            claims: UserClaims::new(),
            facets,
            wish: GroundingWish {
                question,
                budget,
                format,
            },
        })
    }

    /// Whether values of rows would be told.
    pub fn wants_values(&self) -> bool {
        let values = [GroundingFacet::Samples, GroundingFacet::Statistics];
        values.iter().any(|facet| self.facets.has(*facet))
    }
}

/// What was given, each once, in the order of [`NAMES`].
#[derive(Default)]
struct GivenParameters {
    values: [Option<String>; NAMES.len()],
}

impl GivenParameters {
    fn add(&mut self, name: &str, value: String) -> Result<(), GroundingFailure> {
        let mut own = NAMES.iter().zip(&mut self.values);
        let Some((_, place)) = own.find(|(own, _)| **own == name) else {
            let names = NAMES.join(", ");
            return Err(wrong(format!("there is no parameter {name:?}: {names}")));
        };
        if place.is_some() {
            return Err(wrong(format!("{name} is given twice")));
        }
        // As a form sends what was left empty.
        *place = Some(value).filter(|value| !value.is_empty());
        Ok(())
    }
}

/// A name or value as it was before it was put into an address.
fn decoded(part: &str) -> Result<String, GroundingFailure> {
    let spaced = part.replace('+', " ");
    let text = percent_decode(spaced.as_bytes()).decode_utf8();
    text.map(Cow::into_owned)
        .map_err(|_| wrong("what a request says is not UTF-8".to_owned()))
}

fn wrong(words: String) -> GroundingFailure {
    GroundingFailure::Request(words)
}

/// The parameters.
const NAMES: [&str; 8] = [
    "user", "database", "role", "policy", "facets", "format", "budget", "question",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_as_addresses_spell_it() {
        let read = |query: &str| GroundingRequest::read(query);
        let plain = read("user=ann").unwrap();
        assert_eq!((&*plain.user, plain.database), ("ann", None));
        assert_eq!(plain.wish.format, GroundingFormat::Markdown);
        let whole = read(
            "user=a%26n+n&database=shop&role=&policy=own&facets=tables%2Cfk%3A2&format=ddl\
             &budget=7&question=Wie+hei%C3%9Ft+er%3F",
        );
        let whole = whole.unwrap();
        assert_eq!((&*whole.user, whole.role), ("a&n n", None));
        assert_eq!(whole.facets.to_string(), "tables,foreign_keys:2");
        assert_eq!(whole.wish.budget, Some(7));
        assert_eq!(whole.wish.question.as_deref(), Some("Wie heißt er?"));
        for query in [
            "",
            "user",
            "user=",
            "ann",
            "User=ann",
            "user=a&user=b",
            "user=%FF",
            "user=a&budget=-1",
            "user=a&budget=1.5",
            "user=a&format=JSON",
            "user=a&facets=all:2",
        ] {
            let wrong = read(query).is_err();
            assert!(wrong, "{query}");
        }
        let values = |facets: &str| {
            let asked = read(&format!("user=a&facets={facets}")).unwrap();
            asked.wants_values()
        };
        assert!(values("samples") && values("all") && values("statistics,tables"));
        assert!(!values("default") && !values("indexes,functions"));
    }
}
