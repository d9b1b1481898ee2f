//! The gate with names, without a proxy: on real servers of two versions, what hides an effect is
//! refused, and what only stands beside it passes, and so does everything that is asked every day.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod classes;
#[cfg(test)]
mod effects;
#[cfg(test)]
mod isolated;
#[cfg(test)]
mod judge;
#[cfg(test)]
mod permitted;
#[cfg(test)]
mod refused;
#[cfg(test)]
mod servers;
#[cfg(test)]
mod shares;
#[cfg(test)]
mod support;
#[cfg(test)]
mod support_families;
#[cfg(test)]
mod unreadable;
#[cfg(test)]
mod variations;
