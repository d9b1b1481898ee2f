//! `client.tls`: TLS with clients.

use super::ImportWork;
use crate::cli::import::known::settings::SSL_MODES;

/// Writes it, where there is any.
pub fn carry(work: &mut ImportWork<'_>) {
    let configuration = work.configuration;
    let mode = match configuration.choice("client_tls_sslmode", SSL_MODES) {
        "disable" => return,
        "allow" | "prefer" => "allow",
        _ => "require",
    };
    let is_checked = configuration
        .text("client_tls_sslmode")
        .starts_with("verify");
    let certificate = configuration.text("client_tls_cert_file");
    let key = configuration.text("client_tls_key_file");
    let authority = configuration.text("client_tls_ca_file");
    let place = work.place("client_tls_sslmode");
    if certificate.is_empty() || key.is_empty() {
        let words = "there is no certificate with a key, without which nobody speaks TLS (nor does \
                     PgBouncer start)";
        return work.draft.left_out("client_tls_sslmode", &place, words);
    }
    work.draft.word("client.tls.mode", mode, "");
    work.draft.word("client.tls.certificate", certificate, "");
    work.draft.word("client.tls.key", key, "");
    match (is_checked, authority) {
        (true, "") => {
            let words = "there is no client_tls_ca_file to check clients' certificates by: none is \
                         asked for";
            work.draft.left_out("client_tls_sslmode", &place, words);
        }
        (true, authority) => work.draft.word("client.tls.client_ca", authority, ""),
        (false, _) => {}
    }
    for name in [
        "client_tls_ciphers",
        "client_tls13_ciphers",
        "client_tls_protocols",
    ] {
        work.left_out_if_changed(name);
    }
}
