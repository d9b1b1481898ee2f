//! The objects for Kubernetes, and the chart that makes the same ones: that the API knows them,
//! that they fit each other and pgsieve's settings, and that pgsieve serves with what they mount.
//!
//! No cluster is started: what the scheduler, the kubelet and the proxy of a node make of the
//! objects is not seen here.

mod agreement;
mod chart;
mod confinement;
mod objects;
mod schemas;
mod served;
mod spoilt;
mod watching;
