//! `client.auth`: how clients prove who they are, and as whom they are at the server.
//!
//! PgBouncer checks a secret and logs in with the same one. pgsieve does one of two things: it has
//! the server check the client's own password (`passthrough`: at each login, or once in a while
//! where connections are shared), or checks it with a verifier (`scram`) and logs in with a
//! password that it has been given, or with the keys of the client's proof (`auth_query`).

use super::ImportWork;
use super::auth_query::BouncerQuery;
use super::listening::ClientsFrom;
use super::pool_mode::{SharedFor, shares_any, usual_mode};
use super::target::ChosenTarget;
use crate::auth::verifier::ScramVerifier;
use crate::cli::import::auth_file::{ListedSecret, ListedUser};
use crate::cli::import::known::settings::{AUTH_TYPES, SSL_MODES};
use crate::secret::Secret;

/// Writes it; gives the mode of the pool, which some methods do not leave open.
pub fn carry(
    work: &mut ImportWork<'_>,
    target: &ChosenTarget<'_>,
    clients: ClientsFrom,
) -> SharedFor {
    let auth_type = work.configuration.choice("auth_type", AUTH_TYPES);
    let place = work.place("auth_type");
    let wanted = SharedFor::of(usual_mode(work.configuration, target.only));
    let listed = listed(work);
    match auth_type {
        "any" | "trust" => {
            trust(work, target, (auth_type, clients), &listed);
            return wanted;
        }
        "hba" | "ldap" | "pam" => {
            let words = match auth_type {
                "hba" => {
                    "pgsieve has one method for all clients, and reads no HBA file: what its lines \
                     allow is for client.auth, client.tls and `match` of policies to say"
                }
                _ => "pgsieve does not ask there: the database can, under passthrough",
            };
            work.draft.left_out("auth_type", &place, words);
        }
        "plain" => {
            let words = "clients prove who they are by SCRAM-SHA-256, or give their password to \
                         the database through pgsieve";
            work.draft.differs("auth_type", &place, words);
        }
        _ => {}
    }
    if auth_type == "cert" {
        return certificates(work, target, (wanted, clients), listed);
    }
    let usable = listed.iter().filter(|user| user.is_usable()).count();
    let is_asked = is_asked(work, target);
    let keeps_all = listed.iter().all(ListedUser::has_password)
        && work.secrets.are_kept()
        && !is_asked
        && !matches!(auth_type, "ldap" | "pam");
    let query = BouncerQuery::of(work, target).filter(|query| query.fits(target));
    let is_shared = wanted == SharedFor::Transaction || target.user.is_some();
    if let (Some(query), true, false) = (query, is_shared, matches!(auth_type, "ldap" | "pam")) {
        query.carry(work, target);
        return wanted;
    }
    let by_verifier = wanted == SharedFor::Transaction || target.user.is_some() || keeps_all;
    match usable > 0 && by_verifier && !matches!(auth_type, "ldap" | "pam") {
        true => {
            verifiers(work, target, listed);
            wanted
        }
        false => passthrough(work, target, (wanted, clients), &listed),
    }
}

/// The users of `auth_file`, and what there is to be said about the file.
fn listed(work: &mut ImportWork<'_>) -> Vec<ListedUser> {
    let place = work.place("auth_file");
    match &work.listed {
        None => Vec::new(),
        Some(Err(why)) => {
            let words = format!("its users are not known: {why}");
            work.draft.left_out("auth_file", &place, words);
            Vec::new()
        }
        Some(Ok(listed)) => {
            if let Some(line) = listed.broken_from {
                let words = format!(
                    "line {line} is no user in double quotes; as PgBouncer, pgsieve knows none of \
                     the users from there on"
                );
                work.draft.decide("auth_file", &place, words);
            }
            listed.users.clone()
        }
    }
}

/// Whether PgBouncer asks the database for users that are not listed.
fn is_asked(work: &ImportWork<'_>, target: &ChosenTarget<'_>) -> bool {
    let own = |name| {
        target
            .entries
            .iter()
            .any(|entry| entry.text(name).is_some())
    };
    !work.configuration.text("auth_user").is_empty() || own("auth_user")
}

/// Nobody proves anything.
fn trust(
    work: &mut ImportWork<'_>,
    target: &ChosenTarget<'_>,
    (auth_type, clients): (&str, ClientsFrom),
    listed: &[ListedUser],
) {
    let place = work.place("auth_type");
    work.draft.word("client.auth.method", "trust", "");
    if clients == ClientsFrom::Elsewhere {
        let words = "pgsieve trusts clients of its own host alone, and refuses those of others: \
                     choose another client.auth.method";
        work.draft.left_out("auth_type", &place, words);
    }
    if auth_type == "trust" && !listed.is_empty() {
        let words = "under trust every name is let in, not those of the file alone";
        let place = work.place("auth_file");
        work.draft.left_out("auth_file", &place, words);
    }
    if target.user.is_none() && listed.iter().any(ListedUser::has_password) {
        let words = "under trust pgsieve has no passwords for the server: it has to let these \
                     users in without one";
        let place = work.place("auth_file");
        work.draft.left_out("auth_file: passwords", &place, words);
    }
}

/// The name in a certificate proves it.
fn certificates(
    work: &mut ImportWork<'_>,
    target: &ChosenTarget<'_>,
    (wanted, clients): (SharedFor, ClientsFrom),
    listed: Vec<ListedUser>,
) -> SharedFor {
    if listed.is_empty() {
        let place = work.place("auth_type");
        let words = "no user is listed, whom client.auth.users would name";
        work.draft.left_out("auth_type", &place, words);
        return passthrough(work, target, (wanted, clients), &listed);
    }
    work.draft.word("client.auth.method", "cert", "");
    users(work, target, listed, |_, _| Some(Vec::new()));
    wanted
}

/// pgsieve checks passwords.
fn verifiers(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>, listed: Vec<ListedUser>) {
    work.draft.word("client.auth.method", "scram", "");
    if is_asked(work, target) {
        let words = "pgsieve asks for verifiers in one way for all databases, as another user than \
                     that of upstream.url: here only the users below are let in";
        let place = work.place("auth_user");
        work.draft.left_out("auth_query", &place, words);
    }
    let is_md5 = |user: &&ListedUser| matches!(user.secret, ListedSecret::Md5);
    let hashed = names(listed.iter().filter(is_md5));
    if !hashed.is_empty() {
        let words = format!(
            "an MD5 hash proves nobody here; with its password, `pgsieve hash-password` makes the \
             verifier of each: {hashed}"
        );
        let place = work.place("auth_file");
        work.draft.left_out("auth_file", &place, words);
    }
    users(work, target, listed, |work, user| {
        let verifier = match &user.secret {
            ListedSecret::Verifier(verifier) => verifier.clone(),
            ListedSecret::Password(password) => Secret::new(ScramVerifier::make(password).ok()?),
            ListedSecret::Empty | ListedSecret::Md5 => return None,
        };
        let shown = verifier.reveal().to_owned();
        let kept = work
            .secrets
            .keep(&format!("{}.verifier", user.name), verifier);
        Some(vec![match kept {
            Some(path) => ("verifier_file", path),
            None => ("verifier", shown),
        }])
    });
}

/// `client.auth.users`: each with what proves it, and its password at the server.
fn users(
    work: &mut ImportWork<'_>,
    target: &ChosenTarget<'_>,
    listed: Vec<ListedUser>,
    proof: impl Fn(&mut ImportWork<'_>, &ListedUser) -> Option<Vec<(&'static str, String)>>,
) {
    let mut written = Vec::new();
    let mut without: Vec<ListedUser> = Vec::new();
    for user in listed {
        let Some(proof) = proof(work, &user) else {
            continue;
        };
        let mut words = vec![("name", user.name.clone())];
        words.extend(proof);
        match (&user.secret, target.user) {
            (_, Some(_)) | (ListedSecret::Empty, None) => {}
            (ListedSecret::Password(password), None) => {
                let name = format!("{}.password", user.name);
                match work.secrets.keep(&name, password.clone()) {
                    Some(path) => words.push(("upstream_password_file", path)),
                    None => without.push(user),
                }
            }
            (ListedSecret::Verifier(_) | ListedSecret::Md5, None) => without.push(user),
        }
        written.push(words);
    }
    work.draft.users(written);
    if !without.is_empty() {
        let words = format!(
            "pgsieve logs in at the server with a password, not with a verifier: give \
             upstream_password_file or upstream_password_env (--secrets FOLDER does, where the \
             file has passwords), or one user for all in upstream.url, or have the server let them \
             in without: {}",
            names(without.iter())
        );
        let place = work.place("auth_file");
        work.draft.left_out("auth_file: passwords", &place, words);
    }
}

/// The server checks passwords.
fn passthrough(
    work: &mut ImportWork<'_>,
    target: &ChosenTarget<'_>,
    (wanted, clients): (SharedFor, ClientsFrom),
    listed: &[ListedUser],
) -> SharedFor {
    let comment = "Clients give the database their own passwords through pgsieve.";
    work.draft
        .word("client.auth.method", "passthrough", comment);
    if shares_any(work.configuration, target) {
        let comment = "Without asking it again about a password that it has accepted.";
        let path = "client.auth.passthrough.cache_age";
        work.draft.word(path, CACHE_AGE, comment);
        let words = "clients share connections by user and password: the database is asked about \
                     each password again after client.auth.passthrough.cache_age, by a login";
        let place = work.place("pool_mode");
        work.draft.differs("pool_mode", &place, words);
    }
    if let (Some(_), Some(entry)) = (target.user, target.entries.first()) {
        let words = "clients are themselves at the server, as pgsieve knows no users whom it could \
                     let in as this one";
        let place = entry.place.to_string();
        work.draft
            .left_out(format!("[databases] {}: user", entry.name), &place, words);
    }
    if !listed.is_empty() && !is_asked(work, target) {
        let words = "every user whom the database lets in is let in, not those of the file alone, \
                     and by the password that the database has";
        let place = work.place("auth_file");
        work.draft.left_out("auth_file", &place, words);
    }
    let mode = work.configuration.choice("client_tls_sslmode", SSL_MODES);
    let is_required = matches!(mode, "require" | "verify-ca" | "verify-full");
    if clients == ClientsFrom::Elsewhere && !is_required {
        let words = "passwords of clients of other hosts are taken over TLS alone: without it they \
                     are refused (client.tls.mode: require says so; \
                     client.auth.allow_plaintext_passwords lets them)";
        let place = work.place("client_tls_sslmode");
        work.draft.left_out("client_tls_sslmode", &place, words);
    }
    wanted
}

/// Names for a note.
fn names<'u>(users: impl Iterator<Item = &'u ListedUser>) -> String {
    let names: Vec<&str> = users.map(|user| user.name.as_str()).collect();
    match names.get(..NAMES_MAX) {
        Some(first) => format!("{} and {} more", first.join(", "), names.len() - NAMES_MAX),
        None => names.join(", "),
    }
}

impl ListedUser {
    fn is_usable(&self) -> bool {
        match self.secret {
            ListedSecret::Password(_) | ListedSecret::Verifier(_) => true,
            ListedSecret::Empty | ListedSecret::Md5 => false,
        }
    }

    fn has_password(&self) -> bool {
        matches!(self.secret, ListedSecret::Password(_))
    }
}

/// How long a password is let in that the database has accepted: as long as a verifier of
/// `auth_query` is known where nothing is said.
const CACHE_AGE: &str = "10s";

/// Names that a note has.
const NAMES_MAX: usize = 20;
