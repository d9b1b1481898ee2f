//! No good read is altered: random reads that the server runs return the same rows through pgsieve,
//! under `likely: apply`, without a notice, and the server is sent the client's own text.
//! `ROUNDS=10000 cargo test --test servers -- good_reads --nocapture` runs so many of them,
//! `FIRST_SEED=…` others.

mod expressions;
mod queries;
mod tables;

use crate::repair::dialects::grammar::Dice;
use crate::repair::dialects::random::{first_seed, rounds};
use crate::repair::good_reads::queries::query;
use crate::repair::good_reads::tables::Tables;
use crate::support::raw::{Frame, rows};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

const GRANTS: &str = "
    DO $$
    DECLARE own text;
    BEGIN
      FOR own IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$'
      LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO app', own);
        EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO app', own);
      END LOOP;
    END $$;";

/// A generator that the server seldom understands would show little.
const FAILING_SHARE_MAX: u64 = 10;

#[test]
fn no_good_read_is_altered() {
    let stack = Stack::start(Options {
        shop: true,
        policy_edits: &[
            ("likely: hint", "likely: apply"),
            ("result_bytes: 10MiB", "result_bytes: \"off\""),
        ],
        ..Options::default()
    });
    stack.prepare(&[
        include_str!("../../../data/schemas/repairs/schools.sql"),
        include_str!("../../../data/schemas/repairs/erp.sql"),
        include_str!("../../../data/schemas/repairs/questions.sql"),
        GRANTS,
        "ANALYZE",
    ]);
    let mut sides = Sides::open(&stack);
    let tables = Tables::of(&mut sides.direct);
    let (mut good, mut failing, mut empty) = (0, 0, 0);
    let mut altered = Vec::new();
    for seed in first_seed()..first_seed() + rounds() {
        let mut dice = Dice::of(seed + 1);
        let schema = tables.any_schema(&mut dice);
        sides.look_in(schema);
        let text = query(&tables, schema, &mut dice);
        match sides.compare(&text, dice.happens(50)) {
            ReadOutcome::Fails(why) => {
                failing += 1;
                if std::env::var_os("SHOW_FAILED").is_some() {
                    println!("{why}: {text}");
                }
            }
            ReadOutcome::Same { rows } => {
                good += 1;
                empty += u64::from(rows == 0);
            }
            ReadOutcome::Altered(how) => altered.push(format!("{seed} {schema}: {text}\n  {how}")),
        }
    }
    println!(
        "good reads: {good} the same ({empty} without rows), {failing} fail at the server, {} altered",
        altered.len()
    );
    assert!(altered.is_empty(), "{}", altered.join("\n"));
    assert!(
        failing * 100 <= FAILING_SHARE_MAX * rounds(),
        "{failing} fail"
    );
    assert!(empty * 2 <= rounds(), "{empty} have no rows");
}

/// What became of a read.
enum ReadOutcome {
    /// It is none that the server runs.
    Fails(String),
    /// It is the same by both ways.
    Same { rows: usize },
    /// It is not, and how.
    Altered(String),
}

/// A session past pgsieve and one through it.
struct Sides {
    direct: RawClient,
    proxied: RawClient,
    /// What the session through pgsieve is at the server.
    backend: String,
}

impl Sides {
    fn open(stack: &Stack) -> Self {
        let login = stack.login(APP);
        let mut proxied = RawClient::login(stack.proxied_address(), &login);
        let looks_there =
            "SELECT \"School\" FROM schools.schools s, erp.staff, shop.orders LIMIT 1";
        until(|| (rows(&proxied.query(looks_there)).len() == 1).then_some(()))
            .expect("the catalog is known");
        let backend = rows(&proxied.query("SELECT pg_backend_pid()")).concat();
        let mut direct = RawClient::login(stack.direct_address(), &login);
        // What takes longer shows nothing more.
        direct.query("SET statement_timeout = '2s'");
        Self {
            direct,
            proxied,
            backend,
        }
    }

    fn look_in(&mut self, schema: &str) {
        let path = format!("SET search_path TO {schema}, public");
        self.direct.query(&path);
        self.proxied.query(&path);
    }

    fn compare(&mut self, text: &str, is_extended: bool) -> ReadOutcome {
        let mut messages = frames::query(text);
        if is_extended {
            messages = frames::extended(text, &[], false);
        }
        let ask = |client: &mut RawClient| {
            client.send(&messages);
            client.until_ready()
        };
        let wanted = ask(&mut self.direct);
        if let Some(error) = wanted.iter().find(|frame| frame.kind == b'E') {
            return ReadOutcome::Fails(error.field(b'M').unwrap_or_default());
        }
        let found = ask(&mut self.proxied);
        if in_order(&found) != in_order(&wanted) {
            let told = found
                .iter()
                .filter(|frame| matches!(frame.kind, b'E' | b'N'));
            let told: Vec<String> = told.map(|frame| format!("{frame:?}")).collect();
            return ReadOutcome::Altered(format!("another answer: {}", told.concat()));
        }
        let sent = format!(
            "SELECT query FROM pg_stat_activity WHERE pid = {}",
            self.backend
        );
        let sent = rows(&self.direct.query(&sent)).concat();
        // The server keeps the beginning of a long one.
        if !text.starts_with(sent.trim_end_matches(char::REPLACEMENT_CHARACTER)) || sent.is_empty()
        {
            return ReadOutcome::Altered(format!("another text: {sent}"));
        }
        let rows = wanted.iter().filter(|frame| frame.kind == b'D').count();
        ReadOutcome::Same { rows }
    }
}

/// An answer, its rows in no order.
fn in_order(answer: &[Frame]) -> Vec<(u8, Vec<u8>)> {
    let mut frames: Vec<(u8, Vec<u8>)> = (answer.iter())
        .map(|frame| (frame.kind, frame.body.clone()))
        .collect();
    frames.sort();
    frames
}
