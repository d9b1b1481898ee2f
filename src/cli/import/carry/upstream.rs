//! `upstream` and `databases`: the addresses of the servers, with TLS, and the password of the user
//! whom everybody is there.

use super::ImportWork;
use super::pooling;
use super::server_address::{ABSTRACT, encoded};
use super::server_tls::{self, ServerTls};
use super::target::ChosenTarget;
use crate::config::SettingsProblem;

/// Writes them.
///
/// # Errors
/// The server is reached in a way that pgsieve does not have.
pub fn carry(
    work: &mut ImportWork<'_>,
    target: &ChosenTarget<'_>,
) -> Result<(), Vec<SettingsProblem>> {
    let user = target.user.map(|(user, _)| user);
    let database = target.database.as_deref().unwrap_or_default();
    let Some(url) = target.address.url(user, database) else {
        let place = target.main.place.to_string();
        let what = format!("host: {ABSTRACT}");
        return Err(vec![SettingsProblem { place, what }]);
    };
    work.draft.word("upstream.url", url, "");
    if target.address.is_several() {
        let comment = "As with PgBouncer; prefer-standby and primary look at what each server is.";
        work.draft.word("upstream.targets", "any", comment);
    }
    password(work, target);
    let configuration = work.configuration;
    let own = ServerTls::to(&target.address, configuration);
    for (name, value) in &own.parameters {
        let path = match *name {
            "sslmode" => "upstream.tls.mode",
            "sslrootcert" => "upstream.tls.root_certificate",
            "sslcert" => "upstream.tls.certificate",
            _ => "upstream.tls.key",
        };
        work.draft.word(path, *value, "");
    }
    let mut all = vec![own];
    let mut databases = Vec::new();
    for routed in &target.routed {
        let mut url = routed.url.clone();
        let tls = ServerTls::to(&routed.address, configuration);
        for (name, value) in &tls.parameters {
            let sign = if url.contains('?') { '&' } else { '?' };
            url.push_str(&format!("{sign}{name}={}", encoded(value)));
        }
        all.push(tls);
        let mut database = vec![("name", routed.entry.name.clone()), ("url", url)];
        if routed.address.is_several() {
            database.push(("targets", "any".to_owned()));
        }
        database.extend(pooling::own_keys(work, target, routed.entry));
        databases.push(database);
    }
    if !databases.is_empty() {
        work.draft.databases(databases);
    }
    server_tls::note(work, &all);
    Ok(())
}

/// The password of the user whom everybody is there.
fn password(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>) {
    let Some((user, password)) = target.user else {
        return;
    };
    let listed = || work.listed_password(user);
    let Some(password) = password.cloned().or_else(listed) else {
        return;
    };
    match work.secrets.keep("upstream.password", password) {
        Some(path) => work.draft.word("upstream.password_file", path, ""),
        None => {
            let comment = "The password of the URL's user stands in the first line of a file.";
            let example = "/etc/pgsieve/upstream.password";
            work.draft
                .wanted("upstream.password_file", example, comment);
            let words = "it is not written into settings: put it into the file of \
                         upstream.password_file (--secrets FOLDER does)";
            let subject = format!("[databases] {}: password", target.main.name);
            let place = target.main.place.to_string();
            work.draft.left_out(subject, &place, words);
        }
    }
}
