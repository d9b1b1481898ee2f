//! Random walks under every limit at once: whatever a client sends and in whatever order, each of
//! its messages is answered in its place, each Sync and Query by one ReadyForQuery, and no result
//! has more than the policy allows. The walks come from fixed seeds.

use std::sync::Arc;
use std::thread;

use crate::support::raw::Frame;
use crate::support::{APP, Options, RawClient, Stack, frames};

#[test]
fn every_message_is_answered_in_its_place_with_errors() {
    walk_all(&[("\nlimits:\n", "\nlimits:\n  on_limit: error\n"), LIMITS]);
}

#[test]
fn every_message_is_answered_in_its_place_with_truncation() {
    walk_all(&[("\nlimits:\n", "\nlimits:\n  on_limit: truncate\n"), LIMITS]);
}

fn walk_all(edits: &'static [(&'static str, &'static str)]) {
    let options = || Options {
        policy: Some("bi"),
        policy_edits: edits,
        ..Options::default()
    };
    walk_before(Stack::start(options()));
    // From 18 on an Execute without a Sync opens an implicit transaction block.
    if let Some(stack) = Stack::on_version_with(18, options()) {
        walk_before(stack);
    }
}

fn walk_before(stack: Stack) {
    let stack = Arc::new(stack);
    stack.prepare(&[
        "CREATE TABLE public.many AS SELECT g AS id FROM generate_series(1, 2000) AS g",
        "ANALYZE public.many",
        "GRANT SELECT ON public.many TO PUBLIC",
    ]);
    let walkers: Vec<_> = (1..=WALKERS)
        .map(|walker| {
            let stack = Arc::clone(&stack);
            thread::spawn(move || {
                for walk in 0..WALKS {
                    Walk::new(&stack, walker * 10_000 + walk).go();
                }
            })
        })
        .collect();
    for walker in walkers {
        walker.join().expect("every walk ends as it must");
    }
}

/// One client, and what it has to hear next.
struct Walk {
    client: RawClient,
    random: u64,
    seed: u64,
    heard: Vec<String>,
}

#[derive(Debug)]
enum Step {
    Query(Vec<&'static str>),
    Parse(&'static str, &'static str),
    Bind(&'static str, &'static str),
    Describe(&'static str),
    Execute(&'static str, i32),
    Close(&'static str),
    Flush,
    Sync,
}

impl Walk {
    fn new(stack: &Stack, seed: u64) -> Self {
        Self {
            client: RawClient::login(stack.proxied_address(), &stack.login(APP)),
            random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            seed,
            heard: Vec::new(),
        }
    }

    fn below(&mut self, most: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random >> 33).unwrap() % most
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn go(&mut self) {
        for _ in 0..BATCHES {
            let steps = self.steps();
            let bytes: Vec<Vec<u8>> = steps.iter().map(bytes_of).collect();
            if self.below(3) == 0 {
                for part in &bytes {
                    self.client.send(part);
                }
            } else {
                self.client.send(&bytes.concat());
            }
            self.hear(&steps);
        }
    }

    fn steps(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for _ in 0..1 + self.below(9) {
            let (name, portal) = (self.one_of(&NAMES), self.one_of(&NAMES));
            match self.below(10) {
                0..3 => steps.push(Step::Query(vec![self.one_of(TEXTS)])),
                3 => {
                    let texts = (0..2 + self.below(3)).map(|_| self.one_of(TEXTS));
                    let texts = texts.collect();
                    steps.push(Step::Query(texts));
                }
                4..6 => {
                    let rows = self.one_of(&[0, 1, 4, 5, 6]);
                    steps.push(Step::Parse(name, self.one_of(TEXTS)));
                    steps.push(Step::Bind(portal, name));
                    steps.push(Step::Describe(portal));
                    steps.push(Step::Execute(portal, rows));
                    if self.below(2) == 0 {
                        steps.push(Step::Sync);
                    }
                }
                6 => steps.push(Step::Describe(portal)),
                7 => steps.push(Step::Execute(portal, self.one_of(&[0, 2, 5]))),
                8 => steps.push(Step::Close(portal)),
                _ if self.below(2) == 0 => steps.push(Step::Flush),
                _ => steps.push(Step::Sync),
            }
        }
        steps.push(Step::Sync);
        steps
    }

    /// Reads what a batch is answered with; what it is, is said by the protocol.
    fn hear(&mut self, steps: &[Step]) {
        let mut skips = false;
        for step in steps {
            self.heard.push(format!("> {step:?}"));
            match step {
                Step::Sync => {
                    self.expect(step, b"Z");
                    skips = false;
                }
                Step::Flush => {}
                _ if skips => {}
                Step::Query(texts) => self.hear_query(step, texts.len()),
                Step::Parse(..) => skips = self.expect(step, b"1E") == b'E',
                Step::Bind(..) => skips = self.expect(step, b"2E") == b'E',
                Step::Describe(_) => skips = self.expect(step, b"TnE") == b'E',
                Step::Close(_) => skips = self.expect(step, b"3E") == b'E',
                Step::Execute(..) => skips = !self.hear_result(step, b"CIsE"),
            }
        }
    }

    fn hear_query(&mut self, step: &Step, results: usize) {
        for _ in 0..results {
            if !self.hear_result(step, b"CIE") {
                break;
            }
        }
        self.expect(step, b"Z");
    }

    /// One result; says whether it did not fail.
    fn hear_result(&mut self, step: &Step, ends: &[u8]) -> bool {
        let mut rows = 0;
        loop {
            let frame = self.next(step);
            match frame.kind {
                b'D' => rows += 1,
                b'T' | b'H' | b'd' | b'c' => {}
                kind if ends.contains(&kind) => {
                    assert!(rows <= ROWS_MAX, "{rows} rows: {}", self.told());
                    return kind != b'E';
                }
                _ => panic!("{frame:?} for {step:?}: {}", self.told()),
            }
        }
    }

    fn expect(&mut self, step: &Step, kinds: &[u8]) -> u8 {
        let frame = self.next(step);
        let fits = kinds.contains(&frame.kind);
        assert!(fits, "{frame:?} for {step:?}: {}", self.told());
        frame.kind
    }

    /// The next frame that answers something.
    fn next(&mut self, step: &Step) -> Frame {
        loop {
            let frame = self.client.read();
            let frame = frame.unwrap_or_else(|error| {
                panic!("{error} for {step:?}: {}", self.told());
            });
            self.heard.push(format!("{frame:?}"));
            // Nobody has cancelled anything, and nothing is wrong with the connection.
            let code = match frame.kind {
                b'E' => frame.sqlstate(),
                _ => String::new(),
            };
            let is_odd = code == "57014" || code.starts_with("08") || code.starts_with("XX");
            assert!(!is_odd, "{step:?}: {}", self.told());
            if !matches!(frame.kind, b'N' | b'S') {
                return frame;
            }
        }
    }

    fn told(&self) -> String {
        let from = self.heard.len().saturating_sub(60);
        format!("walk {}\n{}", self.seed, self.heard[from..].join("\n"))
    }
}

fn bytes_of(step: &Step) -> Vec<u8> {
    match step {
        Step::Query(texts) => frames::query(&texts.join("; ")),
        Step::Parse(name, text) => frames::parse(name, text),
        Step::Bind(portal, name) => frames::bind(portal, name, &[], false),
        Step::Describe(portal) => frames::describe(b'P', portal),
        Step::Execute(portal, rows) => frames::execute(portal, *rows),
        Step::Close(portal) => frames::close(b'P', portal),
        Step::Flush => frames::flush(),
        Step::Sync => frames::sync(),
    }
}

/// What holds in all walks.
const LIMITS: (&str, &str) = (
    "\nlimits:\n",
    "\nlimits:\n  result_rows: 5\n  result_bytes: 100000\n  max_plan_cost: 1e6\n  \
     plan_age_max: 1s\n  concurrency_per_user: 50\n  statements_per_second: 100000\n  \
     idle_time: 60s\n",
);

const WALKERS: u64 = 3;
const WALKS: u64 = 8;
const BATCHES: usize = 8;
const ROWS_MAX: usize = 5;

/// Of statements and of portals.
const NAMES: [&str; 3] = ["", "a", "b"];

const TEXTS: &[&str] = &[
    "SELECT 1",
    "SELECT id FROM many",
    "SELECT id FROM many WHERE id <= 5",
    "VALUES (1), (2)",
    "COPY (SELECT id FROM many) TO STDOUT",
    "COPY (SELECT id FROM many) TO STDOUT (FORMAT binary)",
    "EXPLAIN SELECT id FROM many",
    "SHOW TimeZone",
    // Each of these runs for longer than any walk may take.
    "SELECT count(*) FROM many AS a, many AS b, many AS c, many AS d",
    "DECLARE k CURSOR FOR SELECT 1 FROM many AS a, many AS b, many AS c, many AS d ORDER BY a.id",
    "SELECT 1 / 0",
    "SELECT 1 / (id - 8) FROM many",
    "SELECT nope FROM many",
    "SELECT iid FROM many",
    "DELETE FROM many",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "ROLLBACK TO s",
    "DECLARE c CURSOR FOR SELECT id FROM many",
    "FETCH 4 FROM c",
    "FETCH ALL FROM c",
    "CLOSE c",
    "PREPARE q AS SELECT id FROM many",
    "EXECUTE q",
    "DEALLOCATE q",
    "SET search_path = public",
];
