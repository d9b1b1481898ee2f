//! The flags that say whose session a statement is judged in: the same for every command that
//! judges.

use crate::catalog::search_path;
use crate::config::SettingsProblem;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::policy::set::named_certificate::NamedCertificate;
use crate::policy::similar_names::nearest;

/// Whose session.
#[derive(clap::Args)]
pub struct PersonFlags {
    /// The user of the session [default: that of --upstream, else app].
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The database of the session [default: that of --upstream].
    #[arg(long, value_name = "NAME")]
    database: Option<String>,
    /// The role of the session at the database [default: the user's own, if the database has it;
    /// else that of --upstream].
    #[arg(long, value_name = "NAME")]
    role: Option<String>,
    /// The application_name of the client.
    #[arg(long, value_name = "NAME")]
    application_name: Option<String>,
    /// The client's certificate: its common name, or what it says, in one word:
    /// CN=ann,O=Acme,OU=reports,email=ann@acme.example,SAN=ann.acme.example. Keys may be
    /// repeated; a comma in a value is written \,.
    #[arg(long, value_name = "NAME")]
    certificate: Option<String>,
    /// The search_path, as in SET [default: that of the role].
    #[arg(long, value_name = "SCHEMAS")]
    search_path: Option<String>,
    /// A setting of the session, as name=value; may be repeated.
    #[arg(long, alias = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
}

impl PersonFlags {
    /// Who that is in a world, or what is wrong with the flags. Where none is named, the user is
    /// whoever looked.
    ///
    /// # Errors
    /// Each thing that is wrong, with its place: flags that contradict each other, or name what
    /// the world does not have.
    pub fn person(&self, world: &AssumedDatabase) -> Result<AssumedSession, Vec<SettingsProblem>> {
        let own = Some(world.account.as_str()).filter(|account| !account.is_empty());
        self.person_or(own.unwrap_or(AssumedSession::UNTOLD), world)
    }

    /// The same with another user where none is named.
    ///
    /// # Errors
    /// Each thing that is wrong, with its place: flags that contradict each other, or name what
    /// the world does not have.
    pub fn person_or(
        &self,
        user: &str,
        world: &AssumedDatabase,
    ) -> Result<AssumedSession, Vec<SettingsProblem>> {
        let mut problems = Vec::new();
        let person = self.person_of_flags(user, &mut problems);
        match (&self.role, &world.catalog) {
            (Some(role), Some(catalog)) if catalog.role_named(role).is_none() => {
                let near = nearest(role, catalog.role_names());
                let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
                let what = format!("the database has no role of this name{near}");
                problems.push(problem("--role", &what));
            }
            (Some(_), None) => problems.push(problem("--role", NEEDS_UPSTREAM)),
            (Some(_), Some(_)) | (None, _) => {}
        }
        if self.search_path.is_some() && world.catalog.is_none() {
            problems.push(problem("--search-path", NEEDS_UPSTREAM));
        }
        match problems.is_empty() {
            true => Ok(person),
            false => Err(problems),
        }
    }

    /// Whoever the flags name, if they name anybody.
    ///
    /// # Errors
    /// Each thing that is wrong, with its place among the flags.
    pub fn named(&self) -> Result<Option<AssumedSession>, Vec<SettingsProblem>> {
        let mut problems = Vec::new();
        let person = self.person_of_flags(AssumedSession::UNTOLD, &mut problems);
        match (problems.is_empty(), self.names_somebody()) {
            (false, _) => Err(problems),
            (true, true) => Ok(Some(person)),
            (true, false) => Ok(None),
        }
    }

    fn names_somebody(&self) -> bool {
        let words = [
            &self.user,
            &self.database,
            &self.role,
            &self.application_name,
            &self.certificate,
            &self.search_path,
        ];
        words.iter().any(|word| word.is_some()) || !self.settings.is_empty()
    }

    fn person_of_flags(&self, user: &str, problems: &mut Vec<SettingsProblem>) -> AssumedSession {
        let search_path = self.search_path.as_deref().map(search_path::split);
        if let Some(None) = search_path {
            problems.push(problem("--search-path", "is no list of schemas"));
        }
        let certificate = self.certificate.as_deref().map(NamedCertificate::read);
        let certificate = certificate.transpose().unwrap_or_else(|error| {
            problems.push(problem("--certificate", &error.to_string()));
            None
        });
        let mut person = AssumedSession {
            user: self.user.as_deref().unwrap_or(user).to_owned(),
            database: self.database.clone(),
            role: self.role.clone(),
            application_name: self.application_name.clone().unwrap_or_default(),
            certificate,
            search_path: search_path.flatten(),
            ..AssumedSession::default()
        };
        for setting in &self.settings {
            match setting.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    let name = name.trim().to_ascii_lowercase();
                    person.settings.insert(name, value.to_owned());
                }
                _ => problems.push(problem("--settings", "name=value is wanted")),
            }
        }
        person
    }
}

fn problem(place: &str, what: &str) -> SettingsProblem {
    SettingsProblem {
        place: place.into(),
        what: what.into(),
    }
}

/// What is said of flags that mean nothing without a catalog.
const NEEDS_UPSTREAM: &str = "means something in a database only: give --upstream as well";
