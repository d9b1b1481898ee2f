//! What others have made: browsers, Prometheus, Grafana, Docker, clients and drivers.

#[cfg(test)]
mod clients;
#[cfg(test)]
#[path = "../support/conversation.rs"]
mod conversation;
#[cfg(test)]
mod deploy;
#[cfg(test)]
mod grafana;
#[cfg(test)]
mod instructions;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod page;
#[cfg(test)]
#[path = "../support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "other programs use all of it")]
mod support;
#[cfg(test)]
mod system_calls;
