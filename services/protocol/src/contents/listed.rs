//! Lists the fields of administrative requests that are written.

pub(super) const CREATE_TOPICS: i16 = 19;
pub(super) const DELETE_TOPICS: i16 = 20;
const DELETE_RECORDS: i16 = 21;
pub(super) const CREATE_ACLS: i16 = 30;
pub(super) const DELETE_ACLS: i16 = 31;
pub(super) const ALTER_CONFIGS: i16 = 33;
const CREATE_PARTITIONS: i16 = 37;
const DELETE_GROUPS: i16 = 42;
const INCREMENTAL_ALTER_CONFIGS: i16 = 44;
const ALTER_CLIENT_QUOTAS: i16 = 49;
pub(super) const ALTER_USER_SCRAM_CREDENTIALS: i16 = 51;

/// The fields of an API that are written, each behind the structure that it is in.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) key: i16,
    pub(super) request: &'static [&'static str],
    pub(super) response: &'static [&'static str],
}

/// The APIs by which topics, records, configurations, permissions, quotas, groups and passwords are changed.
///
/// Others are not written, nor are those that Kafka adds later. Messages for people are not listed, since they may
/// repeat a value; nor is anything that proves a password.
pub(super) const ADMINISTRATIVE: [Listed; 11] = [
    Listed {
        key: CREATE_TOPICS,
        request: &[
            "Topics.Name",
            "Topics.NumPartitions",
            "Topics.ReplicationFactor",
            "Assignments.PartitionIndex",
            "Assignments.BrokerIds",
            "Configs.Name",
            "Configs.Value",
            ".validateOnly",
        ],
        response: &[
            "Topics.Name",
            "Topics.TopicId",
            "Topics.ErrorCode",
            "Topics.NumPartitions",
            "Topics.ReplicationFactor",
        ],
    },
    Listed {
        key: DELETE_TOPICS,
        request: &["Topics.Name", "Topics.TopicId", ".TopicNames"],
        response: &["Responses.Name", "Responses.TopicId", "Responses.ErrorCode"],
    },
    Listed {
        key: DELETE_RECORDS,
        request: &["Topics.Name", "Partitions.PartitionIndex", "Partitions.Offset"],
        response: &["Topics.Name", "Partitions.PartitionIndex", "Partitions.LowWatermark", "Partitions.ErrorCode"],
    },
    Listed {
        key: CREATE_ACLS,
        request: &[
            "Creations.ResourceType",
            "Creations.ResourceName",
            "Creations.ResourcePatternType",
            "Creations.Principal",
            "Creations.Host",
            "Creations.Operation",
            "Creations.PermissionType",
        ],
        response: &["Results.ErrorCode"],
    },
    Listed {
        key: DELETE_ACLS,
        request: &[
            "Filters.ResourceTypeFilter",
            "Filters.ResourceNameFilter",
            "Filters.PatternTypeFilter",
            "Filters.PrincipalFilter",
            "Filters.HostFilter",
            "Filters.Operation",
            "Filters.PermissionType",
        ],
        response: &[
            "FilterResults.ErrorCode",
            "MatchingAcls.ErrorCode",
            "MatchingAcls.ResourceType",
            "MatchingAcls.ResourceName",
            "MatchingAcls.PatternType",
            "MatchingAcls.Principal",
            "MatchingAcls.Host",
            "MatchingAcls.Operation",
            "MatchingAcls.PermissionType",
        ],
    },
    Listed {
        key: ALTER_CONFIGS,
        request: &[
            "Resources.ResourceType",
            "Resources.ResourceName",
            "Configs.Name",
            "Configs.Value",
            ".ValidateOnly",
        ],
        response: &["Responses.ErrorCode", "Responses.ResourceType", "Responses.ResourceName"],
    },
    Listed {
        key: CREATE_PARTITIONS,
        request: &["Topics.Name", "Topics.Count", "Assignments.BrokerIds", ".ValidateOnly"],
        response: &["Results.Name", "Results.ErrorCode"],
    },
    Listed { key: DELETE_GROUPS, request: &[".GroupsNames"], response: &["Results.GroupId", "Results.ErrorCode"] },
    Listed {
        key: INCREMENTAL_ALTER_CONFIGS,
        request: &[
            "Resources.ResourceType",
            "Resources.ResourceName",
            "Configs.Name",
            "Configs.ConfigOperation",
            "Configs.Value",
            ".ValidateOnly",
        ],
        response: &["Responses.ErrorCode", "Responses.ResourceType", "Responses.ResourceName"],
    },
    Listed {
        key: ALTER_CLIENT_QUOTAS,
        request: &[
            "Entries.Entity",
            "Entity.EntityType",
            "Entity.EntityName",
            "Entries.Ops",
            "Ops.Key",
            "Ops.Value",
            "Ops.Remove",
            ".ValidateOnly",
        ],
        response: &["Entries.ErrorCode", "Entity.EntityType", "Entity.EntityName"],
    },
    Listed {
        key: ALTER_USER_SCRAM_CREDENTIALS,
        request: &[
            "Deletions.Name",
            "Deletions.Mechanism",
            "Upsertions.Name",
            "Upsertions.Mechanism",
            "Upsertions.Iterations",
        ],
        response: &["Results.User", "Results.ErrorCode"],
    },
];

/// Returns true if requests of this API change what brokers keep: topics, records, configurations, permissions, quotas,
/// groups or passwords.
#[must_use]
pub fn is_administrative(key: i16) -> bool {
    ADMINISTRATIVE.iter().any(|listed| listed.key == key)
}
