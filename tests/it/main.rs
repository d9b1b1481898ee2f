//! The integration tests: one program, so that there is one link and one private Postgres.
//!
//! To add tests: put `tests/it/NAME.rs` beside this file, add `mod NAME;` to the list, and start
//! with `use crate::support::Stack;`. The head of `support/mod.rs` says what there is.

#[cfg(test)]
mod access;
#[cfg(test)]
mod access_random;
#[cfg(test)]
mod administer;
#[cfg(test)]
mod alarms;
#[cfg(test)]
mod attributes;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod basics;
#[cfg(test)]
mod budgets;
#[cfg(test)]
mod canary;
#[cfg(test)]
mod cancel_by_pid;
#[cfg(test)]
mod cancel_by_pid_answers;
#[cfg(test)]
mod catalog;
#[cfg(test)]
mod certificate_claims;
#[cfg(test)]
mod changes;
#[cfg(test)]
mod clients;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod dumps;
#[cfg(test)]
mod evidence_hostile;
#[cfg(test)]
mod function_paths;
#[cfg(test)]
mod hardening;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod held_cursors;
#[cfg(test)]
mod hidden;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod limits_lasting;
#[cfg(test)]
mod limits_pieces;
#[cfg(test)]
mod limits_walk;
#[cfg(test)]
mod listening;
#[cfg(test)]
mod logs;
#[cfg(test)]
mod masks;
#[cfg(test)]
mod matrix;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod metrics_standby;
#[cfg(test)]
mod metrics_table;
#[cfg(test)]
mod models;
mod models_told;
#[cfg(test)]
mod nothing_written;
#[cfg(test)]
mod oidc;
#[cfg(test)]
mod pair;
#[cfg(test)]
mod pipeline;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod plans_counted;
#[cfg(test)]
mod policy_fit;
#[cfg(test)]
mod policy_keys;
#[cfg(test)]
mod policy_tests;
#[cfg(test)]
mod portals;
#[cfg(test)]
mod queryid;
#[cfg(test)]
mod quotas;
#[cfg(test)]
mod read_write;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod reload;
#[cfg(test)]
mod renewal;
#[cfg(test)]
mod renewal_sinks;
#[cfg(test)]
mod renewal_whole;
#[cfg(test)]
mod repairs;
#[cfg(test)]
mod repairs_corpus;
#[cfg(test)]
mod repairs_walk;
#[cfg(test)]
mod report_as;
#[cfg(test)]
mod reused_names;
#[cfg(test)]
mod roles;
#[cfg(test)]
mod same_answer;
#[cfg(test)]
mod same_verdict;
#[cfg(test)]
mod search_path;
#[cfg(test)]
mod serve_check;
#[cfg(test)]
mod server_directories;
#[cfg(test)]
mod servers;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod set_constraints;
#[cfg(test)]
mod silence;
#[cfg(test)]
mod silent_connections;
#[cfg(test)]
mod suggest;
#[cfg(test)]
mod support;
#[cfg(test)]
mod temporary;
#[cfg(test)]
mod tonight;
#[cfg(test)]
mod traces;
#[cfg(test)]
mod traces_batches;
#[cfg(test)]
mod traces_faults;
#[cfg(test)]
mod until;
#[cfg(test)]
mod violations;
#[cfg(test)]
mod warnings;
