//! Grants as lists, equal lists kept once: most objects of a schema have the same.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::oids::OidIndex;
use crate::catalog_rows::GrantRow;
use crate::{Acl, AclId, AclItem};

/// The lists that were seen.
#[derive(Default)]
pub struct AclTable {
    /// By place.
    pub lists: Vec<Acl>,
    ids: HashMap<Acl, AclId, RandomState>,
}

impl AclTable {
    /// The id of a list; none where the object has none, which is not the same as an empty one.
    pub fn keep(&mut self, oids: &OidIndex, rows: Option<Vec<GrantRow>>) -> Option<AclId> {
        let list = grants(oids, &rows?);
        if let Some(id) = self.ids.get(&list) {
            return Some(*id);
        }
        let id = AclId(u32::try_from(self.lists.len()).unwrap_or(u32::MAX));
        self.lists.push(list.clone());
        self.ids.insert(list, id);
        Some(id)
    }
}

/// The grants by role, one for each. Those to roles that are gone are left out: they must not
/// become grants to everybody.
fn grants(oids: &OidIndex, rows: &[GrantRow]) -> Acl {
    let mut grants: Vec<AclItem> = Vec::with_capacity(rows.len());
    for row in rows {
        let to = match row.to {
            0 => None,
            role => match oids.role(role) {
                Some(role) => Some(role),
                None => continue,
            },
        };
        let GrantRow {
            select,
            usage,
            execute,
            ..
        } = *row;
        if let Some(same) = grants.iter_mut().find(|grant| grant.to == to) {
            same.select |= select;
            same.usage |= usage;
            same.execute |= execute;
        } else if select || usage || execute {
            grants.push(AclItem {
                to,
                select,
                usage,
                execute,
            });
        }
    }
    grants.sort_unstable_by_key(|grant| grant.to);
    grants.into()
}
