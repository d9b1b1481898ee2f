//! Whether policies fit the databases that they are for: what does not is told when a catalog is
//! loaded, and again when the database changes; relations that are made later can be kept out.

use std::fs;
use std::path::PathBuf;

use pgsieve::demo::cluster::random_name;

use crate::support::raw::kinds;
use crate::support::{APP, Options, RawClient, Stack, until};

/// A folder with one policy, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn with(sections: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let folder = Self(folder);
        folder.write(sections);
        folder
    }

    /// The default policy with these sections.
    fn write(&self, sections: &str) {
        let text = include_str!("../../../policies/agent.yaml");
        fs::write(self.file(), format!("{text}\n{sections}\n")).unwrap();
    }

    fn file(&self) -> PathBuf {
        self.0.join("policy.yaml")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn stack(folder: &Folder) -> Stack {
    let file = folder.file().to_string_lossy().into_owned();
    let stack = Stack::start(Options {
        arguments: vec!["--policy".into(), file],
        ..Options::default()
    });
    stack.prepare(&[
        "CREATE SCHEMA sales",
        "CREATE TABLE sales.customers (id int, tenant text)",
        "INSERT INTO sales.customers VALUES (1, 'app'), (2, 'other')",
        "GRANT USAGE ON SCHEMA sales TO app",
        "GRANT SELECT ON ALL TABLES IN SCHEMA sales TO app",
        "ALTER DEFAULT PRIVILEGES IN SCHEMA sales GRANT SELECT ON TABLES TO app",
    ]);
    stack
}

fn misfits(stack: &Stack) -> f64 {
    stack.metric("pgsieve_policy_misfits")
}

/// What a statement says, once it says that.
fn answers(stack: &Stack, text: &str, wanted: &str) {
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let said = until(|| (kinds(&client.query(text)) == wanted).then_some(()));
    assert!(said.is_some(), "{text}: {:?}", client.query(text));
}

/// What a refusal of `relation_denied` begins and goes on with, once it is one.
#[track_caller]
fn denied(stack: &Stack, text: &str, what: &str) {
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let mut last = Vec::new();
    let said = until(|| {
        last = client.query(text);
        assert!(!kinds(&last).contains('D'), "{text}: rows are read");
        let message = last[0].field(b'M')?;
        let detail = last[0].field(b'D')?;
        let is_it = detail.starts_with("rule: relation_denied") && message.contains(what);
        is_it.then_some(())
    });
    assert!(said.is_some(), "{text}: {last:?}\n{}", stack.stderr());
}

/// Begins what is said of a model that was meant for `customers`.
const CUSTMERS: &str =
    "models.sales.custmers stands for no relation here (did you mean sales.customers?)";

#[test]
fn records_of_what_is_gone_are_told_and_take_nothing_away() {
    let folder = Folder::with("");
    let known = "name: own\nextends: agent\nknowledge: {quirk: {whose: {note: whoever buys, about: \
                 sales.customers.tenant}}}";
    fs::write(folder.file(), known).unwrap();
    let stack = stack(&folder);
    answers(&stack, "SELECT id FROM sales.customers", "TDDCZ");
    until(|| (misfits(&stack) == 0.0).then_some(())).expect("it fits");
    stack.prepare(&["ALTER TABLE sales.customers RENAME COLUMN tenant TO owner"]);
    until(|| (misfits(&stack) == 1.0).then_some(())).expect("the change is seen");
    let told = "knowledge.quirk.whose: sales.customers.tenant is no column here";
    assert!(stack.stderr().contains(told), "{}", stack.stderr());
    let (status, ready) = stack.get("/readyz");
    assert_eq!(status, 200);
    assert!(ready.contains("problems: 1"), "{ready}");
    answers(&stack, "SELECT id FROM sales.customers", "TDDCZ");
    stack.prepare(&["ALTER TABLE sales.customers RENAME COLUMN owner TO tenant"]);
    until(|| (misfits(&stack) == 0.0).then_some(())).expect("it fits again");
}

#[test]
fn a_misspelt_model_is_told_and_lets_nothing_be_read_until_it_is_mended() {
    let model = |name: &str, more: &str| {
        format!("models: {{{name}: {{sql: SELECT id FROM customers WHERE tenant = :user{more}}}}}")
    };
    let allowed = "relations: {allow: [sales.*]}\n";
    let folder = Folder::with(&(allowed.to_owned() + &model("sales.custmers", "")));
    let stack = stack(&folder);
    // No tenant reads the rows of others, not even at first.
    denied(&stack, "SELECT id FROM sales.customers", CUSTMERS);
    until(|| (misfits(&stack) == 1.0).then_some(())).expect("the model is known not to fit");
    let told = "models.sales.custmers: there is no relation of this name (did you mean \
                sales.customers?), so that it filters nothing";
    assert!(stack.stderr().contains(told), "{}", stack.stderr());
    let (status, ready) = stack.get("/readyz");
    assert_eq!(status, 200);
    let line = "policies: do not fit the databases; problems: 1";
    assert!(ready.contains(line), "{ready}");
    let refused = "what models, masks and conditions among them are about is refused, and so are \
                   the relations that it may be";
    assert!(stack.stderr().contains(refused), "{}", stack.stderr());
    answers(&stack, "SELECT id FROM sales.custmers", "EZ");
    // The name is mended: every tenant has its own rows.
    folder.write(&(allowed.to_owned() + &model("sales.customers", "")));
    until(|| (misfits(&stack) == 0.0).then_some(())).expect("it fits");
    answers(&stack, "SELECT id FROM sales.customers", "TDCZ");
    assert!(!stack.get("/readyz").1.contains("do not fit"));
    assert!(stack.stderr().contains("the policies fit the databases"));
    // And the table gets another name.
    stack.prepare(&["ALTER TABLE sales.customers RENAME TO clients"]);
    until(|| (misfits(&stack) == 1.0).then_some(())).expect("the change is seen");
    let gone = "models.sales.customers stands for no relation here";
    denied(&stack, "SELECT id FROM sales.clients", gone);
    // And back.
    stack.prepare(&["ALTER TABLE sales.clients RENAME TO customers"]);
    answers(&stack, "SELECT id FROM sales.customers", "TDCZ");
}

#[test]
fn a_table_that_is_dropped_has_its_schema_refused_and_models_beside_it_go_on() {
    let models = "relations: {allow: [sales.*, public.*]}\nmodels:\n  \
                  sales.customers: {sql: SELECT id FROM customers WHERE tenant = :user}\n  \
                  sales.gone: {sql: SELECT id FROM gone WHERE id > 1}";
    let folder = Folder::with("");
    let stack = stack(&folder);
    stack.prepare(&[
        "CREATE TABLE sales.gone (id int)",
        "CREATE TABLE sales.others (id int)",
        "CREATE TABLE public.elsewhere (id int)",
        "GRANT SELECT ON public.elsewhere TO app",
    ]);
    folder.write(models);
    answers(&stack, "SELECT id FROM sales.customers", "TDCZ");
    answers(&stack, "SELECT id FROM sales.others", "TCZ");
    // A session that has read it goes on, and reads it no more.
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    assert_eq!(kinds(&client.query("SELECT id FROM sales.others")), "TCZ");
    stack.prepare(&["DROP TABLE sales.gone"]);
    let refused =
        until(|| (kinds(&client.query("SELECT id FROM sales.others")) == "EZ").then_some(()));
    refused.expect("the verdict that was known does not hold");
    let gone = "models.sales.gone stands for no relation here";
    denied(&stack, "SELECT id FROM sales.others", gone);
    answers(&stack, "SELECT id FROM sales.customers", "TDCZ");
    answers(&stack, "SELECT id FROM public.elsewhere", "TCZ");
    answers(&stack, "SELECT count(*) FROM pg_class", "TDCZ");
}

#[test]
fn a_model_in_no_schema_and_a_condition_of_nothing_have_rows_refused() {
    let folder = Folder::with("models: {sale.customers: {sql: SELECT 1 AS id}}");
    let stack = stack(&folder);
    stack.prepare(&[
        "CREATE TABLE public.elsewhere (id int)",
        "GRANT SELECT ON public.elsewhere TO app",
    ]);
    let model = "models.sale.customers stands for no relation here (did you mean sales.customers?)";
    denied(&stack, "SELECT id FROM sales.customers", model);
    denied(&stack, "SELECT id FROM public.elsewhere", model);
    answers(&stack, "SELECT 1", "TDCZ");
    // A start: what is dropped into the folder of a running one is not taken.
    for (sections, key) in [
        (
            "rows: {sales.custmers: tenant = :user}",
            "rows.sales.custmers",
        ),
        (
            "mode: observe\ncolumns: {mask: {sales.custmers.tenant: null}}",
            "columns.mask.sales.custmers.tenant",
        ),
        (
            "mode: observe\nrelations: {deny: [sales.customers]}\n\
             models: {sales.custmers: {sql: SELECT 1 AS id}}",
            "models.sales.custmers",
        ),
    ] {
        let folder = Folder::with(sections);
        let stack = self::stack(&folder);
        let what = format!("{key} stands for no relation here");
        denied(&stack, "SELECT id FROM sales.customers", &what);
        until(|| (misfits(&stack) == 1.0).then_some(())).expect("it is told");
        assert!(
            stack.stderr().contains(&format!("{key}: ")),
            "{}",
            stack.stderr()
        );
    }
}

#[test]
fn a_policy_for_a_table_that_comes_later_holds_once_it_is_there() {
    let folder = Folder::with("");
    let stack = stack(&folder);
    answers(&stack, "SELECT id FROM sales.customers", "TDDCZ");
    let coming = "models: {sales.orders: {sql: SELECT id FROM orders WHERE id > 1}}";
    folder.write(coming);
    let rejected = "pgsieve_policy_reloads_total{outcome=\"rejected\"}";
    until(|| (stack.metric(rejected) >= 1.0).then_some(())).expect("it does not fit yet");
    stack.prepare(&[
        "CREATE TABLE sales.orders (id int)",
        "INSERT INTO sales.orders VALUES (1), (2)",
    ]);
    answers(&stack, "SELECT id FROM sales.orders", "TDCZ");
    assert_eq!(stack.metric("pgsieve_policy_last_reload_successful"), 1.0);
}

#[test]
fn relations_that_are_made_later_stay_out_where_the_policy_says_so() {
    let known = "new: refuse, known: [sales.customers]";
    let folder = Folder::with(&format!("relations: {{allow: [sales.*], {known}}}"));
    let stack = stack(&folder);
    answers(&stack, "SELECT id FROM sales.customers", "TDDCZ");
    stack.prepare(&[
        "CREATE TABLE sales.salaries (id int)",
        "CREATE TABLE sales.parts (id int) PARTITION BY LIST (id)",
        "CREATE VIEW sales.seen AS SELECT id FROM sales.salaries",
    ]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    for name in ["salaries", "parts", "seen"] {
        let answer = client.query(&format!("SELECT id FROM sales.{name}"));
        assert_eq!(kinds(&answer), "EZ", "{name}");
    }
    let seen = || {
        let answer = client.query("SELECT id FROM sales.salaries");
        let message = answer[0].field(b'M').unwrap();
        message
            .contains("is new, and relations.known")
            .then_some(())
    };
    until(seen).expect("the refusal says why");
    // What the command prints lets them in.
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(["policy", "known", "--upstream", &stack.direct_url(APP)])
        .arg(folder.file())
        .output()
        .unwrap();
    assert!(printed.status.success(), "{printed:?}");
    let keys = String::from_utf8(printed.stdout).unwrap();
    let wanted = "  new: refuse\n  known:\n    - sales.customers\n    - sales.parts\n    - \
                  sales.salaries\n    - sales.seen\n";
    assert_eq!(keys, wanted);
    folder.write(&format!("relations:\n  allow: [sales.*]\n{keys}"));
    answers(&stack, "SELECT id FROM sales.seen", "TCZ");
}

/// Two tenants under a policy that only observes: each has its own rows all the same.
#[test]
fn a_policy_that_observes_filters_rows_and_is_seen_to_observe() {
    let model = "models: {sales.customers: {sql: SELECT id FROM customers WHERE tenant = :user}}";
    let day = "observe_until: 2020-01-31";
    let sections = format!("mode: observe\n{day}\nrelations: {{deny: [sales.other]}}\n{model}");
    let folder = Folder::with(&sections);
    let stack = stack(&folder);
    stack.prepare(&[
        "CREATE TABLE sales.other (id int)",
        "INSERT INTO sales.other VALUES (7)",
    ]);
    // What is denied is only counted; what is filtered is.
    answers(&stack, "SELECT id FROM sales.other", "TDCZ");
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let own = client.query("SELECT id FROM sales.customers");
    assert_eq!(kinds(&own), "TDCZ");
    let observed = |rule| stack.metric_sum("pgsieve_observed_total", &[("rule", rule)]);
    until(|| (observed("relation_denied") >= 1.0).then_some(())).expect("it is counted");
    assert_eq!(observed("model"), 0.0);
    let (_, ready) = stack.get("/readyz");
    assert!(ready.contains(", mode observe\n"), "{ready}");
    let (_, metrics) = stack.get("/metrics");
    let held = "pgsieve_policy_info{mode=\"observe\",policy=\"agent\",version=";
    assert!(metrics.contains(held), "{metrics}");
    let until_metric = "pgsieve_policy_observe_until_timestamp_seconds{policy=\"agent\"}";
    assert_eq!(stack.metric(until_metric), 1_580_515_200.0);
    assert!(stack.stderr().contains("(mode: observe)"));
    // Only by name is a model observed as well: then nothing is filtered.
    folder.write(&format!("{sections}\nrules: {{model: observe}}"));
    answers(&stack, "SELECT id FROM sales.customers", "TDDCZ");
    assert!(observed("model") >= 1.0);
    // And it is over.
    folder.write(model);
    until(|| {
        stack
            .get("/readyz")
            .1
            .contains(", mode enforce\n")
            .then_some(())
    })
    .expect("enforced");
    until(|| (stack.metric(until_metric) == 0.0).then_some(())).expect("it has no day any more");
}
