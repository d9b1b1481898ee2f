//! The live page in a real browser (Chromium, headless), before a real pgsieve under mixed load.
//! What a browser does is in `browse.js` and `login.js`; `load` is what there is to see.
//!
//! `PAGE_PICTURE=grafana/pictures/page.png cargo test --test outside page::` makes the picture of
//! the README as well, after some minutes of load.

mod load;

mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::time::Duration;

    use crate::page::load::{Load, MARKUP};
    use crate::support::ports::free_port;
    use crate::support::{APP, Options, RawClient, Stack, until};

    const TOKEN: &str = "a-token-for-the-live-page";

    #[test]
    fn a_browser_shows_what_happens() {
        let stack = shop();
        let load = Load::start(&stack, true);
        await_repairs(&stack);
        let pictures = stack.folder().join("pictures");
        fs::create_dir(&pictures).unwrap();
        let said = run("browse.js", &[&url(&stack), &text(&pictures), MARKUP]);
        keep(&pictures);
        drop(load);
        assert!(said.ends_with("all seen\n"), "{said}");
        // What a browser sees of a person's statement is what may leave: what it was about, as the
        // catalog has it, and nothing that only the client has written.
        let state = get(stack.admin_address(), "localhost", "/api/state", "").1;
        assert!(
            state.contains("\"subject\":\"relation shop.orders\""),
            "{state}"
        );
        for word in ["copy_of", "/tmp"] {
            assert!(!state.contains(word), "{word}: {state}");
        }
    }

    #[test]
    fn a_browser_from_elsewhere_needs_the_token() {
        let stack = Stack::start(with_token());
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        client.query("DELETE FROM nothing");
        let said = run("login.js", &[&url(&stack), TOKEN]);
        assert!(said.ends_with("all seen\n"), "{said}");
        assert!(!stack.everything_said().contains(TOKEN));
    }

    #[test]
    fn an_address_that_others_reach_shows_the_page_for_the_token_alone() {
        let port = free_port();
        for (has_token, options) in [(false, without_token()), (true, with_token())] {
            let config = options.config.map(|config| {
                let address = format!("listen: 0.0.0.0:{port}");
                config.replace("listen: '{admin}'", &address)
            });
            let stack = Stack::start_unready(Options { config, ..options });
            let here = SocketAddr::from(([127, 0, 0, 1], port));
            let ready = until(|| (get(here, "localhost", "/readyz", "").0 == 200).then_some(()));
            assert!(ready.is_some(), "{}", stack.stderr());
            assert_eq!(get(here, "localhost", "/api/state", "").0, 200);
            // A machine without a network has no such address.
            let Some(own) = own_address() else { continue };
            let own = SocketAddr::new(own, port);
            let host = own.to_string();
            let closed = if has_token { 401 } else { 403 };
            for page in ["/", "/events", "/api/state"] {
                assert_eq!(get(own, &host, page, "").0, closed, "{page}");
                assert_eq!(get(own, "localhost", page, "").0, closed, "{page}");
            }
            let token = format!("Authorization: Bearer {TOKEN}\r\n");
            let opened = if has_token { 200 } else { 403 };
            assert_eq!(get(own, &host, "/api/state", &token).0, opened);
            for page in ["/metrics", "/healthz", "/readyz"] {
                assert_eq!(get(own, &host, page, "").0, 200, "{page}");
            }
        }
    }

    #[test]
    fn the_picture_of_the_readme() {
        // Made when it is asked for: it takes minutes of load.
        let Some(picture) = std::env::var_os("PAGE_PICTURE") else {
            return;
        };
        let stack = shop();
        let load = Load::start(&stack, false);
        std::thread::sleep(Duration::from_secs(310));
        let said = run("picture.js", &[&url(&stack), &picture.to_string_lossy()]);
        drop(load);
        assert!(said.ends_with("all seen\n"), "{said}");
    }

    fn shop() -> Stack {
        Stack::start(Options {
            shop: true,
            ..Options::default()
        })
    }

    fn without_token() -> Options {
        let config =
            "listen: '{listen}'\nadmin:\n  listen: '{admin}'\nupstream:\n  url: '{upstream}'\n";
        Options {
            config: Some(config.to_owned()),
            ..Options::default()
        }
    }

    fn with_token() -> Options {
        let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("page.token");
        fs::write(&file, format!("{TOKEN}\n")).unwrap();
        let config = format!(
            "listen: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\n  token_file: '{}'\n\
             upstream:\n  url: '{{upstream}}'\naudit:\n  to: '{{audit}}'\n",
            file.display()
        );
        Options {
            config: Some(config),
            ..Options::default()
        }
    }

    /// The address under which others would reach this machine.
    fn own_address() -> Option<IpAddr> {
        let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
        // Nothing is sent: the system only chooses the way.
        socket.connect("192.0.2.200:9").ok()?;
        let own = socket.local_addr().ok()?.ip();
        (!own.is_loopback() && !own.is_unspecified()).then_some(own)
    }

    fn await_repairs(stack: &Stack) {
        let state = || get(stack.admin_address(), "localhost", "/api/state", "").1;
        let repaired = until(|| state().contains("\"recoverer\"").then_some(()));
        assert!(repaired.is_some(), "something is repaired: {}", state());
    }

    /// Status and body.
    fn get(address: SocketAddr, host: &str, page: &str, headers: &str) -> (u16, String) {
        let answer = TcpStream::connect(address).and_then(|mut stream| {
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            write!(
                stream,
                "GET {page} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n"
            )?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        });
        let answer = answer.unwrap_or_default();
        let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status.unwrap_or(0), body.to_owned())
    }

    /// What a script of this folder says, which fails when anything in it does.
    fn run(script: &str, arguments: &[&str]) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let output = Command::new("node")
            .arg(folder.join("tests/outside/page").join(script))
            .args(arguments)
            .env("NODE_PATH", folder.join("target/clients-node/node_modules"))
            .current_dir(folder)
            .output()
            .expect("node is installed by .ci/setup");
        let (said, complained) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success(), "{script}: {said}\n{complained}");
        said.into_owned()
    }

    /// Screenshots go with the stack, unless a folder is named for them.
    fn keep(pictures: &Path) {
        let Some(folder) = std::env::var_os("PAGE_SCREENSHOTS").map(PathBuf::from) else {
            return;
        };
        fs::create_dir_all(&folder).unwrap();
        for picture in fs::read_dir(pictures).unwrap().flatten() {
            fs::copy(picture.path(), folder.join(picture.file_name())).unwrap();
        }
    }

    fn url(stack: &Stack) -> String {
        format!("http://{}", stack.admin_address())
    }

    fn text(path: &Path) -> String {
        path.to_string_lossy().into_owned()
    }
}
