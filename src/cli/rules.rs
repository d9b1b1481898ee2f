//! `pgsieve rules`: what each rule sees and why, for whoever was refused by it.

use std::io::{self, Write};

use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::gate::Rule;
use crate::gate::rules::docs;

/// The flags of `rules`.
#[derive(clap::Args)]
pub struct RulesFlags {
    /// The rule, as the DETAIL of an error names it; without it, all rules, one on each line.
    #[arg(value_name = "RULE")]
    rule: Option<String>,
}

/// Prints a rule, or the list.
pub fn run(flags: &RulesFlags, out: &mut impl Write) -> CommandOutcome {
    let Some(name) = &flags.rule else {
        return print_outcome(list(out));
    };
    match Rule::named(name) {
        Some(rule) => print_outcome(one(rule, out)),
        None => {
            complain(format_args!(
                "there is no such rule; `pgsieve rules` lists them"
            ));
            CommandOutcome::Misused
        }
    }
}

fn list(out: &mut impl Write) -> io::Result<()> {
    for rule in Rule::ALL {
        // What a rule is called and about may go over more lines than one.
        let lines = docs::lines(*rule);
        let first = lines.iter().take_while(|line| !line.is_empty());
        let first: Vec<&str> = first.copied().collect();
        writeln!(out, "{}", first.join(" "))?;
    }
    Ok(())
}

fn one(rule: Rule, out: &mut impl Write) -> io::Result<()> {
    for line in docs::lines(rule) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
