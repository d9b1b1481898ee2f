//! Which of several policies a session gets, and why, for a person.

use crate::cli::policy_files::PolicyFile;
use crate::cli::policy_stand::{Person, World};
use crate::config::Problem;
use crate::policy::matching::{Match, Traits};

/// The policy of a session.
pub struct Chosen {
    /// Which.
    pub file: PolicyFile,
    /// Why.
    pub why: String,
}

/// The first policy whose `match` fits, else the one without. What cannot be said of a session here
/// (its address, its certificate) fits nothing.
pub fn choose(files: Vec<PolicyFile>, who: &Person, world: &World) -> Result<Chosen, Vec<Problem>> {
    let traits = traits(who, world);
    let only_one = files.len() == 1;
    let mut without = None;
    for file in files {
        let Some(wanted) = file.policy.matches() else {
            without = without.or(Some(file));
            continue;
        };
        if fits(wanted, &traits, Unsaid::FitsNothing) {
            let why = format!("the first whose match fits: {}", fitting(wanted, &traits));
            return Ok(Chosen { file, why });
        }
        if only_one {
            let why = "the only one given, although its match does not fit this session".into();
            return Ok(Chosen { file, why });
        }
    }
    match (without, only_one) {
        (Some(file), true) => Ok(Chosen {
            file,
            why: "it has no match: it is for every session".into(),
        }),
        (Some(file), false) => Ok(Chosen {
            file,
            why: "no match fits, and it has none".into(),
        }),
        (None, _) => Err(vec![Problem {
            place: "match".into(),
            what: "no policy is for such a session: it is refused at its login".into(),
        }]),
    }
}

/// What is known of a session.
pub fn traits(who: &Person, world: &World) -> Traits {
    Traits {
        user: who.user.as_str().into(),
        database: world.database_of(who).into(),
        application_name: who.application_name.as_str().into(),
        client_address: None,
        certificate_name: None,
    }
}

/// What becomes of lists about what cannot be said of a session here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsaid {
    /// They fit.
    Fits,
    /// They do not.
    FitsNothing,
}

/// Whether a `match` fits a session. A database that is not known fits.
pub fn fits(wanted: &Match, traits: &Traits, unsaid: Unsaid) -> bool {
    let mut known = wanted.clone();
    let address = known.client_address.take();
    let certificate = known.certificate_name.take();
    if traits.database.is_empty() {
        known.database = None;
    }
    let says_more = address.is_some() || certificate.is_some();
    (unsaid == Unsaid::Fits || !says_more) && known.fits(traits)
}

fn fitting(wanted: &Match, traits: &Traits) -> String {
    let parts = [
        ("user", wanted.user.is_some(), &traits.user),
        ("database", wanted.database.is_some(), &traits.database),
        (
            "application_name",
            wanted.application_name.is_some(),
            &traits.application_name,
        ),
    ];
    let parts = parts.into_iter().filter(|(_, asked, _)| *asked);
    let parts: Vec<String> = parts
        .map(|(what, _, name)| format!("{what} {name}"))
        .collect();
    parts.join(", ")
}
