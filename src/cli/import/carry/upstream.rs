//! `upstream`: the address of the server, the password of the user whom everybody is there, TLS.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::ImportWork;
use super::target::ChosenTarget;
use crate::cli::import::known::settings::SSL_MODES;
use crate::config::SettingsProblem;
use crate::upstream::address::host_list::UpstreamAddress;

/// Writes it.
///
/// # Errors
/// The server is reached in a way that pgsieve does not have.
pub fn carry(
    work: &mut ImportWork<'_>,
    target: &ChosenTarget<'_>,
) -> Result<(), Vec<SettingsProblem>> {
    let hosts: Vec<&str> = target.host.split(',').map(str::trim).collect();
    let host = hosts.first().copied().unwrap_or_default();
    let place = target.entries.first().map(|entry| entry.place.to_string());
    let place = place.unwrap_or_default();
    if host.starts_with('@') {
        let what = "host: sockets in the abstract namespace are not reached by pgsieve".to_owned();
        return Err(vec![SettingsProblem { place, what }]);
    }
    let encoded = |word: &str| utf8_percent_encode(word, ESCAPED).to_string();
    let user = target.user.map(|(user, _)| format!("{}@", encoded(user)));
    let user = user.unwrap_or_default();
    let database = target.database.as_deref().map(encoded).unwrap_or_default();
    let port = target.port;
    let url = match host {
        host if host.starts_with('/') => {
            let folder = utf8_percent_encode(host, NON_ALPHANUMERIC);
            format!("postgres://{user}/{database}?host={folder}&port={port}")
        }
        _ => {
            let places = hosts.iter().map(|host| match host.contains(':') {
                true => format!("[{host}]:{port}"),
                false => format!("{}:{port}", encoded(host)),
            });
            let places: Vec<String> = places.collect();
            format!("postgres://{user}{}/{database}", places.join(","))
        }
    };
    let read = UpstreamAddress::parse_with(&url, &[]);
    let is_local = read.is_ok_and(|read| read.servers.iter().all(|one| one.endpoint.is_local()));
    work.draft.word("upstream.url", url, "");
    if hosts.len() > 1 {
        let comment = "As with PgBouncer; prefer-standby and primary look at what each server is.";
        work.draft.word("upstream.targets", "any", comment);
    }
    password(work, target);
    tls(work, host, is_local);
    Ok(())
}

/// The password of the user whom everybody is there.
fn password(work: &mut ImportWork<'_>, target: &ChosenTarget<'_>) {
    let Some((user, password)) = target.user else {
        return;
    };
    let entry = target.entries.first();
    let name = entry.map_or("", |entry| entry.name.as_str());
    let place = entry.map(|entry| entry.place.to_string());
    let place = place.unwrap_or_default();
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
            let subject = format!("[databases] {name}: password");
            work.draft.left_out(subject, &place, words);
        }
    }
}

/// TLS to the server. Nothing falls back here.
fn tls(work: &mut ImportWork<'_>, host: &str, is_local: bool) {
    let configuration = work.configuration;
    let place = work.place("server_tls_sslmode");
    let mode = configuration.choice("server_tls_sslmode", SSL_MODES);
    let is_socket = host.starts_with('/');
    let written = match mode {
        _ if is_socket => return,
        "allow" | "prefer" if is_local => None,
        "allow" | "prefer" => {
            let words = "pgsieve does not go on without TLS where it asks for it, as `prefer` does \
                         (which is what newer PgBouncers take by default, where 1.18 asks for no \
                         TLS): disable, if the server has none";
            work.draft.decide("server_tls_sslmode", &place, words);
            Some("require")
        }
        mode => Some(mode),
    };
    if let Some(written) = written {
        work.draft.word("upstream.tls.mode", written, "");
    }
    if written.is_none_or(|mode| mode == "disable") {
        return;
    }
    let authority = configuration.text("server_tls_ca_file");
    match (written, authority) {
        (Some("verify-ca" | "verify-full"), "") => {
            let words = "server_tls_ca_file is not given: the authorities of the system are used";
            work.draft.decide("server_tls_ca_file", &place, words);
            work.draft
                .word("upstream.tls.root_certificate", "system", "");
        }
        (Some("verify-ca" | "verify-full"), file) => {
            work.draft.word("upstream.tls.root_certificate", file, "");
        }
        // With a file pgsieve would check, which PgBouncer does not in these modes.
        _ => {}
    }
    let certificate = configuration.text("server_tls_cert_file");
    let key = configuration.text("server_tls_key_file");
    if !certificate.is_empty() && !key.is_empty() {
        work.draft.word("upstream.tls.certificate", certificate, "");
        work.draft.word("upstream.tls.key", key, "");
    }
    for name in ["server_tls_ciphers", "server_tls_protocols"] {
        work.left_out_if_changed(name);
    }
}

/// What an address does not have as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
