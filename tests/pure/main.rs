//! Everything that needs no server: texts, trees, the gate, the wire, settings, telemetry.

#[cfg(test)]
mod config;
#[cfg(test)]
mod gate;
#[cfg(test)]
mod sql;
#[cfg(test)]
mod telemetry;
#[cfg(test)]
mod wire;
