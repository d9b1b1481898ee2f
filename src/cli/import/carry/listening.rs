//! `listen`, out of addresses, the port and the folder of sockets.

use std::net::IpAddr;

use super::ImportWork;
use crate::config::SettingsProblem;

/// From where clients can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientsFrom {
    /// This host alone.
    Here,
    /// A network.
    Elsewhere,
}

/// Writes it.
///
/// # Errors
/// There is nowhere to listen, for which PgBouncer does not start either; or the port is none.
pub fn carry(work: &mut ImportWork<'_>) -> Result<ClientsFrom, Vec<SettingsProblem>> {
    let configuration = work.configuration;
    let Some(port) = u16::try_from(configuration.count("listen_port")).ok() else {
        return Err(wrong(work, "listen_port", "a number up to 65535 is wanted"));
    };
    let named = configuration.text("listen_addr").split(',').map(str::trim);
    let named: Vec<&str> = named.filter(|name| !name.is_empty()).collect();
    let folder = configuration.text("unix_socket_dir");
    let mut listens: Vec<String> = named.iter().map(|name| address(name, port)).collect();
    match folder {
        "" => {}
        folder if folder.starts_with('@') => {
            let place = work.place("unix_socket_dir");
            let words = "sockets in the abstract namespace are not offered";
            work.draft.left_out("unix_socket_dir", &place, words);
        }
        folder => {
            let own = match folder.starts_with('/') {
                true => "",
                false => "./",
            };
            listens.push(format!("{own}{folder}/.s.PGSQL.{port}"));
        }
    }
    if listens.is_empty() {
        return Err(wrong(
            work,
            "listen_addr",
            "neither an address nor a folder of sockets to listen at",
        ));
    }
    if named.contains(&"*") {
        let words = "[::] takes IPv4 as well; where the host has no IPv6, write 0.0.0.0";
        let place = work.place("listen_addr");
        work.draft.differs("listen_addr", &place, words);
    }
    let is_here = |name: &&str| {
        let address: Result<IpAddr, _> = name.parse();
        *name == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
    };
    work.draft.words("listen", listens);
    Ok(match named.iter().all(is_here) {
        true => ClientsFrom::Here,
        false => ClientsFrom::Elsewhere,
    })
}

fn wrong(work: &ImportWork<'_>, name: &str, what: &str) -> Vec<SettingsProblem> {
    let place = match work.configuration.place(name) {
        Some(place) => place.to_string(),
        None => name.to_owned(),
    };
    let what = what.to_owned();
    vec![SettingsProblem { place, what }]
}

fn address(name: &str, port: u16) -> String {
    match name {
        "*" => format!("[::]:{port}"),
        name if name.contains(':') && !name.starts_with('[') => format!("[{name}]:{port}"),
        name => format!("{name}:{port}"),
    }
}
