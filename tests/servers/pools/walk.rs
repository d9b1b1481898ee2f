//! Random walks: clients that share two connections get the answers that each would get from a
//! connection of its own. What a client does to its session is there whichever connection it has,
//! and nothing of it is there for the others. The walks come from fixed seeds; `WALKS` gives their
//! number.

use std::sync::Arc;
use std::thread;

use crate::protocol::pair::{Pair, same};
use crate::support::raw::Frame;
use crate::support::{Options, Stack, frames};

#[test]
fn sessions_are_what_they_would_be_on_connections_of_their_own() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        policy_edits: &[
            ("\n  mode: apply\n", "\n  mode: \"off\"\n"),
            (
                "    application_name: any\n",
                "    application_name: any\n    app.*: any\n",
            ),
        ],
        pooled: Some(CONNECTIONS),
        ..Options::default()
    });
    stack.prepare(&[
        "CREATE TABLE public.many AS SELECT g AS id FROM generate_series(1, 20) AS g",
        "GRANT SELECT ON public.many TO PUBLIC",
        "CREATE SCHEMA other",
        "GRANT USAGE ON SCHEMA other TO PUBLIC",
        "CREATE TABLE other.many AS SELECT g * 100 AS id FROM generate_series(1, 20) AS g",
        "GRANT SELECT ON other.many TO PUBLIC",
    ]);
    let stack = Arc::new(stack);
    let walks = std::env::var("WALKS").map_or(WALKS, |walks| walks.parse().unwrap());
    let walkers: Vec<_> = (1..=WALKERS)
        .map(|walker| {
            let stack = Arc::clone(&stack);
            thread::spawn(move || {
                let walked =
                    (0..walks).map(|walk| Walk::new(&stack, walker * 1_000_000 + walk).go());
                walked.filter(|step| matches!(step, WalkStep::Ends)).count()
            })
        })
        .collect();
    let ended = walkers
        .into_iter()
        .map(|walker| walker.join().expect("a walk without a difference"));
    let ended: usize = ended.sum();
    let all = usize::try_from(WALKERS * walks).unwrap();
    println!("{ended} of {all} walks ended early");
    assert!(ended * 2 < all, "{ended} of {all} walks ended early");
    let replayed = stack.metric("pgsieve_pool_checkouts_total{outcome=\"replayed\"}");
    assert!(replayed > 10.0, "{replayed} replays");
    assert_eq!(stack.metric("pgsieve_tripwires_total"), 0.0);
}

/// Whether both sides of a walk are in the same state.
enum WalkStep {
    GoesOn,
    Ends,
}

/// One client, and its like with a connection of its own.
struct Walk {
    pair: Pair,
    random: u64,
    seed: u64,
    told: Vec<String>,
}

impl Walk {
    fn new(stack: &Stack, seed: u64) -> Self {
        Self {
            pair: Pair::open(stack),
            random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            seed,
            told: Vec::new(),
        }
    }

    fn below(&mut self, most: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random >> 33).unwrap() % most
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.below(all.len())]
    }

    fn go(mut self) -> WalkStep {
        for _ in 0..STEPS {
            let step = match self.below(10) {
                0..=4 => {
                    let sql = self.text();
                    self.ask(&format!("Q {sql}"), &frames::query(&sql))
                }
                _ => self.batch(),
            };
            if let WalkStep::Ends = step {
                return step;
            }
        }
        // Whoever leaves in a transaction leaves none to the next one.
        self.pair.proxied.send(&frames::terminate());
        WalkStep::GoesOn
    }

    /// A text of a Query.
    fn text(&mut self) -> String {
        let zone = self.one_of(&["UTC", "Asia/Tokyo", "America/New_York"]);
        let path = self.one_of(&["public", "other", "other, public"]);
        let name = self.one_of(NAMES);
        let local = self.one_of(&["", "LOCAL ", "SESSION "]);
        match self.below(26) {
            0..=6 => STATE.into(),
            7 => format!("SET {local}timezone = '{zone}'"),
            8 => format!("SET {local}search_path = pg_catalog, {path}"),
            9 => format!("SET {local}extra_float_digits = {}", self.below(3)),
            10 => format!("SET {local}app.tenant = '{}'", self.below(9)),
            11 => format!("SELECT set_config('app.other', '{}', false)", self.below(9)),
            12 => format!("SET {local}application_name = 'walker {}'", self.below(9)),
            13 => self
                .one_of(&[
                    "RESET timezone",
                    "RESET ALL",
                    "RESET app.tenant",
                    "DISCARD ALL",
                ])
                .into(),
            14..=15 => self.one_of(&["BEGIN", "BEGIN READ ONLY"]).into(),
            16..=17 => self.one_of(&["COMMIT", "ROLLBACK", "END"]).into(),
            18 => self
                .one_of(&["SAVEPOINT a", "ROLLBACK TO a", "RELEASE a"])
                .into(),
            19 => "SELECT 1/(count(*) - 20) FROM many".into(),
            20 if self.below(8) == 0 => format!("EXECUTE {name}"),
            21 => format!("DEALLOCATE {name}"),
            22 => self
                .one_of(&["DEALLOCATE ALL", "SELECT 1; SELECT 2", "SELECT"])
                .into(),
            23 => "SELECT count(*), min(id), max(id) FROM many".into(),
            24 => "SELECT '2020-02-02 02:02'::timestamptz, 0.1::float8".into(),
            _ => "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE".into(),
        }
    }

    /// Messages of the extended protocol up to a Sync.
    fn batch(&mut self) -> WalkStep {
        let mut bytes = Vec::new();
        let mut told = String::new();
        for _ in 0..=self.below(4) {
            let name = match self.below(3) {
                0 => self.one_of(NAMES),
                _ => "",
            };
            let portal = self.one_of(&["", "", "p"]);
            let text = match self.below(3) {
                0 => self.text(),
                _ => self.one_of(TEXTS).into(),
            };
            // In an implicit transaction a server ends its session over it.
            let is_of_savepoint = ["SAVEPOINT a", "ROLLBACK TO a", "RELEASE a"];
            let text = match is_of_savepoint.contains(&text.as_str()) {
                true => STATE.to_owned(),
                false => text,
            };
            let (message, what) = match self.below(9) {
                0..=2 => (frames::parse(name, &text), format!("P {name:?} {text}")),
                3..=5 => (
                    [
                        frames::bind(portal, name, &[], false),
                        frames::execute(portal, 0),
                    ]
                    .concat(),
                    format!("BE {portal:?} {name:?}"),
                ),
                6 => (frames::describe(b'S', name), format!("D {name:?}")),
                7 => (frames::close(b'S', name), format!("C {name:?}")),
                _ => (
                    [
                        frames::parse("", &text),
                        frames::bind("", "", &[], false),
                        frames::execute("", 0),
                    ]
                    .concat(),
                    format!("PBE {text}"),
                ),
            };
            bytes.extend(message);
            told = format!("{told} {what},");
        }
        bytes.extend(frames::sync());
        self.ask(&told, &bytes)
    }

    fn ask(&mut self, told: &str, bytes: &[u8]) -> WalkStep {
        let (direct, proxied) = self.pair.ask(bytes);
        self.told.push(told.to_owned());
        let place = direct
            .iter()
            .zip(&proxied)
            .position(|(direct, proxied)| !same(direct, proxied));
        let Some(place) = place else {
            if direct.len() == proxied.len() {
                return WalkStep::GoesOn;
            }
            panic!(
                "seed {}: {}\n{direct:?}\n{proxied:?}",
                self.seed,
                self.story()
            );
        };
        let (direct, proxied) = (&direct[place], &proxied[place]);
        // In a failed transaction another place in the server says so.
        let code = proxied.sqlstate();
        if code == "25P02" && direct.sqlstate() == code {
            return WalkStep::GoesOn;
        }
        // Who gives a name twice, or takes it away in SQL, may meet another error, or none: from
        // then on the two are in different states. Never another answer.
        let is_about_names = |frame: &Frame| {
            let detail = frame.field(b'D').unwrap_or_default();
            let codes = ["42P05", "26000", "25P02", "55000", "01000"];
            codes.contains(&frame.sqlstate().as_str()) || detail.starts_with("rule: prepared_name")
        };
        if is_about_names(direct) || is_about_names(proxied) {
            return WalkStep::Ends;
        }
        panic!(
            "seed {}:{}\n  directly: {direct:?}\n  through pgsieve: {proxied:?}",
            self.seed,
            self.story()
        );
    }

    fn story(&self) -> String {
        self.told.join("\n")
    }
}

/// What a session is, as far as it can be asked.
const STATE: &str = "SELECT current_setting('timezone'), current_setting('search_path'), \
    current_setting('extra_float_digits'), current_setting('app.tenant', true), \
    current_setting('app.other', true), current_setting('application_name'), \
    current_setting('default_transaction_isolation'), current_setting('transaction_read_only')";

/// Statements that mean something else by the session's settings.
const TEXTS: &[&str] = &[
    "SELECT '2020-02-02 02:02'::timestamptz",
    "SELECT count(*), max(id) FROM many",
    "SELECT 1/(count(*) - 20) FROM many",
    "SELECT current_setting('timezone')",
    "SELECT nothing FROM nowhere",
    "SELECT 0.1::float8",
];

/// Names of prepared statements, as SQL writes them.
const NAMES: &[&str] = &["a", "b", "c"];

const CONNECTIONS: usize = 2;
const WALKERS: u64 = 6;
const WALKS: u64 = 12;
const STEPS: usize = 60;
