//! Settings that `pgsieve import` has written: each name of PgBouncer's `[databases]` leads through
//! pgsieve to where it leads through a PgBouncer of the same configuration.

use std::fs;
use std::path::Path;

use super::databases::{cluster, named, new_folder};
use super::port_of;
use crate::support::bouncer::PgBouncer;
use crate::support::command::pgsieve;
use crate::support::raw::rows;
use crate::support::{APP, Options, RawClient, Stack, sql, until};

#[test]
fn names_lead_where_they_lead_through_pgbouncer() {
    let (own, other) = (cluster(), cluster());
    for server in [own, other] {
        let make = ["CREATE DATABASE shop", "CREATE DATABASE \"it's a shop\""];
        sql::run_blocking(&server.url("postgres", "postgres", "postgres"), &make);
    }
    let (own, other) = (own.port(), other.port());
    let databases = format!(
        "shop = host=127.0.0.1 port={other} user={APP} password={APP}\n\
         sales = host=127.0.0.1 port={other} dbname=shop user={APP} password={APP}\n\
         my-shop.2 = host=127.0.0.1 port={own} dbname='it''s a shop' user={APP} password={APP}\n\
         either = host=127.0.0.1,127.0.0.1 port={own} dbname=shop user={APP} password={APP}\n\
         first = host=127.0.0.1 port={own} dbname=postgres user={APP} password={APP}\n"
    );
    for (dbname, unlisted) in [("", "postgres"), ("dbname=shop", "any name")] {
        let databases =
            format!("{databases}* = host=127.0.0.1 port={own} {dbname} user={APP} password={APP}");
        let more = "server_tls_sslmode = disable\npool_mode = transaction";
        let bouncer = PgBouncer::start(&databases, more);
        let folder = new_folder();
        let stack = imported(&folder, bouncer.settings());
        for name in ["shop", "sales", "my-shop.2", "first", unlisted] {
            let login = named(name);
            let through = until(|| RawClient::try_login(stack.proxied_address(), &login).ok());
            let through = through.unwrap_or_else(|| panic!("{name}: {}", stack.stderr()));
            let found = place(through);
            assert_eq!(found, place(bouncer.login(APP, name)), "{name}");
        }
        let refused = RawClient::try_login(stack.proxied_address(), &named("either"));
        match unlisted {
            // Where all others are there is none of that name.
            "postgres" => assert_eq!(refused.err().expect("left out").sqlstate(), "3D000"),
            _ => drop(refused.expect("led to the fallback's")),
        }
        fs::remove_dir_all(folder).unwrap();
    }
}

/// A pgsieve with what is written from such a configuration.
fn imported(folder: &Path, settings: &str) -> Stack {
    let (file, secrets) = (folder.join("pgbouncer.ini"), folder.join("secrets"));
    fs::write(&file, settings).unwrap();
    let (file, secrets) = (file.to_string_lossy(), secrets.to_string_lossy());
    let output = pgsieve(&["import", &file, "--secrets", &secrets], "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("left out: [databases] either: "), "{said}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| match line.starts_with("listen:") {
        true => "listen: '{listen}'",
        false => line,
    });
    let lines: Vec<&str> = lines.collect();
    Stack::start(Options {
        config: Some(format!(
            "{}\nadmin:\n  listen: '{{admin}}'\n",
            lines.join("\n")
        )),
        ..Options::default()
    })
}

/// The server of a session, and its database there.
fn place(mut client: RawClient) -> (u16, Vec<String>) {
    let port = port_of(&mut client);
    (port, rows(&client.query("SELECT current_database()")))
}
