//! What has to be done with a response before a client may have it.

use super::endpoints::has_endpoints;
use crate::header::Opening;
use crate::schema::{Api, Field, Kind, Layout, api};

/// What has to be done with a response.
#[derive(Clone, Copy, Debug)]
pub(super) enum Treatment {
    /// Nothing: it names no broker.
    Pass,
    /// It passes, and endpoints in it are emptied.
    Empty(&'static Layout),
    /// It is held until it is whole, and written again.
    Hold(Held),
}

/// What is changed in a response that is held.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// The addresses of brokers.
    Addresses(&'static Layout),
    /// The versions that the broker offers.
    Versions,
}

/// A response that may name brokers has a version that the tables do not have.
pub(super) struct UnknownVersion;

/// What has to be done with the response to this request.
pub(super) fn treatment(asked: Opening) -> Result<Treatment, UnknownVersion> {
    let layout = || api(asked.key).and_then(|api| api.response(asked.version)).ok_or(UnknownVersion);
    match asked.key {
        Api::METADATA | Api::FIND_COORDINATOR | Api::DESCRIBE_CLUSTER | Api::DESCRIBE_QUORUM => {
            let layout = layout()?;
            let names = names_hosts(layout.fields, asked.version);
            Ok(if names { Treatment::Hold(Held::Addresses(layout)) } else { Treatment::Pass })
        }
        Api::PRODUCE | Api::FETCH | Api::SHARE_FETCH | Api::SHARE_ACKNOWLEDGE => {
            let layout = layout()?;
            Ok(if has_endpoints(layout, asked.version) { Treatment::Empty(layout) } else { Treatment::Pass })
        }
        Api::API_VERSIONS => Ok(Treatment::Hold(Held::Versions)),
        _ => Ok(Treatment::Pass),
    }
}

/// Whether one of these fields, or of those within them, is a host in this version.
pub(super) fn names_hosts(fields: &[Field], version: i16) -> bool {
    fields.iter().filter(|field| field.versions.contain(version)).any(|field| match field.kind {
        Kind::Struct(fields) | Kind::Array(&Kind::Struct(fields)) => names_hosts(fields, version),
        _ => field.name == "Host",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::apis;

    /// Responses that name hosts, and pass as they are.
    const LEFT_ALONE: [&str; 9] = [
        // Hosts of clients.
        "DescribeAcls",
        "DeleteAcls",
        "StreamsGroupHeartbeat",
        "StreamsGroupDescribe",
        // Brokers and controllers ask them of each other.
        "Vote",
        "BeginQuorumEpoch",
        "EndQuorumEpoch",
        "FetchSnapshot",
        "UpdateRaftVoter",
    ];

    #[test]
    fn every_response_with_a_host_is_treated_or_left_alone_on_purpose() {
        for api in apis() {
            for version in api.versions() {
                let names = names_hosts(api.response(version).unwrap().fields, version);
                let opening = Opening { key: api.key, version, correlation: 0 };
                let passes = matches!(treatment(opening), Ok(Treatment::Pass));

                assert_eq!(names && passes, names && LEFT_ALONE.contains(&api.name), "{} {version}", api.name);
            }
        }
    }
}
