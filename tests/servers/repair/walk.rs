//! With repairs on, a session is as one with the database, whatever is asked in whatever order and
//! however it is sent: but for what is announced, and for advice in errors.
//!
//! A session with the database gets at once what pgsieve is to make of a text. Both wander at
//! random, from fixed seeds, and hear the same.

use crate::protocol::pair::Pair;
use crate::support::raw::{Frame, kinds};
use crate::support::{Options, RawClient, Stack, frames, until};

/// A text, and what it is to become.
type Text = (&'static str, &'static str);

const QUOTED: Text = (
    "SELECT Name FROM Walks ORDER BY 1",
    "SELECT \"Name\" FROM \"Walks\" ORDER BY 1",
);
const FENCED: Text = ("```sql\nSELECT 1 AS one\n```", "SELECT 1 AS one");

const RUNS: &[&str] = &[
    "SELECT 1",
    "SELECT generate_series(1, 3)",
    "SELECT \"Name\" FROM \"Walks\"",
    "SELECT 1/0",
    "SELECT 'x'::int",
    "SELECT ('x' || generate_series(1, 2))::int",
    "",
];

/// No savepoints: in a pipeline they end a server of version 15.
const BLOCKS: &[&str] = &[
    "BEGIN",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "DECLARE c CURSOR FOR SELECT generate_series(1, 5)",
    "PREPARE p AS SELECT 1",
    "SET extra_float_digits = 1",
];

const PATHS: &[&str] = &[
    "SET search_path TO public",
    "SET search_path TO pg_catalog",
    "SET LOCAL search_path TO pg_catalog, public",
    "RESET search_path",
];

const HOPELESS: &[&str] = &[
    "SELECT no_such_thing FROM \"Walks\"",
    "SELECT length(1, 2)",
    "SELECT * FROM no_such_relation",
    "SELECT FROM WHERE",
    "SELECT \"Name\" + 1 FROM \"Walks\"",
    "SELECT count(*), \"Name\" FROM \"Walks\"",
    "```sql\nno statement\n```",
];

#[test]
fn whatever_is_asked_a_session_is_as_one_with_the_database() {
    let stack = Stack::start(Options::default());
    stack.prepare(&[
        "CREATE TABLE \"Walks\" (\"Name\" text)",
        "INSERT INTO \"Walks\" VALUES ('a'), ('b')",
        "GRANT SELECT ON \"Walks\" TO app",
    ]);
    until(|| {
        let mut pair = Pair::open(&stack);
        (kinds(&pair.proxied.query(QUOTED.0)) == "TDDNCZ").then_some(())
    })
    .expect("the catalog is known");
    let mut announced = 0;
    for seed in (1_u64..).take(walks()) {
        for manner in [Manner::Hopeless, Manner::Repairable] {
            announced += Walk::new(&stack, seed, manner).go();
        }
    }
    println!("{announced} repairs");
    assert!(announced > walks());
}

/// How many; more by the environment.
fn walks() -> usize {
    let wish = std::env::var("REPAIR_WALKS").ok();
    wish.and_then(|number| number.parse().ok()).unwrap_or(25)
}

/// Which texts fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    /// Those that nobody can mend.
    Hopeless,
    /// Those that are mended.
    Repairable,
}

struct Walk {
    pair: Pair,
    random: Random,
    manner: Manner,
    seed: u64,
    story: Vec<String>,
}

/// What is sent to pgsieve, what to the database, and how many ReadyForQuery are to come.
#[derive(Default)]
struct Batch {
    proxied: Vec<Vec<u8>>,
    direct: Vec<Vec<u8>>,
    readies: usize,
}

impl Walk {
    fn new(stack: &Stack, seed: u64, manner: Manner) -> Self {
        Self {
            pair: Pair::open(stack),
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            manner,
            seed,
            story: Vec::new(),
        }
    }

    /// Walks to the end; says how often a repair was announced.
    fn go(mut self) -> usize {
        let mut announced = 0;
        for _ in 0..12 {
            let mut batch = Batch::default();
            self.story.push("--".to_owned());
            for _ in 0..=self.random.below(3) {
                if self.random.below(2) == 0 {
                    let (proxied, direct) = self.text();
                    self.story.push(format!("Query {proxied:?}"));
                    batch.proxied.push(frames::query(proxied));
                    batch.direct.push(frames::query(direct));
                    batch.readies += 1;
                } else {
                    self.extended(&mut batch);
                }
            }
            let manner = match self.random.below(3) {
                0 => Sending::AtOnce,
                1 => Sending::OneByOne,
                _ => Sending::AfterEachError,
            };
            self.story.push(format!("{manner:?}"));
            let direct = talk(&mut self.pair.direct, &batch.direct, batch.readies, manner);
            let proxied = talk(
                &mut self.pair.proxied,
                &batch.proxied,
                batch.readies,
                manner,
            );
            if proxied
                .iter()
                .any(|frame| is_of_two_names(frame) || is_unrepaired(frame))
            {
                // From here on the two go different ways.
                return announced;
            }
            announced += self.compare(direct, proxied);
        }
        announced
    }

    fn extended(&mut self, batch: &mut Batch) {
        let names = ["", "", "s", "t"];
        for _ in 0..1 + self.random.below(6) {
            let name = self.random.of(&names);
            let portal = self.random.of(&["", "", "p"]);
            let (one, other) = match self.random.below(9) {
                0..=2 => {
                    let (proxied, direct) = self.text();
                    self.story.push(format!("Parse {name:?} {proxied:?}"));
                    (frames::parse(name, proxied), frames::parse(name, direct))
                }
                step => {
                    let (told, frame) = match step {
                        3 => ("Bind", frames::bind(portal, name, &[], false)),
                        4 => ("Describe S", frames::describe(b'S', name)),
                        5 => ("Describe P", frames::describe(b'P', portal)),
                        6 => ("Close", frames::close(b'S', name)),
                        7 => ("Flush", frames::flush()),
                        _ => ("Execute", frames::execute(portal, 0)),
                    };
                    self.story.push(format!("{told} {name:?} {portal:?}"));
                    (frame.clone(), frame)
                }
            };
            batch.proxied.push(one);
            batch.direct.push(other);
        }
        if self.random.below(2) == 0 {
            let (proxied, direct) = self.text();
            self.story.push(format!("Whole {proxied:?}"));
            let rest = |text| {
                [
                    frames::parse("", text),
                    frames::bind("", "", &[], false),
                    frames::describe(b'P', ""),
                    frames::execute("", 0),
                ]
                .concat()
            };
            batch.proxied.push(rest(proxied));
            batch.direct.push(rest(direct));
        }
        self.story.push("Sync".to_owned());
        batch.proxied.push(frames::sync());
        batch.direct.push(frames::sync());
        batch.readies += 1;
    }

    fn text(&mut self) -> Text {
        let same = |text| (text, text);
        match (self.random.below(10), self.manner) {
            (0..3, _) => same(self.random.of(RUNS)),
            (3..6, _) => same(self.random.of(BLOCKS)),
            (6, Manner::Hopeless) => same(self.random.of(PATHS)),
            (_, Manner::Hopeless) => same(self.random.of(HOPELESS)),
            (_, Manner::Repairable) => self.random.of(&[QUOTED, FENCED]),
        }
    }

    fn compare(&self, mut direct: Vec<Frame>, mut proxied: Vec<Frame>) -> usize {
        let is_announced = |frame: &Frame| {
            frame
                .field(b'M')
                .is_some_and(|said| said.starts_with("pgsieve"))
        };
        let count = proxied.len();
        proxied.retain(|frame| frame.kind != b'N' || !is_announced(frame));
        let announced = count - proxied.len();
        // What was set only sometimes differs: which names pgsieve has asked for.
        direct.retain(|frame| frame.kind != b'S');
        proxied.retain(|frame| frame.kind != b'S');
        let story = || {
            format!(
                "seed {} {:?}\n{}",
                self.seed,
                self.manner,
                self.story.join("\n")
            )
        };
        let (of_direct, of_proxied) = (kinds(&direct), kinds(&proxied));
        assert_eq!(
            of_direct,
            of_proxied,
            "{}\n{direct:?}\n{proxied:?}",
            story()
        );
        for (direct, proxied) in direct.iter().zip(&proxied) {
            let alike = match direct.kind {
                b'E' => self.alike(direct, proxied),
                _ => direct.body == proxied.body,
            };
            assert!(alike, "{}\n{direct:?}\n{proxied:?}", story());
        }
        announced
    }

    fn alike(&self, direct: &Frame, proxied: &Frame) -> bool {
        let code = direct.sqlstate();
        if code == "25P02" && ["26000", "34000"].contains(&proxied.sqlstate().as_str()) {
            // Names that are not known are answered by pgsieve itself.
            return true;
        }
        if self.manner == Manner::Repairable && ["25P02", "42P05"].contains(&code.as_str()) {
            // Of its own text the client hears first what is wrong with it.
            return ["25P02", "42P05", "42601", "42P01"].contains(&proxied.sqlstate().as_str());
        }
        let fields: &[u8] = match code.as_str() {
            "26000" | "34000" => b"SC",
            _ => b"SVCMP",
        };
        fields
            .iter()
            .all(|field| direct.field(*field) == proxied.field(*field))
    }
}

/// What has something behind it fails as it always did.
fn is_unrepaired(frame: &Frame) -> bool {
    let said = frame.field(b'M').unwrap_or_default();
    frame.kind == b'E' && said.contains("relation \"walks\" does not exist")
}

/// Refused for a doubt.
fn is_of_two_names(frame: &Frame) -> bool {
    let said = frame.field(b'D').unwrap_or_default();
    frame.kind == b'E' && said == "rule: prepared_name"
}

/// The connection is gone.
fn gone() -> Frame {
    Frame {
        kind: b'!',
        body: Vec::new(),
    }
}

/// How the messages of a batch are sent.
#[derive(Clone, Copy, Debug)]
enum Sending {
    AtOnce,
    OneByOne,
    /// What comes next is sent as soon as an error is heard, or what came before is done.
    AfterEachError,
}

fn talk(
    client: &mut RawClient,
    messages: &[Vec<u8>],
    readies: usize,
    manner: Sending,
) -> Vec<Frame> {
    let (mut heard, mut ready, mut wanted) = (Vec::new(), 0, 0);
    if let Sending::AtOnce = manner {
        client.send(&messages.concat());
    } else {
        for message in messages {
            client.send(message);
            let ends = matches!(message.first(), Some(b'Q' | b'S'));
            wanted += usize::from(ends);
            while matches!(manner, Sending::AfterEachError) && ends && ready < wanted {
                let Ok(frame) = client.read() else {
                    heard.push(gone());
                    return heard;
                };
                ready += usize::from(frame.kind == b'Z');
                let is_error = frame.kind == b'E';
                heard.push(frame);
                if is_error && ready + 1 == wanted {
                    break;
                }
            }
        }
    }
    while ready < readies {
        let Ok(frame) = client.read() else {
            heard.push(gone());
            return heard;
        };
        ready += usize::from(frame.kind == b'Z');
        heard.push(frame);
    }
    heard
}

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

impl Drop for Walk {
    /// Who has to find out what went wrong reads here what was asked.
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "seed {} {:?}\n{}",
                self.seed,
                self.manner,
                self.story.join("\n")
            );
        }
    }
}
