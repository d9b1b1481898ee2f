//! `pgsieve certs`: certificates for trying TLS out.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::{CommandOutcome, fail, print_outcome};
use crate::net::dev_certificates;
use crate::net::dev_certificates::CertificateRequest;

/// The flags of `certs`.
#[derive(clap::Args)]
pub struct CertsFlags {
    /// The folder to write to; existing files are not replaced.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A name or address of the server besides localhost; may be repeated.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The user that the client certificate names.
    #[arg(long, value_name = "USER", default_value = "pgsieve")]
    client: String,
}

/// Writes the files and says which they are.
pub fn run(flags: &CertsFlags, out: &mut impl Write) -> CommandOutcome {
    let hosts: Vec<&str> = flags.hosts.iter().map(String::as_str).collect();
    let wish = CertificateRequest {
        hosts: &hosts,
        client_name: &flags.client,
    };
    match dev_certificates::write(&flags.out, &wish) {
        Ok(made) => {
            let rows = [
                ("authority", made.authority),
                ("server certificate", made.server),
                ("server key", made.server_key),
                ("client certificate", made.client),
                ("client key", made.client_key),
            ];
            let mut lines = rows
                .iter()
                .map(|(what, path)| format!("{what}: {}", path.display()));
            print_outcome(lines.try_for_each(|line| writeln!(out, "{line}")))
        }
        Err(error) => fail(format_args!("{error}")),
    }
}
