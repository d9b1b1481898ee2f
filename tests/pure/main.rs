//! Everything that needs no server: texts, trees, the gate, the wire, settings, telemetry,
//! and what a question is told.

#[cfg(test)]
mod config;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod grounding;
#[cfg(test)]
mod sql;
#[cfg(test)]
mod telemetry;
#[cfg(test)]
mod wire;
