//! Where a session looks names up is the server's to know and pgsieve's to follow: whatever a
//! client does to it, in whatever order and however it is sent, a name is judged as what it stands
//! for when it runs.
//!
//! A function of one name is clean in one schema and leaves a trace in another. Sessions wander at
//! random, from fixed seeds, and call it by its bare name all the time: there is never a trace.

use crate::support::raw::{Frame, Login, kinds};
use crate::support::{Options, READER, RawClient, Stack, frames, shared, until};
use crate::versions::{has_case, on_every_version};

on_every_version!(wherever_a_session_looks_names_up_no_trace_is_left, walk_on);

fn walk_on(version: u32) {
    let Some(stack) = stack(version) else {
        return;
    };
    let (mut ran, mut walked) = (0, 0);
    for (case, seed) in (1..=walks()).enumerate() {
        if has_case(version, case) {
            ran += Walk::new(&stack, version, seed).go();
            walked += 1;
        }
    }
    // Most of what is clean is not refused.
    println!("{ran} calls ran in {walked} walks");
    assert!(ran > walked && walked > 0, "{ran} in {walked}");
}

/// How many; more by the environment.
fn walks() -> u64 {
    let wish = std::env::var("SEARCH_PATH_WALKS").ok();
    wish.and_then(|number| number.parse().ok()).unwrap_or(150)
}

/// A session under way.
struct Walk {
    client: RawClient,
    random: Random,
    version: u32,
    seed: u64,
    /// What was sent so far, for those who have to find out.
    story: Vec<String>,
    /// What was not sent yet.
    waiting: Vec<u8>,
    /// ReadyForQuery messages that are owed.
    owed: usize,
    unsynced: bool,
    ran: u64,
}

impl Walk {
    fn new(stack: &Stack, version: u32, seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let path = random.of(&PATHS);
        let login = Login {
            parameters: &[("search_path", path)],
            ..stack.login(READER)
        };
        let mut client = RawClient::login(stack.proxied_address(), &login);
        client.query("SET search_path = clean");
        client.send(&[frames::parse("kept", "SELECT f()"), frames::sync()].concat());
        client.until_ready();
        client.query("RESET search_path");
        Self {
            client,
            random,
            version,
            seed,
            story: vec![format!("begins with {path}")],
            waiting: Vec::new(),
            owed: 0,
            unsynced: false,
            ran: 0,
        }
    }

    /// How many calls ran.
    fn go(mut self) -> u64 {
        for _ in 0..40 {
            match self.random.below(10) {
                0..4 => self.simple(),
                4 => self.several(),
                5..9 => self.extended(),
                _ => self.probe(),
            }
            if self.random.below(3) > 0 {
                self.settle();
            }
            if self.random.below(3) == 0 {
                self.probe();
            }
        }
        self.settle();
        self.ran
    }

    fn simple(&mut self) {
        let text = self.text();
        self.query(&text);
    }

    fn several(&mut self) {
        let count = 2 + self.random.below(3);
        let texts: Vec<String> = (0..count).map(|_| self.text()).collect();
        self.query(&texts.join("; "));
    }

    fn probe(&mut self) {
        match self.random.below(6) {
            0..3 => self.query("SELECT f()"),
            3 => self.query("EXECUTE probe"),
            4 => {
                self.message(frames::bind("", "kept", &[], false), "Bind '' kept");
                self.message(frames::execute("", 0), "Execute ''");
                self.sync();
            }
            _ => {
                self.message(frames::parse("", "SELECT f()"), "Parse '' SELECT f()");
                self.message(frames::bind("", "", &[], false), "Bind '' ''");
                self.message(frames::execute("", 0), "Execute ''");
                self.sync();
            }
        }
        if self.random.below(2) > 0 {
            self.settle();
        }
    }

    fn extended(&mut self) {
        for _ in 0..=self.random.below(3) {
            self.step();
            match self.random.below(8) {
                0 => self.flush(),
                1..4 => self.sync(),
                _ => {}
            }
        }
        if self.random.below(4) > 0 {
            self.sync();
        }
    }

    fn step(&mut self) {
        let name = self.random.of(&["", "", "x", "y"]);
        let portal = self.random.of(&["", "", "q"]);
        match self.random.below(10) {
            0..6 => {
                let text = self.text();
                self.message(
                    frames::parse(name, &text),
                    &format!("Parse '{name}' {text}"),
                );
                self.run(portal, name);
            }
            6 => self.run(portal, name),
            // Alone, an Execute of what an error has ended can crash a server of version 15.
            7 => {
                self.run(portal, name);
                self.execute(portal);
            }
            8 => self.message(frames::close(b'S', name), &format!("Close '{name}'")),
            _ => {
                let text = self.text();
                self.message(
                    frames::parse(name, &text),
                    &format!("Parse '{name}' {text}"),
                );
            }
        }
    }

    fn run(&mut self, portal: &str, name: &str) {
        self.message(
            frames::bind(portal, name, &[], false),
            &format!("Bind '{portal}' '{name}'"),
        );
        self.execute(portal);
    }

    fn execute(&mut self, portal: &str) {
        let rows = i32::from(self.random.below(2) > 0);
        self.message(
            frames::execute(portal, rows),
            &format!("Execute '{portal}' {rows}"),
        );
    }

    /// A statement.
    fn text(&mut self) -> String {
        let path = self.random.of(&PATHS);
        let other = self.random.of(&PATHS);
        let local = self.random.of(&["true", "false"]);
        let text = self.random.of(&TEXTS);
        text.replace("{path}", path)
            .replace("{other}", other)
            .replace("{local}", local)
    }

    fn query(&mut self, text: &str) {
        // After an error in the extended protocol it would not be answered.
        if self.unsynced {
            self.sync();
        }
        self.message(frames::query(text), text);
        self.owed += 1;
    }

    fn sync(&mut self) {
        self.message(frames::sync(), "Sync");
        self.unsynced = false;
        self.owed += 1;
    }

    /// Has everything sent and answered, though no Sync ends it.
    fn flush(&mut self) {
        self.message(frames::flush(), "Flush");
        self.send();
        std::thread::sleep(std::time::Duration::from_millis(3));
    }

    fn message(&mut self, bytes: Vec<u8>, told: &str) {
        self.unsynced = !bytes.starts_with(b"Q");
        self.waiting.extend_from_slice(&bytes);
        self.story.push(told.to_owned());
    }

    fn send(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        self.client.send(&waiting);
    }

    /// Waits for all answers.
    fn settle(&mut self) {
        self.send();
        while self.owed > 0 {
            self.owed -= 1;
            let answer = self.answer();
            for frame in &answer {
                self.look(frame);
            }
            let failed = answer.iter().find(|frame| frame.kind == b'E');
            let failed = failed.map(|frame| frame.field(b'M'));
            self.story.push(format!("  {} {failed:?}", kinds(&answer)));
        }
    }

    fn answer(&mut self) -> Vec<Frame> {
        let mut answer = Vec::new();
        while answer.last().is_none_or(|frame: &Frame| frame.kind != b'Z') {
            match self.client.read() {
                Ok(frame) => answer.push(frame),
                Err(error) => self.fail(&format!("{error} after {answer:?}")),
            }
        }
        answer
    }

    fn fail(&self, what: &str) -> ! {
        panic!(
            "Postgres {}, seed {}: {what} after\n{}",
            self.version,
            self.seed,
            self.story.join("\n")
        );
    }

    fn look(&mut self, frame: &Frame) {
        let told = String::from_utf8_lossy(&frame.body);
        if frame.kind == b'N' && told.contains("a trace") {
            self.fail("a trace");
        }
        if frame.kind == b'D' && told.contains("clean") {
            self.ran += 1;
        }
    }
}

/// Numbers that are the same at every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        let place = self.below(u64::try_from(all.len()).unwrap());
        all[usize::try_from(place).unwrap()]
    }
}

fn stack(version: u32) -> Option<Stack> {
    let cluster = match version {
        15 => None,
        other => Some(shared::shared_cluster_of(other)?),
    };
    let stack = Stack::start(Options {
        policy: Some("bi"),
        cluster,
        ..Options::default()
    });
    stack.prepare(SCHEMAS);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let shown = |answer: &[Frame]| answer.iter().any(|frame| frame.kind == b'D');
    until(|| shown(&client.query("SELECT clean.f()")).then_some(()))?;
    Some(stack)
}

const SCHEMAS: &[&str] = &[
    "CREATE SCHEMA clean; CREATE SCHEMA dirty; CREATE SCHEMA empty",
    "CREATE FUNCTION clean.f() RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT 'clean'$$",
    "CREATE FUNCTION dirty.f() RETURNS text LANGUAGE plpgsql AS
     $$BEGIN RAISE WARNING 'a trace'; RETURN 'no'; END$$",
    "GRANT USAGE ON SCHEMA clean, dirty, empty TO PUBLIC",
];

const PATHS: [&str; 6] = [
    "clean",
    "dirty",
    "dirty, clean",
    "clean, dirty",
    "empty, clean",
    "empty, dirty",
];

const TEXTS: [&str; 60] = [
    "SET search_path = {path}",
    "SET search_path = {path}",
    "SET search_path = {path}",
    "SET LOCAL search_path = {path}",
    "SET LOCAL search_path = {path}",
    "SET SCHEMA 'clean'",
    "SET SCHEMA 'dirty'",
    "SET LOCAL SCHEMA 'dirty'",
    "RESET search_path",
    "SET search_path TO DEFAULT",
    "SET LOCAL search_path TO DEFAULT",
    "RESET ALL",
    "DISCARD ALL",
    "SELECT set_config('search_path', '{path}', {local})",
    "SELECT set_config('search_path', '{path}', {local})",
    "SELECT set_config('search_path', NULL, {local})",
    "SELECT set_config('search_path', '{path}', {local}) WHERE false",
    "SELECT set_config('search_path', '{path}', {local}) LIMIT 0",
    "SELECT CASE WHEN random() < 0.5 THEN set_config('search_path', '{path}', {local}) END",
    "SELECT (SELECT set_config('search_path', '{path}', {local}))",
    "SELECT set_config('search_path', '{path}', {local}) FROM generate_series(1, 2)",
    "SELECT set_config('search_path', '{path}', {local}), set_config('search_path', '{other}', {local})",
    "SELECT set_config('search_path', '{path}', {local}) UNION ALL SELECT set_config('search_path', '{other}', {local})",
    "SELECT set_config('search_path', '{path}', {local}), 1 / (random() * 0)::int",
    "WITH w AS MATERIALIZED (SELECT set_config('search_path', '{path}', {local})) SELECT 1",
    "SELECT 1 FROM (SELECT set_config('search_path', '{path}', {local}) OFFSET 0) AS s",
    "BEGIN",
    "BEGIN",
    "BEGIN",
    "COMMIT",
    "COMMIT",
    "ROLLBACK",
    "ROLLBACK",
    "COMMIT AND CHAIN",
    "ROLLBACK AND CHAIN",
    "SAVEPOINT s",
    "SAVEPOINT s",
    "SAVEPOINT t",
    "ROLLBACK TO s",
    "ROLLBACK TO s",
    "ROLLBACK TO t",
    "RELEASE s",
    "SELECT 1 / 0",
    "SELECT nothing",
    "PREPARE p AS SELECT set_config('search_path', '{path}', {local})",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "DEALLOCATE p",
    "PREPARE probe AS SELECT f()",
    "DECLARE c CURSOR FOR SELECT set_config('search_path', '{path}', {local})",
    "DECLARE c CURSOR WITH HOLD FOR SELECT set_config('search_path', '{path}', {local})",
    "DECLARE c CURSOR FOR SELECT f()",
    "FETCH c",
    "FETCH q",
    "MOVE c",
    "CLOSE c",
    "EXPLAIN SELECT set_config('search_path', '{path}', {local})",
    "EXPLAIN ANALYZE SELECT set_config('search_path', '{path}', {local})",
    "SELECT f()",
    "SELECT f()",
];
