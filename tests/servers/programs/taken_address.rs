//! A place to listen at that somebody else has.

use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::process::Command;

use pgsieve::demo::cluster::random_name;

use crate::support::installed::text;

#[test]
fn who_has_an_address_is_looked_for_and_nothing_is_left() {
    let there = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = there.local_addr().unwrap().to_string();
    let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
    std::fs::create_dir(&folder).unwrap();
    let [own, others] = ["own", "others"].map(|name| folder.join(name));
    let _listening = UnixListener::bind(&others).unwrap();
    let [own, others] = [own, others].map(|path| path.to_string_lossy().into_owned());
    for (listen, said) in [
        (taken.clone(), "is in use by another program"),
        (others, "another program listens at"),
        // What was bound before is given up.
        (format!("{own},{taken}"), "is in use by another program"),
    ] {
        let mut serve = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
        serve.args(["serve", "--upstream", "postgres://127.0.0.1:1/"]);
        serve.args(["--admin", "off", "--policy", "agent"]);
        serve.args(["--listen", &listen]);
        let ended = serve.output().unwrap();
        let errors = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{errors}");
        let line = errors.lines().last().unwrap_or_default();
        assert!(line.starts_with("pgsieve: --listen: "), "{errors}");
        assert!(line.contains(said), "{errors}");
        assert!(!text(&ended.stdout).contains("panic"), "{errors}");
    }
    assert!(!std::path::Path::new(&own).exists());
    std::fs::remove_dir_all(&folder).unwrap();
}
