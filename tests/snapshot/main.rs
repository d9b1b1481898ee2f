//! What is read of real servers, old and new, what tells that it has changed, and that the snapshot
//! of it says what the server says.

#[cfg(test)]
mod agrees;
#[cfg(test)]
mod compile;
#[cfg(test)]
mod connect;
#[cfg(test)]
mod load;
#[cfg(test)]
mod marker;
#[cfg(test)]
mod shop;
#[cfg(test)]
mod support;
