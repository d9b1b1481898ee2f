//! Copies that exchange in any order, lose questions and answers and start again: no count is lost
//! that was told, and none counts twice.

use std::time::{Duration, Instant};

use pgsieve::secret::Secret;
use pgsieve::server::limits_store::connection::{StoreConnection, StoreLink};
use pgsieve::session::policy_limits::budget_record::BudgetEntry;
use pgsieve::session::policy_limits::daily_budget::UsageOfDay;
use pgsieve::session::policy_limits::limits_store::{LimitsStoreSettings, StoreAddress, StoreLoss};
use pgsieve::session::policy_limits::per_user::exchange::SharedCounts;
use pgsieve::session::policy_limits::per_user::{CountedSession, UserAccounts};
use pgsieve::session::policy_limits::rate_limit::RefillRate;

use crate::support::redis_server::{PASSWORD, RedisServer};

/// One copy: what it has counted of one user, and how much of that the store has taken.
struct Copy {
    name: String,
    accounts: UserAccounts,
    session: CountedSession,
    counted: Counted,
    told: Counted,
}

/// Rows and statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    rows: u64,
    statements: u64,
}

/// What becomes of an exchange.
#[derive(Clone, Copy)]
enum Luck {
    Good,
    QuestionLost,
    AnswerLost,
}

impl Copy {
    fn new(number: u64) -> Self {
        let accounts = UserAccounts::new();
        let session = accounts.count_session("agent", "ann").unwrap();
        Self {
            name: format!("copy{number}"),
            accounts,
            session,
            counted: Counted::default(),
            told: Counted::default(),
        }
    }

    fn receive(&mut self, rows: u64) {
        self.counted.rows += rows;
        let used = UsageOfDay {
            day: today(),
            rows: self.counted.rows,
            bytes: 10 * self.counted.rows,
        };
        self.accounts.restore(&[BudgetEntry {
            policy: "agent".into(),
            user: "ann".into(),
            used,
        }]);
    }

    fn send(&mut self) {
        let rate = RefillRate::per_day(A_DAY);
        if self.session.take(1, None, Some(rate)).is_ok() {
            self.counted.statements += 1;
        }
    }

    async fn exchange(
        &mut self,
        (connection, prefix): (&mut StoreConnection, &str),
        luck: Luck,
    ) -> Option<SharedCounts> {
        let reports = self.accounts.reports(|_| true, WINDOW, 10);
        assert_eq!(reports.len(), 1);
        if matches!(luck, Luck::QuestionLost) {
            return None;
        }
        let answers = connection.exchange((prefix, &self.name), &reports).await;
        let answers = answers.unwrap();
        self.told = self.counted;
        if matches!(luck, Luck::Good) {
            for (report, answer) in reports.iter().zip(&answers) {
                self.accounts.learn(report, *answer);
            }
        }
        answers.first().copied()
    }
}

fn link(store: &RedisServer) -> StoreLink {
    StoreLink::load(LimitsStoreSettings {
        address: StoreAddress::parse(&store.url()).unwrap(),
        password: Some(Secret::new(PASSWORD)),
        authority: None,
        prefix: String::new(),
        window: WINDOW,
        on_loss: StoreLoss::Local,
    })
    .unwrap()
}

/// Numbers that are the same in each run.
fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005);
        seed = seed.wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    }
}

#[tokio::test]
async fn no_count_is_lost_and_none_counts_twice() {
    let store = RedisServer::start();
    let mut connection = link(&store).connect().await.unwrap();
    for seed in 0..30 {
        let prefix = format!("model{seed}:");
        let began = Instant::now();
        let mut number = numbers(seed);
        let mut gone = Counted::default();
        let mut copies: Vec<Copy> = (0..3).map(Copy::new).collect();
        for step in 0..150 {
            let place = usize::try_from(number(3)).unwrap();
            let copy = &mut copies[place];
            match number(10) {
                0..3 => copy.receive(1 + number(50)),
                3..6 => copy.send(),
                6 if number(4) == 0 => {
                    // What it had told stays, and what it had not is gone with it.
                    gone.rows += copy.told.rows;
                    gone.statements += copy.told.statements;
                    *copy = Copy::new(1000 + step);
                }
                6 | 7 => drop(
                    copy.exchange((&mut connection, &prefix), Luck::AnswerLost)
                        .await,
                ),
                8 => drop(
                    copy.exchange((&mut connection, &prefix), Luck::QuestionLost)
                        .await,
                ),
                _ => drop(copy.exchange((&mut connection, &prefix), Luck::Good).await),
            }
        }
        let mut answer = None;
        for _ in 0..2 {
            for copy in &mut copies {
                answer = copy.exchange((&mut connection, &prefix), Luck::Good).await;
                assert_eq!(copy.told, copy.counted);
            }
        }
        let answer = answer.unwrap();
        let rows = gone.rows + copies.iter().map(|copy| copy.counted.rows).sum::<u64>();
        assert_eq!(
            (answer.rows, answer.bytes),
            (rows, 10 * rows),
            "seed {seed}"
        );
        let sent = copies.iter().map(|copy| copy.counted.statements);
        let sent = gone.statements + sent.sum::<u64>();
        let (whole, passed) = (sent * COST_US, began.elapsed());
        let least = whole.saturating_sub(u64::try_from(passed.as_micros()).unwrap());
        assert!(
            passed < Duration::from_secs(60),
            "no statement has had its time"
        );
        // As whole microseconds, with a little for each exchange.
        let known = least.saturating_sub(1000)..=whole + 1000;
        assert!(
            known.contains(&answer.days_us),
            "seed {seed}: {answer:?}, {whole}"
        );
        assert_eq!(answer.seconds_us, 0);
        // All copies know: there is room for as many as are left of the day, at each of them.
        for copy in &copies {
            let rate = |most| Some(RefillRate::per_day(most));
            let statements = |count: u64| u32::try_from(count).unwrap();
            let left = statements(A_DAY - sent);
            assert!(
                copy.session.take(left + 2, None, rate(A_DAY)).is_err(),
                "seed {seed}"
            );
            assert!(
                copy.session.take(left, None, rate(A_DAY)).is_ok(),
                "seed {seed}"
            );
        }
    }
}

/// A store that forgets what it knew hears it again, of those who are there.
#[tokio::test]
async fn a_store_that_was_emptied_is_filled_again() {
    let store = RedisServer::start();
    let mut connection = link(&store).connect().await.unwrap();
    let mut copies: Vec<Copy> = (0..2).map(Copy::new).collect();
    for copy in &mut copies {
        copy.receive(40);
        (0..10).for_each(|_| copy.send());
        copy.exchange((&mut connection, "x:"), Luck::Good).await;
    }
    // The first one hears of the second.
    copies[0]
        .exchange((&mut connection, "x:"), Luck::Good)
        .await;
    store.ask(&["FLUSHALL"]);
    let mut answer = SharedCounts::default();
    for copy in &mut copies {
        answer = copy
            .exchange((&mut connection, "x:"), Luck::Good)
            .await
            .unwrap();
    }
    assert_eq!((answer.rows, answer.bytes), (80, 800));
    assert!(
        answer.days_us > 19 * COST_US && answer.days_us <= 20 * COST_US,
        "{answer:?}"
    );
}

/// Statements that passed while the store was away have had their time: nobody pays for them later.
#[tokio::test]
async fn what_has_had_its_time_is_not_held_against_a_user_later() {
    let store = RedisServer::start();
    let mut connection = link(&store).connect().await.unwrap();
    let mut copy = Copy::new(0);
    let rate = Some(RefillRate::per_second(100.0));
    copy.exchange((&mut connection, "y:"), Luck::Good).await;
    let end = Instant::now() + Duration::from_secs(4);
    let mut passed = 0;
    while Instant::now() < end {
        passed += u64::from(copy.session.take(1, rate, None).is_ok());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(passed > 20, "{passed}");
    let answer = copy
        .exchange((&mut connection, "y:"), Luck::Good)
        .await
        .unwrap();
    // What the bucket remembers, and three windows; the rest is for a busy machine.
    let told = 10_000 * passed;
    let windows = 3 * u64::try_from(WINDOW.as_micros()).unwrap();
    let most = told.saturating_sub(4_000_000) + windows + 1_500_000;
    assert!(answer.seconds_us <= most, "{answer:?}, {told}");
}

fn today() -> u64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    since.as_secs() / 86_400
}

/// Statements in a day.
const A_DAY: u64 = 1000;

/// What one of them takes of a day.
const COST_US: u64 = 86_400_000_000 / A_DAY;

const WINDOW: Duration = Duration::from_millis(200);
