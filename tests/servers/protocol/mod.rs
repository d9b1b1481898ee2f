//! What goes over the wire is what the database would have sent: messages, errors, portals,
//! pipelines.

mod basics;
pub mod pair;
mod pipeline;
mod portals;
mod refusals;
mod reused_names;
pub mod same_answer;
mod search_path;
mod set_constraints;
mod silence;
mod violations;
