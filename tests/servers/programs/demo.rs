//! The demo as its users run it, to the end of its tour.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::{ChildSignal, SupervisedChild};

use crate::support::{ADMIN, APP, Options, Stack, sql, until};

#[test]
fn the_demo_shows_reads_refusals_and_a_repair_and_leaves_nothing() {
    let demo = Demo::start(&["--once"]);
    let (status, said) = demo.ended();
    assert_eq!(status, Some(0), "{said}");
    for shown in [
        "revenue",
        "Order Items",
        "NOTICE: pgsieve repaired this statement: quote_identifiers",
        "DETAIL: \"orderEvents\", \"happenedAt\" are spelled as in the database",
        "psql postgres://demo:demo@127.0.0.1:",
        " mcp --upstream postgres://demo:demo@127.0.0.1:",
        "/mcp\n",
        "Authorization: Bearer pgsieve_",
        "/metrics",
        "GET /grounding?user=demo",
        "HINT:   Your schema is stale: renamed, probably: shop.orders.placed_at to ordered_at.",
    ] {
        assert!(said.contains(shown), "{shown} is missing in:\n{said}");
    }
    assert_eq!(said.matches('✗').count(), 6, "{said}");
    assert_eq!(said.matches("HINT:").count(), 6, "{said}");
    let named = "view shop.call_list calls pg_try_advisory_lock";
    assert!(said.contains(named), "{said}");
    // A session asks at the standby, that is stopped, and the same session asks at the primary.
    let places: Vec<Option<usize>> = ["12000  the standby", "$ pg_ctl stop", "12000  the primary"]
        .iter()
        .map(|shown| said.find(shown))
        .collect();
    assert!(places.iter().all(Option::is_some), "{said}");
    assert!(places.is_sorted(), "{said}");
    assert_eq!(demo.servers().len(), 2, "{said}");
    assert_eq!(demo.left_behind(), Vec::<PathBuf>::new());
}

/// Somebody's own policy is asked about what the tour shows, and decides about none of its servers.
#[test]
fn a_demo_under_a_policy_of_yours_moves_as_well() {
    let policy = concat!(env!("CARGO_MANIFEST_DIR"), "/policies/bi.yaml");
    let demo = Demo::start(&["--once", "--policy", policy]);
    let (status, said) = demo.ended();
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("12000  the primary"), "{said}");
    assert_eq!(demo.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn a_waiting_demo_has_both_its_servers_and_leaves_nothing_with_ctrl_c() {
    let mut demo = Demo::start(&[]);
    assert!(demo.waits().is_some(), "{}", demo.supervised.stderr());
    assert!(!demo.left_behind().is_empty(), "a running demo has folders");
    let processes = demo.server_processes();
    assert_eq!(processes.len(), 2);
    // The standby was started again, and serves who logs in.
    let said = demo.supervised.stdout();
    let url = said.lines().find_map(|line| line.strip_prefix("  psql "));
    let url = url.expect("the address of a client");
    let at_standby = || {
        let asked = "SELECT pg_is_in_recovery()";
        let rows = sql::block_on(async { sql::rows(&sql::connected(url).await, asked).await });
        (rows == [["t"]]).then_some(())
    };
    assert!(until(at_standby).is_some(), "{said}");
    demo.supervised.signal(ChildSignal::Interrupt).unwrap();
    assert_eq!(demo.ended().0, Some(0));
    assert_eq!(demo.left_behind(), Vec::<PathBuf>::new());
    assert!(!processes.iter().any(|process| process.exists()));
}

#[test]
fn a_killed_demo_leaves_nothing_either() {
    // While the standby starts, while it is stopped, and behind the tour.
    for moment in ["Loading a small shop", "$ pg_ctl stop", "until Ctrl-C"] {
        let mut demo = Demo::start(&[]);
        assert!(
            demo.has_said(moment).is_some(),
            "{}",
            demo.supervised.stderr()
        );
        let supervised = until(|| {
            let folders = demo.supervised_folders();
            (folders.len() == 2).then_some(folders)
        });
        let supervised = supervised.expect("a primary and a standby");
        demo.supervised.signal(ChildSignal::Kill).unwrap();
        let left = || supervised.iter().any(|folder| folder.exists());
        let gone = until(|| (demo.left_behind().is_empty() && !left()).then_some(()));
        assert!(
            gone.is_some(),
            "{moment}: {:?}, {supervised:?}",
            demo.left_behind()
        );
    }
}

#[test]
fn a_demo_before_a_database_of_yours_changes_nothing_in_it() {
    let stack = Stack::start(Options {
        shop: true,
        ..Options::default()
    });
    let before = contents(&stack);
    assert!(before.len() > 20);
    let url = stack.direct_url(APP);
    let demo = Demo::start(&["--once", "--upstream", &url]);
    let (status, said) = demo.ended();
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said.matches('✗').count(), 4, "{said}");
    let password = format!(":{APP}@");
    assert!(
        !said.contains(&password),
        "a password that is not ours is not shown"
    );
    // The whole database as text: rows of every table, and what there is besides.
    let after = contents(&stack);
    assert_eq!(before, after);
}

/// Every row and every object of the shop, folded into one value.
pub(super) fn contents(stack: &Stack) -> Vec<Vec<String>> {
    let asked = "SELECT c.relname, c.relkind::text, c.relacl::text,
        CASE WHEN c.relkind = 'r' THEN md5(query_to_xml(
          format('SELECT * FROM %s x ORDER BY x::text', c.oid::regclass),
          true, false, '')::text) END
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname NOT LIKE 'pg_%' AND n.nspname <> 'information_schema' ORDER BY 1, 2";
    sql::block_on(async { sql::rows(&stack.direct(ADMIN).await, asked).await })
}

/// A demo whose temporary folders are its own, so that what it leaves can be seen. One at a time:
/// a demo takes pgsieve's usual ports when they look free.
struct Demo {
    supervised: SupervisedChild,
    _turn: MutexGuard<'static, ()>,
    temporary: PathBuf,
}

impl Demo {
    fn start(arguments: &[&str]) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let temporary = std::env::temp_dir().join(format!("pgsieve-t{}", random_name().unwrap()));
        let folder = temporary.with_extension("out");
        fs::create_dir(&temporary).unwrap();
        fs::create_dir(&folder).unwrap();
        let arguments = [&["demo"], arguments].concat();
        let environment = [("TMPDIR", temporary.to_str().unwrap())];
        let program = Path::new(env!("CARGO_BIN_EXE_pgsieve"));
        let supervised =
            SupervisedChild::start(&folder, program, &arguments, &environment).unwrap();
        Self {
            supervised,
            _turn: turn,
            temporary,
        }
    }

    /// Exit status and everything said.
    fn ended(&self) -> (Option<i32>, String) {
        let status = self.supervised.wait(Duration::from_secs(120));
        (
            status,
            format!("{}{}", self.supervised.stdout(), self.supervised.stderr()),
        )
    }

    /// Waits until the demo waits for Ctrl-C.
    fn waits(&self) -> Option<()> {
        self.has_said("until Ctrl-C")
    }

    /// Waits until it has said something.
    fn has_said(&self, what: &str) -> Option<()> {
        let said = || self.supervised.stdout().contains(what).then_some(());
        until(said).or_else(|| until(said))
    }

    /// The data folders of its servers, as it tells them behind the tour.
    fn servers(&self) -> Vec<PathBuf> {
        let said = self.supervised.stdout();
        let lines = said.lines().filter_map(|line| {
            let told = line.strip_prefix("Data     ");
            told.or_else(|| line.strip_prefix("Standby  "))
        });
        let paths = lines.filter_map(|told| told.split(' ').next());
        paths.map(PathBuf::from).collect()
    }

    /// The running processes of its servers, each as a path that is there as long as it runs.
    fn server_processes(&self) -> Vec<PathBuf> {
        let files = self.servers().into_iter();
        let notes = files.filter_map(|data| fs::read_to_string(data.join("postmaster.pid")).ok());
        let processes =
            notes.filter_map(|note| Some(Path::new("/proc").join(note.lines().next()?)));
        processes.filter(|process| process.exists()).collect()
    }

    /// The folders that its supervisors of servers look after at this moment.
    fn supervised_folders(&self) -> Vec<PathBuf> {
        let demo = self.supervised.pid().map(|pid| pid.to_string());
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let folders = processes.filter_map(|process| {
            let stat = fs::read_to_string(process.path().join("stat")).ok()?;
            // The parent stands behind the name and the state.
            let parent = stat
                .rsplit(')')
                .next()?
                .split_whitespace()
                .nth(1)?
                .to_owned();
            let command = fs::read_to_string(process.path().join("cmdline")).ok()?;
            let mut words = command
                .split('\0')
                .skip_while(|word| *word != "pgsieve-postgres");
            (demo.as_ref() == Some(&parent)).then_some(())?;
            words.nth(1).map(PathBuf::from)
        });
        folders.collect()
    }

    /// Its temporary folders, and those of its servers: their data is where all may reach it.
    fn left_behind(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.temporary).unwrap().flatten();
        let mut left: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        left.extend(self.servers().into_iter().filter(|path| path.exists()));
        left
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.temporary));
    }
}
