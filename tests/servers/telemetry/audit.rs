//! The audit of a running pgsieve: lines as the schema says, a chain that holds, and what happens
//! to clients while nothing can be written.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use age::secrecy::ExposeSecret;
use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::ChildSignal;
use serde_json::Value;

use crate::support::raw::Login;
use crate::support::{Options, READER, RawClient, Stack, frames, sql, until};

fn pgsieve(arguments: &[&str], file: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    let output = command
        .arg("audit")
        .args(arguments)
        .arg(file)
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

fn with_audit(audit: &str) -> Options {
    Options {
        config: Some(format!(
            "listen: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\nupstream:\n  url: \
             '{{upstream}}'\ncatalog:\n  age_max: 5min\naudit:\n{audit}"
        )),
        shop: true,
        ..Options::default()
    }
}

/// A run of many sorts of statements, over rotated files and a restart in between by SIGHUP.
#[test]
fn a_busy_run_leaves_lines_as_the_schema_says_on_one_chain() {
    let mut stack = Stack::start(with_audit(
        "  to: '{audit}'\n  copy: pod-7\n  rotate_bytes: 20000\n  chain_key_file: '{folder}/../pgsieve-it-key'\n"
            .replace("{folder}/../pgsieve-it-key", &key_file().to_string_lossy())
            .as_str(),
    ));
    sql::block_on(async {
        for round in 0..20 {
            let reader = stack.proxied(READER).await;
            sql::rows(&reader, "SELECT * FROM shop.customers LIMIT 3").await;
            sql::rows(&reader, "SET extra_float_digits = 3").await;
            sql::refusal(&reader, "DELETE FROM shop.customers").await;
            sql::refusal(&reader, "SELECT 1/0").await;
            let rows = reader.query("SELECT $1::int", &[&round]).await.unwrap();
            assert_eq!(rows.len(), 1);
        }
    });
    stack.prepare(&["CREATE TABLE shop.more (id int)"]);
    RawClient::connect(stack.proxied_address()).send(b"garbage garbage garbage");
    stack.audited(|event| event["event"] == "catalog_drifted");
    stack.audited(|event| event["event"] == "connection_closed");
    stack.signal(ChildSignal::Reload);
    stack.signal(ChildSignal::Terminate);
    assert_eq!(stack.wait_exit(Duration::from_secs(20)), Some(0));

    let key = key_file();
    let arguments = ["verify", "--chain-key-file", key.to_str().unwrap()];
    let (status, said) = pgsieve(&arguments, &stack.audit_path());
    assert_eq!(status, Some(0), "{said}");
    let head = said.trim().rsplit(' ').next().unwrap().to_owned();
    // The log says the same head.
    let log = stack.stderr();
    assert!(
        log.contains(&format!("the audit is closed; head {head}")),
        "{log}"
    );
    assert!(
        log.contains("the audit's file was put aside; head"),
        "{log}"
    );

    let printed = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(["audit", "schema"])
        .output();
    let schema: Value = serde_json::from_slice(&printed.unwrap().stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut lines = 0;
    for number in 0..10 {
        let name = match number {
            0 => "audit.jsonl".to_owned(),
            number => format!("audit.jsonl.{number}"),
        };
        let text = fs::read_to_string(stack.folder().join(name)).unwrap_or_default();
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(validator.is_valid(&value), "{line}");
            assert_known(&schema, &value);
            assert_eq!(value["copy"], "pod-7", "{line}");
            lines += 1;
        }
    }
    assert!(lines > 120, "{lines}");
    let (status, top) = pgsieve(&["top", "--json"], &stack.audit_path());
    let top: Value = serde_json::from_str(&top).unwrap();
    assert_eq!(status, Some(0));
    assert_eq!(
        (&top["refused"], &top["users"][0]["user"]),
        (&20.into(), &READER.into())
    );
    assert_eq!(top["fingerprints"][0]["kind"], "delete");
}

/// A field that the schema does not know is one that nobody documented.
fn assert_known(schema: &Value, line: &Value) {
    let events = schema["oneOf"].as_array().unwrap();
    let event = events.iter().find(|event| event["title"] == line["event"]);
    let known = event.unwrap()["properties"].as_object().unwrap();
    for field in line.as_object().unwrap().keys() {
        assert!(known.contains_key(field), "{field} of {}", line["event"]);
    }
}

fn key_file() -> PathBuf {
    static KEY: std::sync::LazyLock<PathBuf> = std::sync::LazyLock::new(|| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("audit.key");
        fs::write(&path, "5a".repeat(32)).unwrap();
        path
    });
    KEY.clone()
}

/// A pipe that nobody reads: to pgsieve it is a disk that takes nothing.
struct Stuck {
    path: PathBuf,
    both: fs::File,
}

impl Stuck {
    fn new() -> Self {
        let name = format!("pgsieve-pipe-{}", random_name().unwrap());
        let path = std::env::temp_dir().join(name);
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let both = fs::OpenOptions::new().read(true).write(true).open(&path);
        let both = both.unwrap();
        Self { path, both }
    }

    /// The disk is back: lines until one that is looked for.
    fn read_until(&self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut lines = Vec::new();
        for line in BufReader::new(self.both.try_clone().unwrap()).lines() {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let found = wanted(&line);
            lines.push(line);
            if found {
                break;
            }
        }
        lines
    }

    fn drain(self) {
        let _ = fs::remove_file(&self.path);
        let mut both = self.both;
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while both.read(&mut buffer).is_ok_and(|count| count > 0) {}
        });
    }
}

/// Has statements refused until no answer comes any more; the client, and how many were.
fn hammer(mut client: RawClient) -> (RawClient, usize) {
    let stream = client.stream();
    stream
        .set_read_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    let batch = frames::query("DELETE FROM shop.customers").repeat(50);
    let mut refused = 0;
    loop {
        client.send(&batch);
        for _ in 0..50 {
            let mut answered = false;
            while let Ok(frame) = client.read() {
                if frame.kind == b'Z' {
                    answered = true;
                    break;
                }
            }
            if !answered {
                return (client, refused);
            }
            refused += 1;
        }
    }
}

#[test]
fn while_nothing_can_be_written_whoever_is_refused_waits_and_no_refusal_is_lost() {
    let stuck = Stuck::new();
    let stack = Stack::start(with_audit(&format!("  to: '{}'\n", stuck.path.display())));
    let login = stack.login(READER);
    let calm = &mut RawClient::login(stack.proxied_address(), &login);
    // Clients hammer refusals until the audit is full and each of them waits.
    let clients: Vec<_> = (0..4)
        .map(|_| RawClient::login(stack.proxied_address(), &login))
        .collect();
    let hammers: Vec<_> = clients
        .into_iter()
        .map(|client| std::thread::spawn(move || hammer(client)))
        .collect();
    let stopped: Vec<_> = hammers
        .into_iter()
        .map(|hammer| hammer.join().unwrap())
        .collect();
    let refused: usize = stopped.iter().map(|(_, refused)| refused).sum();
    assert!(refused > 5_000, "{refused}");
    assert!(stack.metric("pgsieve_audit_waits_total") >= 4.0);
    let queue = stack.metric("pgsieve_audit_queue_bytes");
    assert!(queue < 4.1 * f64::from(1 << 20), "{queue}");
    // Whoever reads, reads; and is told about nothing.
    let start = Instant::now();
    calm.query("SELECT 1");
    assert!(start.elapsed() < Duration::from_secs(5));
    // A login must be on record, so it waits.
    let address = stack.proxied_address();
    let newcomer = std::thread::spawn(move || {
        let login = Login {
            user: READER,
            password: READER,
            database: "none",
            parameters: &[],
        };
        RawClient::try_login(address, &login)
            .err()
            .unwrap()
            .sqlstate()
    });
    std::thread::sleep(Duration::from_millis(500));
    assert!(!newcomer.is_finished());

    let until = |line: &Value| line["event"] == "login" && line["database"] == "none";
    let lines = stuck.read_until(until);
    assert_eq!(newcomer.join().unwrap(), "3D000");
    let recorded = lines
        .iter()
        .filter(|line| line["verdict"] == "refused")
        .count();
    assert!(
        recorded >= refused,
        "{recorded} of {refused} are in the audit"
    );
    for (mut client, _) in stopped {
        // What it had sent is judged now.
        let stream = client.stream();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        assert_eq!(
            client.until_ready().last().map(|frame| frame.kind),
            Some(b'Z')
        );
    }
    stuck.drain();
}

#[test]
fn with_block_whoever_reads_waits_as_well_and_nothing_is_lost() {
    let stuck = Stuck::new();
    let stack = Stack::start(with_audit(&format!(
        "  to: '{}'\n  on_full: block\n",
        stuck.path.display()
    )));
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    client
        .stream()
        .set_read_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    let batch = frames::query("SELECT 1").repeat(50);
    let mut answered = 0;
    'stopped: loop {
        client.send(&batch);
        for _ in 0..50 {
            loop {
                match client.read() {
                    Ok(frame) if frame.kind == b'Z' => break,
                    Ok(_) => {}
                    Err(_) => break 'stopped,
                }
            }
            answered += 1;
        }
        assert!(answered < 100_000, "it never waits");
    }
    let waiting = until(|| (stack.metric("pgsieve_audit_waits_total") > 0.0).then_some(()));
    assert!(waiting.is_some());
    let lines = stuck.read_until(|line| {
        line["verdict"] == "permitted" && line["seq"].as_u64().is_some_and(|seq| seq > answered)
    });
    let permitted = lines.iter().filter(|line| line["verdict"] == "permitted");
    let permitted = u64::try_from(permitted.count()).unwrap();
    assert!(permitted >= answered - 50, "{permitted} of {answered}");
    assert_eq!(stack.metric("pgsieve_audit_dropped_total"), 0.0);
    client
        .stream()
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    assert_eq!(client.read().unwrap().kind, b'T');
    stuck.drain();
}

/// A disk that is full says so, one that hangs says nothing: nobody gets in before either.
#[test]
fn while_no_login_can_be_put_on_record_pgsieve_is_not_ready_and_says_why() {
    let stuck = Stuck::new();
    let full = PathBuf::from("/dev/full");
    for (to, why, more) in [
        (&full, ": no storage space\n", ""),
        (
            &stuck.path,
            ": a write does not end\n",
            "  on_full: block\n",
        ),
    ] {
        let stack = Stack::start(with_audit(&format!("  to: '{}'\n{more}", to.display())));
        let login = stack.login(READER);
        // Each waits by itself after the one that fills the queue.
        let clients: Vec<_> = (0..3)
            .map(|_| RawClient::login(stack.proxied_address(), &login))
            .map(|client| std::thread::spawn(move || hammer(client)))
            .collect();
        let told = || {
            let (status, text) = stack.get("/readyz");
            (status == 503).then_some(text)
        };
        let told = until(|| until(told)).unwrap_or_else(|| panic!("{}", stack.stderr()));
        assert!(told.starts_with("audit cannot be written\n"), "{told}");
        assert!(
            told.contains("\naudit: takes no lines for ") && told.ends_with(why),
            "{told}"
        );
        let error = RawClient::try_login(stack.proxied_address(), &login);
        let error = error.err().expect("nobody is let in unrecorded");
        assert_eq!(error.sqlstate(), "57P03");
        assert!(error.field(b'M').unwrap().contains("audit"), "{error:?}");
        if *to == stuck.path {
            let other = stuck.both.try_clone().unwrap();
            std::thread::spawn(move || std::io::copy(&mut &other, &mut std::io::sink()));
            until(|| (stack.get("/readyz").0 == 200).then_some(())).expect("ready again");
            RawClient::login(stack.proxied_address(), &login);
        }
        drop(clients);
    }
}

/// Each text as the client sent it, by whichever way, and no value of a parameter; by fingerprint,
/// over rotated files, on a chain that holds, for each recipient and nobody else.
#[test]
fn texts_are_opened_by_whoever_has_an_identity_and_by_nobody_else() {
    let [ann, bob, eve] = [(); 3].map(|()| age::x25519::Identity::generate());
    let mut stack = Stack::start(with_audit(&format!(
        "  to: '{{audit}}'\n  rotate_bytes: 20000\n  text: encrypted\n  text_recipients: [{}, {}]\n",
        ann.to_public(),
        bob.to_public()
    )));
    let long = format!("SELECT '{}ä'", "x".repeat(20_000));
    sql::block_on(async {
        let reader = stack.proxied(READER).await;
        for _ in 0..30 {
            sql::rows(&reader, "SELECT 'of ann', $$\"\n$$").await;
            sql::refusal(&reader, "DELETE FROM shop.customers WHERE id = 77").await;
        }
        sql::refusal(&reader, "SELEC nonsense 'here'").await;
        sql::rows(&reader, &long).await;
        let rows = reader
            .query("SELECT $1::text", &[&"a parameter"])
            .await
            .unwrap();
        assert_eq!(rows.len(), 1);
    });
    stack.signal(ChildSignal::Terminate);
    assert_eq!(stack.wait_exit(Duration::from_secs(20)), Some(0));
    let (status, said) = pgsieve(&["verify"], &stack.audit_path());
    assert_eq!(status, Some(0), "{said}");

    let open = |identity: &age::x25519::Identity, more: &[&str]| {
        let file = std::env::temp_dir().join(format!("pgsieve-age-{}", random_name().unwrap()));
        fs::write(&file, identity.to_string().expose_secret()).unwrap();
        let flags = ["open", "--identity", file.to_str().unwrap()];
        let arguments: Vec<&str> = flags.iter().chain(more).copied().collect();
        let answer = pgsieve(&arguments, &stack.audit_path());
        fs::remove_file(&file).unwrap();
        answer
    };
    let (status, opened) = open(&ann, &[]);
    assert_eq!(status, Some(0), "{opened}");
    assert_eq!(open(&bob, &[]), (Some(0), opened.clone()));
    assert_eq!(open(&eve, &[]), (Some(1), String::new()));
    let lines: Vec<Value> = opened
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |text: &str| lines.iter().filter(|line| line["text"] == text).count();
    assert_eq!(of("SELECT 'of ann', $$\"\n$$"), 30);
    assert_eq!(of("DELETE FROM shop.customers WHERE id = 77"), 30);
    assert_eq!(of("SELEC nonsense 'here'"), 1);
    assert_eq!(of("SELECT $1::text"), 1);
    assert!(!opened.contains("a parameter"));
    let cut = lines
        .iter()
        .find(|line| line.get("text_left_out").is_some());
    let cut = cut.expect("the long text is cut");
    let kept = cut["text"].as_str().unwrap();
    assert!(
        long.starts_with(kept) && kept.len() > 8000,
        "{}",
        kept.len()
    );
    let left_out = u64::try_from(long.len() - kept.len()).unwrap();
    assert_eq!(cut["text_left_out"], left_out);

    let deleted = lines
        .iter()
        .find(|line| line["verdict"] == "refused")
        .unwrap();
    let fingerprint = deleted["fingerprint"].as_str().unwrap();
    let (status, some) = open(&ann, &["--fingerprint", fingerprint]);
    assert_eq!((status, some.lines().count()), (Some(0), 30), "{some}");
    let (status, none) = open(&ann, &["--fingerprint", &"0".repeat(32)]);
    assert_eq!((status, none.as_str()), (Some(1), ""));
}
