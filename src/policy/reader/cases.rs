//! The section `tests` of a policy file.

use std::collections::BTreeMap;

use super::super::set::named_certificate::NamedCertificate;
use super::super::similar_names::nearest;
use super::super::test_case::{ExpectedAnswer, TestCase};
use super::super::yaml::section::{
    PlacedProblems, YamlSection, chosen, join, map, report, word, words,
};
use super::super::yaml::tree::{YamlPlace, YamlTree, YamlValue};
use ground::rule::{PolicyRule, Rule};

/// Reads the section.
pub(super) fn read(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Vec<TestCase>> {
    let YamlValue::List(list) = tree.value else {
        report(problems, tree.place, path, "a list of tests is wanted here");
        return None;
    };
    let mut cases = Vec::new();
    for (at, tree) in list.into_iter().enumerate() {
        cases.extend(case(tree, &format!("{path}[{at}]"), problems));
    }
    Some(cases)
}

fn case(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<TestCase> {
    let place = tree.place;
    let mut section = YamlSection::open(tree, path, problems)?;
    let statement = section.required("statement", problems, text);
    let expect = section.required("expect", problems, |tree, path, problems| {
        chosen(tree, path, EXPECTED, problems)
    });
    let rule = section.optional("rule", None, problems, |tree, path, problems| {
        let (place, name) = word(tree, path, problems)?;
        Some(Some((place, name)))
    });
    let user = section.optional("user", USER.to_owned(), problems, text);
    let application = section.optional("application_name", String::new(), problems, any_text);
    let certificate = section.optional("certificate", None, problems, certificate);
    let search_path = section.optional("search_path", None, problems, |tree, path, problems| {
        words(tree, path, problems).map(Some)
    });
    let settings = section.optional("settings", BTreeMap::new(), problems, settings);
    section.close(problems);
    let (expect, rule) = (expect?, rule?);
    if let Some((place, rule)) = &rule {
        check_rule(rule, expect, *place, &join(path, "rule"), problems);
    }
    Some(TestCase {
        place: place.of(path),
        statement: statement?,
        expect,
        rule: rule.map(|(_, rule)| rule),
        user: user?,
        application_name: application?,
        certificate: certificate?,
        search_path: search_path?,
        settings: settings?,
    })
}

fn check_rule(
    rule: &str,
    expect: ExpectedAnswer,
    place: YamlPlace,
    path: &str,
    problems: &mut PlacedProblems,
) {
    let own = PolicyRule::named(rule).is_some();
    if Rule::named(rule).is_none() {
        let near = nearest(rule, Rule::names());
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        let what = format!("unknown rule{near}");
        return report(problems, place, path, &what);
    }
    match expect {
        ExpectedAnswer::Permit => {
            let what = "what is permitted is so by no rule: leave the rule out, or expect refuse \
                or observe";
            report(problems, place, path, what);
        }
        ExpectedAnswer::Observe if !own => {
            let what = "this rule is the gate's own and always refuses: expect refuse";
            report(problems, place, path, what);
        }
        ExpectedAnswer::Observe | ExpectedAnswer::Refuse => {}
    }
}

fn settings(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<BTreeMap<String, String>> {
    let mut settings = BTreeMap::new();
    for entry in map(tree, path, problems)? {
        let path = join(path, &entry.key);
        let name = entry.key.to_ascii_lowercase();
        let Some(value) = any_text(entry.tree, &path, problems) else {
            continue;
        };
        if settings.insert(name, value).is_some() {
            report(problems, entry.place, &path, "this setting is named twice");
        }
    }
    Some(settings)
}

fn certificate(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Option<NamedCertificate>> {
    let (place, text) = word(tree, path, problems)?;
    match NamedCertificate::read(&text) {
        Ok(read) => Some(Some(read)),
        Err(error) => {
            report(problems, place, path, &error.to_string());
            None
        }
    }
}

fn any_text(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<String> {
    word(tree, path, problems).map(|(_, text)| text)
}

/// A text that is not empty.
fn text(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<String> {
    let (place, text) = word(tree, path, problems)?;
    if text.trim().is_empty() {
        report(problems, place, path, "a text that is not empty is wanted");
        return None;
    }
    Some(text)
}

const EXPECTED: &[(&str, ExpectedAnswer)] = &[
    ("permit", ExpectedAnswer::Permit),
    ("refuse", ExpectedAnswer::Refuse),
    ("observe", ExpectedAnswer::Observe),
];

/// As whom a test runs that does not say.
const USER: &str = "app";

#[cfg(test)]
mod tests {
    use super::super::super::tests::{policy_with, said_of, version_with};
    use super::*;

    #[test]
    fn tests_are_read_with_their_places() {
        let policy = policy_with(
            "tests",
            "[{statement: SELECT 1, expect: permit},\n {statement: SELECT 2, expect: refuse, \
             rule: relation_denied, user: ann, application_name: x, search_path: [shop], \
             settings: {App.Tenant: a}, certificate: 'CN=ann,O=Acme'}]",
        );
        let [first, second] = policy.tests() else {
            panic!("two tests")
        };
        assert_eq!(first.expect, ExpectedAnswer::Permit);
        assert_eq!((first.user.as_str(), &first.search_path), ("app", &None));
        assert_eq!(second.rule.as_deref(), Some("relation_denied"));
        assert_eq!(second.settings["app.tenant"], "a");
        let shown = second.certificate.as_ref().unwrap();
        assert_eq!(shown.organization(), Some("Acme"));
        assert_eq!(first.certificate, None);
        assert!(second.place.ends_with("tests[1]"), "{}", second.place);
    }

    #[test]
    fn tests_are_no_part_of_what_a_policy_means() {
        let with = version_with("tests", "[{statement: SELECT 1, expect: permit}]");
        assert_eq!(with, version_with("tests", "[]"));
    }

    #[test]
    fn what_is_wrong_with_tests_is_said() {
        for (test, wanted) in [
            (
                "[{expect: permit}]",
                "tests[0].statement: this key is missing",
            ),
            (
                "[{statement: \" \", expect: permit}]",
                "a text that is not empty",
            ),
            ("[{statement: x}]", "tests[0].expect: this key is missing"),
            (
                "[{statement: x, expect: allow}]",
                "one of permit, refuse, observe",
            ),
            (
                "[{statement: x, expect: permit, rule: ddl}]",
                "what is permitted is so by no rule",
            ),
            (
                "[{statement: x, expect: observe, rule: ddl}]",
                "is the gate's own and always",
            ),
            (
                "[{statement: x, expect: refuse, rule: dd}]",
                "did you mean ddl?",
            ),
            (
                "[{statement: x, expect: refuse, sql: y}]",
                "tests[0].sql: unknown key",
            ),
            (
                "[{statement: x, expect: permit, certificate: 'CM=ann'}]",
                "tests[0].certificate: unknown key; did you mean CN?",
            ),
            (
                "[{statement: x, expect: permit, certificate: ''}]",
                "tests[0].certificate: a common name is wanted",
            ),
            ("[x]", "a map of keys is wanted here"),
            ("x", "a list of tests is wanted"),
        ] {
            let found = said_of("tests", test);
            assert!(found.contains(wanted), "{test}: {found}");
        }
    }
}
