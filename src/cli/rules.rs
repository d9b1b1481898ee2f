//! `pgsieve rules`: what each rule sees and why, for whoever was refused by it; and each lint.

use std::io::{self, Write};

use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::gate::Rule;
use crate::gate::rules::docs;
use crate::lint::LintRule;
use crate::lint::rules::docs as lint_docs;

/// The flags of `rules`.
#[derive(clap::Args)]
pub struct RulesFlags {
    /// The rule, as the DETAIL of an error names it, or a lint; without it, all rules, one on each
    /// line.
    #[arg(value_name = "RULE")]
    rule: Option<String>,
    /// Lists the lints of `pgsieve check --lint` in their place.
    #[arg(long)]
    lints: bool,
}

/// Prints a rule, or the list.
pub fn run(flags: &RulesFlags, out: &mut impl Write) -> CommandOutcome {
    let Some(name) = &flags.rule else {
        let printed = match flags.lints {
            true => list(
                LintRule::ALL.iter().map(|lint| lint_docs::lines(*lint)),
                out,
            ),
            false => list(Rule::ALL.iter().map(|rule| docs::lines(*rule)), out),
        };
        return print_outcome(printed);
    };
    let rule = Rule::named(name).map(docs::lines);
    match rule.or_else(|| LintRule::named(name).map(lint_docs::lines)) {
        Some(lines) => print_outcome(one(&lines, out)),
        None => {
            complain(format_args!(
                "there is no such rule; `pgsieve rules` lists them"
            ));
            CommandOutcome::Misused
        }
    }
}

fn list(rules: impl Iterator<Item = Vec<&'static str>>, out: &mut impl Write) -> io::Result<()> {
    for lines in rules {
        // What a rule is called and about may go over more lines than one.
        let first = lines.iter().take_while(|line| !line.is_empty());
        let first: Vec<&str> = first.copied().collect();
        writeln!(out, "{}", first.join(" "))?;
    }
    Ok(())
}

fn one(lines: &[&str], out: &mut impl Write) -> io::Result<()> {
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
