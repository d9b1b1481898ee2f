//! TLS to a server. Nothing falls back here.

use super::ImportWork;
use super::server_address::ServerAddress;
use crate::cli::import::configuration::BouncerConfiguration;
use crate::cli::import::known::settings::SSL_MODES;

/// How a server is spoken to, in libpq's words: the parameters of its address, each with its value.
pub struct ServerTls<'c> {
    /// In their order; none where pgsieve does the right thing by itself.
    pub parameters: Vec<(&'static str, &'c str)>,
    /// Whether PgBouncer would go on without it.
    falls_back: bool,
}

impl<'c> ServerTls<'c> {
    /// With this one.
    pub fn to(address: &ServerAddress, configuration: &'c BouncerConfiguration) -> Self {
        let mut tls = Self {
            parameters: Vec::new(),
            falls_back: false,
        };
        let mode = match configuration.choice("server_tls_sslmode", SSL_MODES) {
            _ if address.is_socket() => return tls,
            "allow" | "prefer" if address.is_local() => return tls,
            "allow" | "prefer" => {
                tls.falls_back = true;
                "require"
            }
            mode => mode,
        };
        tls.parameters.push(("sslmode", mode));
        let authority = match (mode, configuration.text("server_tls_ca_file")) {
            ("disable", _) => return tls,
            ("verify-ca" | "verify-full", "") => Some(SYSTEM),
            ("verify-ca" | "verify-full", file) => Some(file),
            // With a file pgsieve would check, which PgBouncer does not in these modes.
            _ => None,
        };
        tls.parameters
            .extend(authority.map(|file| ("sslrootcert", file)));
        let certificate = configuration.text("server_tls_cert_file");
        let key = configuration.text("server_tls_key_file");
        if !certificate.is_empty() && !key.is_empty() {
            tls.parameters
                .extend([("sslcert", certificate), ("sslkey", key)]);
        }
        tls
    }

    fn is_on(&self) -> bool {
        let mut modes = self
            .parameters
            .iter()
            .filter(|(name, _)| *name == "sslmode");
        modes.any(|(_, mode)| *mode != "disable")
    }
}

/// Notes what there is to be said of all servers together.
pub fn note(work: &mut ImportWork<'_>, all: &[ServerTls<'_>]) {
    let place = work.place("server_tls_sslmode");
    if all.iter().any(|tls| tls.falls_back) {
        let words = "pgsieve does not go on without TLS where it asks for it, as `prefer` does \
                     (which is what newer PgBouncers take by default, where 1.18 asks for no TLS): \
                     disable, if the server has none";
        work.draft.decide("server_tls_sslmode", &place, words);
    }
    let is_system = |tls: &ServerTls<'_>| tls.parameters.contains(&("sslrootcert", SYSTEM));
    if all.iter().any(is_system) {
        let words = "server_tls_ca_file is not given: the authorities of the system are used";
        work.draft.decide("server_tls_ca_file", &place, words);
    }
    if all.iter().any(ServerTls::is_on) {
        for name in ["server_tls_ciphers", "server_tls_protocols"] {
            work.left_out_if_changed(name);
        }
    }
}

/// The authorities of the system.
const SYSTEM: &str = "system";
