//! The flags that say whose session a statement is judged in, when a policy is tried out.

use crate::catalog::path;
use crate::config::Problem;
use crate::offline::world::Person;

/// Whose session.
#[derive(clap::Args)]
pub struct PersonFlags {
    /// The user that has logged in. Where the database has a role of this name, it is that role's
    /// session; else that of the role that the URL names.
    #[arg(long, value_name = "NAME", default_value = "app")]
    user: String,
    /// The database, where it is not the one of --upstream.
    #[arg(long, value_name = "NAME")]
    database: Option<String>,
    /// What the client calls itself.
    #[arg(long, value_name = "NAME", default_value = "")]
    application_name: String,
    /// Where names are looked up, as in a setting [default: where sessions of the role begin].
    #[arg(long, value_name = "SCHEMAS", requires = "upstream")]
    search_path: Option<String>,
    /// A setting that the session has set, as name=value; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl PersonFlags {
    /// Who that is, or what is wrong with the flags.
    pub fn person(&self) -> Result<Person, Vec<Problem>> {
        let mut problems = Vec::new();
        let search_path = self.search_path.as_deref().map(path::split);
        if let Some(None) = search_path {
            problems.push(problem("--search-path", "is no list of schemas"));
        }
        let mut person = Person {
            user: self.user.clone(),
            database: self.database.clone(),
            application_name: self.application_name.clone(),
            search_path: search_path.flatten(),
            ..Person::default()
        };
        for setting in &self.set {
            match setting.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    let name = name.trim().to_ascii_lowercase();
                    person.settings.insert(name, value.to_owned());
                }
                _ => problems.push(problem("--set", "name=value is wanted")),
            }
        }
        match problems.is_empty() {
            true => Ok(person),
            false => Err(problems),
        }
    }
}

fn problem(place: &str, what: &str) -> Problem {
    Problem {
        place: place.into(),
        what: what.into(),
    }
}
