// Generated from the message definitions of Kafka 3.9.2 and 4.4.0 by `make generate`; do not edit.

use super::table::Kind::{Array, Bool, Bytes, Float64, Int16, Int32, Int64, Int8, Records, String, Struct, Uint16, Uuid};
use super::table::{Api, Field, Layout, Versions};

const NEVER: Versions = Versions::NEVER;

pub(super) static APIS: &[Api] = &[
    Api { key: 0, name: "Produce",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: NEVER, fields: &[
                Field { name: "Acks", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "TopicData", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "PartitionData", kind: Array(&Struct(&[
                        Field { name: "Index", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "Records", kind: Records, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(3, 13), flexible: Versions::new(9, 13), fields: &[
                Field { name: "TransactionalId", kind: String, versions: Versions::new(3, 13), nullable: Versions::new(3, 13), tag: None },
                Field { name: "Acks", kind: Int16, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                Field { name: "TopicData", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(3, 12), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(13, 13), nullable: NEVER, tag: None },
                    Field { name: "PartitionData", kind: Array(&Struct(&[
                        Field { name: "Index", kind: Int32, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                        Field { name: "Records", kind: Records, versions: Versions::new(3, 13), nullable: Versions::new(3, 13), tag: None },
                    ])), versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                ])), versions: Versions::new(3, 13), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: NEVER, fields: &[
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "PartitionResponses", kind: Array(&Struct(&[
                        Field { name: "Index", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "BaseOffset", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "LogAppendTimeMs", kind: Int64, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(3, 13), flexible: Versions::new(9, 13), fields: &[
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(3, 12), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(13, 13), nullable: NEVER, tag: None },
                    Field { name: "PartitionResponses", kind: Array(&Struct(&[
                        Field { name: "Index", kind: Int32, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                        Field { name: "BaseOffset", kind: Int64, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                        Field { name: "LogAppendTimeMs", kind: Int64, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                        Field { name: "LogStartOffset", kind: Int64, versions: Versions::new(5, 13), nullable: NEVER, tag: None },
                        Field { name: "RecordErrors", kind: Array(&Struct(&[
                            Field { name: "BatchIndex", kind: Int32, versions: Versions::new(8, 13), nullable: NEVER, tag: None },
                            Field { name: "BatchIndexErrorMessage", kind: String, versions: Versions::new(8, 13), nullable: Versions::new(8, 13), tag: None },
                        ])), versions: Versions::new(8, 13), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(8, 13), nullable: Versions::new(8, 13), tag: None },
                        Field { name: "CurrentLeader", kind: Struct(&[
                            Field { name: "LeaderId", kind: Int32, versions: Versions::new(10, 13), nullable: NEVER, tag: None },
                            Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(10, 13), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(10, 13), nullable: NEVER, tag: Some(0) },
                    ])), versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                ])), versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                Field { name: "NodeEndpoints", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(10, 13), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(10, 13), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(10, 13), nullable: NEVER, tag: None },
                    Field { name: "Rack", kind: String, versions: Versions::new(10, 13), nullable: Versions::new(10, 13), tag: None },
                ])), versions: Versions::new(10, 13), nullable: NEVER, tag: Some(0) },
            ] },
        ],
    },
    Api { key: 1, name: "Fetch",
        requests: &[
            Layout { versions: Versions::new(0, 3), flexible: NEVER, fields: &[
                Field { name: "ReplicaId", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "MaxWaitMs", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "MinBytes", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "MaxBytes", kind: Int32, versions: Versions::new(3, 3), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                        Field { name: "FetchOffset", kind: Int64, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                        Field { name: "PartitionMaxBytes", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(4, 18), flexible: Versions::new(12, 18), fields: &[
                Field { name: "ClusterId", kind: String, versions: Versions::new(12, 18), nullable: Versions::new(12, 18), tag: Some(0) },
                Field { name: "ReplicaId", kind: Int32, versions: Versions::new(4, 14), nullable: NEVER, tag: None },
                Field { name: "ReplicaState", kind: Struct(&[
                    Field { name: "ReplicaId", kind: Int32, versions: Versions::new(15, 18), nullable: NEVER, tag: None },
                    Field { name: "ReplicaEpoch", kind: Int64, versions: Versions::new(15, 18), nullable: NEVER, tag: None },
                ]), versions: Versions::new(15, 18), nullable: NEVER, tag: Some(1) },
                Field { name: "MaxWaitMs", kind: Int32, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                Field { name: "MinBytes", kind: Int32, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                Field { name: "MaxBytes", kind: Int32, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                Field { name: "IsolationLevel", kind: Int8, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                Field { name: "SessionId", kind: Int32, versions: Versions::new(7, 18), nullable: NEVER, tag: None },
                Field { name: "SessionEpoch", kind: Int32, versions: Versions::new(7, 18), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(4, 12), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(13, 18), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                        Field { name: "CurrentLeaderEpoch", kind: Int32, versions: Versions::new(9, 18), nullable: NEVER, tag: None },
                        Field { name: "FetchOffset", kind: Int64, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                        Field { name: "LastFetchedEpoch", kind: Int32, versions: Versions::new(12, 18), nullable: NEVER, tag: None },
                        Field { name: "LogStartOffset", kind: Int64, versions: Versions::new(5, 18), nullable: NEVER, tag: None },
                        Field { name: "PartitionMaxBytes", kind: Int32, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                        Field { name: "ReplicaDirectoryId", kind: Uuid, versions: Versions::new(17, 18), nullable: NEVER, tag: Some(0) },
                        Field { name: "HighWatermark", kind: Int64, versions: Versions::new(18, 18), nullable: NEVER, tag: Some(1) },
                    ])), versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                ])), versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                Field { name: "ForgottenTopicsData", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(7, 12), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(13, 18), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(7, 18), nullable: NEVER, tag: None },
                ])), versions: Versions::new(7, 18), nullable: NEVER, tag: None },
                Field { name: "RackId", kind: String, versions: Versions::new(11, 18), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 3), flexible: NEVER, fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                        Field { name: "HighWatermark", kind: Int64, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                        Field { name: "Records", kind: Records, versions: Versions::new(0, 3), nullable: Versions::new(0, 3), tag: None },
                    ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(4, 18), flexible: Versions::new(12, 18), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(7, 18), nullable: NEVER, tag: None },
                Field { name: "SessionId", kind: Int32, versions: Versions::new(7, 18), nullable: NEVER, tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(4, 12), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(13, 18), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                        Field { name: "HighWatermark", kind: Int64, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                        Field { name: "LastStableOffset", kind: Int64, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                        Field { name: "LogStartOffset", kind: Int64, versions: Versions::new(5, 18), nullable: NEVER, tag: None },
                        Field { name: "DivergingEpoch", kind: Struct(&[
                            Field { name: "Epoch", kind: Int32, versions: Versions::new(12, 18), nullable: NEVER, tag: None },
                            Field { name: "EndOffset", kind: Int64, versions: Versions::new(12, 18), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(12, 18), nullable: NEVER, tag: Some(0) },
                        Field { name: "CurrentLeader", kind: Struct(&[
                            Field { name: "LeaderId", kind: Int32, versions: Versions::new(12, 18), nullable: NEVER, tag: None },
                            Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(12, 18), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(12, 18), nullable: NEVER, tag: Some(1) },
                        Field { name: "SnapshotId", kind: Struct(&[
                            Field { name: "EndOffset", kind: Int64, versions: Versions::new(12, 18), nullable: NEVER, tag: None },
                            Field { name: "Epoch", kind: Int32, versions: Versions::new(12, 18), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(12, 18), nullable: NEVER, tag: Some(2) },
                        Field { name: "AbortedTransactions", kind: Array(&Struct(&[
                            Field { name: "ProducerId", kind: Int64, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                            Field { name: "FirstOffset", kind: Int64, versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(4, 18), nullable: Versions::new(4, 18), tag: None },
                        Field { name: "PreferredReadReplica", kind: Int32, versions: Versions::new(11, 18), nullable: NEVER, tag: None },
                        Field { name: "Records", kind: Records, versions: Versions::new(4, 18), nullable: Versions::new(4, 18), tag: None },
                    ])), versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                ])), versions: Versions::new(4, 18), nullable: NEVER, tag: None },
                Field { name: "NodeEndpoints", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(16, 18), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(16, 18), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(16, 18), nullable: NEVER, tag: None },
                    Field { name: "Rack", kind: String, versions: Versions::new(16, 18), nullable: Versions::new(16, 18), tag: None },
                ])), versions: Versions::new(16, 18), nullable: NEVER, tag: Some(0) },
            ] },
        ],
    },
    Api { key: 2, name: "ListOffsets",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ReplicaId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Timestamp", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "MaxNumOffsets", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 11), flexible: Versions::new(6, 11), fields: &[
                Field { name: "ReplicaId", kind: Int32, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                Field { name: "IsolationLevel", kind: Int8, versions: Versions::new(2, 11), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                        Field { name: "CurrentLeaderEpoch", kind: Int32, versions: Versions::new(4, 11), nullable: NEVER, tag: None },
                        Field { name: "Timestamp", kind: Int64, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(10, 11), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "OldStyleOffsets", kind: Array(&Int64), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 11), flexible: Versions::new(6, 11), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(2, 11), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                        Field { name: "Timestamp", kind: Int64, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                        Field { name: "Offset", kind: Int64, versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(4, 11), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 11), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 11), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 3, name: "Metadata",
        requests: &[
            Layout { versions: Versions::new(0, 13), flexible: Versions::new(9, 13), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(10, 13), nullable: NEVER, tag: None },
                    Field { name: "Name", kind: String, versions: Versions::new(0, 13), nullable: Versions::new(10, 13), tag: None },
                ])), versions: Versions::new(0, 13), nullable: Versions::new(1, 13), tag: None },
                Field { name: "AllowAutoTopicCreation", kind: Bool, versions: Versions::new(4, 13), nullable: NEVER, tag: None },
                Field { name: "IncludeClusterAuthorizedOperations", kind: Bool, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                Field { name: "IncludeTopicAuthorizedOperations", kind: Bool, versions: Versions::new(8, 13), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 13), flexible: Versions::new(9, 13), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(3, 13), nullable: NEVER, tag: None },
                Field { name: "Brokers", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                    Field { name: "Rack", kind: String, versions: Versions::new(1, 13), nullable: Versions::new(1, 13), tag: None },
                ])), versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                Field { name: "ClusterId", kind: String, versions: Versions::new(2, 13), nullable: Versions::new(2, 13), tag: None },
                Field { name: "ControllerId", kind: Int32, versions: Versions::new(1, 13), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                    Field { name: "Name", kind: String, versions: Versions::new(0, 13), nullable: Versions::new(12, 13), tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(10, 13), nullable: NEVER, tag: None },
                    Field { name: "IsInternal", kind: Bool, versions: Versions::new(1, 13), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(7, 13), nullable: NEVER, tag: None },
                        Field { name: "ReplicaNodes", kind: Array(&Int32), versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                        Field { name: "IsrNodes", kind: Array(&Int32), versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                        Field { name: "OfflineReplicas", kind: Array(&Int32), versions: Versions::new(5, 13), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                    Field { name: "TopicAuthorizedOperations", kind: Int32, versions: Versions::new(8, 13), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 13), nullable: NEVER, tag: None },
                Field { name: "ClusterAuthorizedOperations", kind: Int32, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(13, 13), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 4, name: "LeaderAndIsr",
        requests: &[
            Layout { versions: Versions::new(0, 7), flexible: Versions::new(4, 7), fields: &[
                Field { name: "ControllerId", kind: Int32, versions: Versions::new(0, 7), nullable: NEVER, tag: None },
                Field { name: "isKRaftController", kind: Bool, versions: Versions::new(7, 7), nullable: NEVER, tag: None },
                Field { name: "ControllerEpoch", kind: Int32, versions: Versions::new(0, 7), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                Field { name: "Type", kind: Int8, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                Field { name: "UngroupedPartitionStates", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ControllerEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Leader", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Isr", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "PartitionEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Replicas", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "IsNew", kind: Bool, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "TopicStates", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                    Field { name: "PartitionStates", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "ControllerEpoch", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "Leader", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "Isr", kind: Array(&Int32), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "PartitionEpoch", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "Replicas", kind: Array(&Int32), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "AddingReplicas", kind: Array(&Int32), versions: Versions::new(3, 7), nullable: NEVER, tag: None },
                        Field { name: "RemovingReplicas", kind: Array(&Int32), versions: Versions::new(3, 7), nullable: NEVER, tag: None },
                        Field { name: "IsNew", kind: Bool, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "LeaderRecoveryState", kind: Int8, versions: Versions::new(6, 7), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                Field { name: "LiveLeaders", kind: Array(&Struct(&[
                    Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 7), nullable: NEVER, tag: None },
                    Field { name: "HostName", kind: String, versions: Versions::new(0, 7), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(0, 7), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 7), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 7), flexible: Versions::new(4, 7), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 7), nullable: NEVER, tag: None },
                Field { name: "PartitionErrors", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                    Field { name: "PartitionErrors", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                ])), versions: Versions::new(5, 7), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 5, name: "StopReplica",
        requests: &[
            Layout { versions: Versions::new(0, 4), flexible: Versions::new(2, 4), fields: &[
                Field { name: "ControllerId", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "isKRaftController", kind: Bool, versions: Versions::new(4, 4), nullable: NEVER, tag: None },
                Field { name: "ControllerEpoch", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                Field { name: "DeletePartitions", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "UngroupedPartitions", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndexes", kind: Array(&Int32), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "TopicStates", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(3, 4), nullable: NEVER, tag: None },
                    Field { name: "PartitionStates", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(3, 4), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(3, 4), nullable: NEVER, tag: None },
                        Field { name: "DeletePartition", kind: Bool, versions: Versions::new(3, 4), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(3, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(3, 4), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 4), flexible: Versions::new(2, 4), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "PartitionErrors", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 4), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 6, name: "UpdateMetadata",
        requests: &[
            Layout { versions: Versions::new(0, 8), flexible: Versions::new(6, 8), fields: &[
                Field { name: "ControllerId", kind: Int32, versions: Versions::new(0, 8), nullable: NEVER, tag: None },
                Field { name: "isKRaftController", kind: Bool, versions: Versions::new(8, 8), nullable: NEVER, tag: None },
                Field { name: "Type", kind: Int8, versions: Versions::new(8, 8), nullable: NEVER, tag: Some(0) },
                Field { name: "ControllerEpoch", kind: Int32, versions: Versions::new(0, 8), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                Field { name: "UngroupedPartitionStates", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "ControllerEpoch", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "Leader", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "Isr", kind: Array(&Int32), versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "ZkVersion", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "Replicas", kind: Array(&Int32), versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "OfflineReplicas", kind: Array(&Int32), versions: Versions::new(4, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "TopicStates", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(7, 8), nullable: NEVER, tag: None },
                    Field { name: "PartitionStates", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                        Field { name: "ControllerEpoch", kind: Int32, versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                        Field { name: "Leader", kind: Int32, versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                        Field { name: "Isr", kind: Array(&Int32), versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                        Field { name: "ZkVersion", kind: Int32, versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                        Field { name: "Replicas", kind: Array(&Int32), versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                        Field { name: "OfflineReplicas", kind: Array(&Int32), versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                ])), versions: Versions::new(5, 8), nullable: NEVER, tag: None },
                Field { name: "LiveBrokers", kind: Array(&Struct(&[
                    Field { name: "Id", kind: Int32, versions: Versions::new(0, 8), nullable: NEVER, tag: None },
                    Field { name: "V0Host", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "V0Port", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Endpoints", kind: Array(&Struct(&[
                        Field { name: "Port", kind: Int32, versions: Versions::new(1, 8), nullable: NEVER, tag: None },
                        Field { name: "Host", kind: String, versions: Versions::new(1, 8), nullable: NEVER, tag: None },
                        Field { name: "Listener", kind: String, versions: Versions::new(3, 8), nullable: NEVER, tag: None },
                        Field { name: "SecurityProtocol", kind: Int16, versions: Versions::new(1, 8), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 8), nullable: NEVER, tag: None },
                    Field { name: "Rack", kind: String, versions: Versions::new(2, 8), nullable: Versions::new(2, 8), tag: None },
                ])), versions: Versions::new(0, 8), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 8), flexible: Versions::new(6, 8), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 8), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 7, name: "ControlledShutdown",
        requests: &[
            Layout { versions: Versions::new(0, 3), flexible: Versions::new(3, 3), fields: &[
                Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 3), flexible: Versions::new(3, 3), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "RemainingPartitions", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 8, name: "OffsetCommit",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: NEVER, fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "GenerationIdOrMemberEpoch", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "CommittedOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "CommitTimestamp", kind: Int64, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "CommittedMetadata", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(2, 10), flexible: Versions::new(8, 10), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                Field { name: "GenerationIdOrMemberEpoch", kind: Int32, versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                Field { name: "GroupInstanceId", kind: String, versions: Versions::new(7, 10), nullable: Versions::new(7, 10), tag: None },
                Field { name: "RetentionTimeMs", kind: Int64, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(2, 9), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(10, 10), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                        Field { name: "CommittedOffset", kind: Int64, versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                        Field { name: "CommittedLeaderEpoch", kind: Int32, versions: Versions::new(6, 10), nullable: NEVER, tag: None },
                        Field { name: "CommittedMetadata", kind: String, versions: Versions::new(2, 10), nullable: Versions::new(2, 10), tag: None },
                    ])), versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 10), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: NEVER, fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(2, 10), flexible: Versions::new(8, 10), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(3, 10), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(2, 9), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(10, 10), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(2, 10), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 10), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 9, name: "OffsetFetch",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndexes", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 10), flexible: Versions::new(6, 10), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndexes", kind: Array(&Int32), versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 7), nullable: Versions::new(2, 7), tag: None },
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "GroupId", kind: String, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                    Field { name: "MemberId", kind: String, versions: Versions::new(9, 10), nullable: Versions::new(9, 10), tag: None },
                    Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(9, 10), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(8, 9), nullable: NEVER, tag: None },
                        Field { name: "TopicId", kind: Uuid, versions: Versions::new(10, 10), nullable: NEVER, tag: None },
                        Field { name: "PartitionIndexes", kind: Array(&Int32), versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(8, 10), nullable: Versions::new(8, 10), tag: None },
                ])), versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                Field { name: "RequireStable", kind: Bool, versions: Versions::new(7, 10), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "CommittedOffset", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Metadata", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 10), flexible: Versions::new(6, 10), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(3, 10), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                        Field { name: "CommittedOffset", kind: Int64, versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                        Field { name: "CommittedLeaderEpoch", kind: Int32, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                        Field { name: "Metadata", kind: String, versions: Versions::new(1, 7), nullable: Versions::new(1, 7), tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 7), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "GroupId", kind: String, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(8, 9), nullable: NEVER, tag: None },
                        Field { name: "TopicId", kind: Uuid, versions: Versions::new(10, 10), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                            Field { name: "CommittedOffset", kind: Int64, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                            Field { name: "CommittedLeaderEpoch", kind: Int32, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                            Field { name: "Metadata", kind: String, versions: Versions::new(8, 10), nullable: Versions::new(8, 10), tag: None },
                            Field { name: "ErrorCode", kind: Int16, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(8, 10), nullable: NEVER, tag: None },
                ])), versions: Versions::new(8, 10), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 10, name: "FindCoordinator",
        requests: &[
            Layout { versions: Versions::new(0, 6), flexible: Versions::new(3, 6), fields: &[
                Field { name: "Key", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "KeyType", kind: Int8, versions: Versions::new(1, 6), nullable: NEVER, tag: None },
                Field { name: "CoordinatorKeys", kind: Array(&String), versions: Versions::new(4, 6), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 6), flexible: Versions::new(3, 6), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 6), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                Field { name: "NodeId", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "Host", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "Port", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "Coordinators", kind: Array(&Struct(&[
                    Field { name: "Key", kind: String, versions: Versions::new(4, 6), nullable: NEVER, tag: None },
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(4, 6), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(4, 6), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(4, 6), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(4, 6), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(4, 6), nullable: Versions::new(4, 6), tag: None },
                ])), versions: Versions::new(4, 6), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 11, name: "JoinGroup",
        requests: &[
            Layout { versions: Versions::new(0, 9), flexible: Versions::new(6, 9), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "SessionTimeoutMs", kind: Int32, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "RebalanceTimeoutMs", kind: Int32, versions: Versions::new(1, 9), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "GroupInstanceId", kind: String, versions: Versions::new(5, 9), nullable: Versions::new(5, 9), tag: None },
                Field { name: "ProtocolType", kind: String, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "Protocols", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                    Field { name: "Metadata", kind: Bytes, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "Reason", kind: String, versions: Versions::new(8, 9), nullable: Versions::new(8, 9), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 9), flexible: Versions::new(6, 9), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(2, 9), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "GenerationId", kind: Int32, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "ProtocolType", kind: String, versions: Versions::new(7, 9), nullable: Versions::new(7, 9), tag: None },
                Field { name: "ProtocolName", kind: String, versions: Versions::new(0, 9), nullable: Versions::new(7, 9), tag: None },
                Field { name: "Leader", kind: String, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "SkipAssignment", kind: Bool, versions: Versions::new(9, 9), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                Field { name: "Members", kind: Array(&Struct(&[
                    Field { name: "MemberId", kind: String, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                    Field { name: "GroupInstanceId", kind: String, versions: Versions::new(5, 9), nullable: Versions::new(5, 9), tag: None },
                    Field { name: "Metadata", kind: Bytes, versions: Versions::new(0, 9), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 9), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 12, name: "Heartbeat",
        requests: &[
            Layout { versions: Versions::new(0, 4), flexible: Versions::new(4, 4), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "GenerationId", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "GroupInstanceId", kind: String, versions: Versions::new(3, 4), nullable: Versions::new(3, 4), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 4), flexible: Versions::new(4, 4), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 13, name: "LeaveGroup",
        requests: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(4, 5), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "Members", kind: Array(&Struct(&[
                    Field { name: "MemberId", kind: String, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                    Field { name: "GroupInstanceId", kind: String, versions: Versions::new(3, 5), nullable: Versions::new(3, 5), tag: None },
                    Field { name: "Reason", kind: String, versions: Versions::new(5, 5), nullable: Versions::new(5, 5), tag: None },
                ])), versions: Versions::new(3, 5), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(4, 5), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "Members", kind: Array(&Struct(&[
                    Field { name: "MemberId", kind: String, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                    Field { name: "GroupInstanceId", kind: String, versions: Versions::new(3, 5), nullable: Versions::new(3, 5), tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(3, 5), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 14, name: "SyncGroup",
        requests: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(4, 5), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "GenerationId", kind: Int32, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "GroupInstanceId", kind: String, versions: Versions::new(3, 5), nullable: Versions::new(3, 5), tag: None },
                Field { name: "ProtocolType", kind: String, versions: Versions::new(5, 5), nullable: Versions::new(5, 5), tag: None },
                Field { name: "ProtocolName", kind: String, versions: Versions::new(5, 5), nullable: Versions::new(5, 5), tag: None },
                Field { name: "Assignments", kind: Array(&Struct(&[
                    Field { name: "MemberId", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                    Field { name: "Assignment", kind: Bytes, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 5), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(4, 5), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ProtocolType", kind: String, versions: Versions::new(5, 5), nullable: Versions::new(5, 5), tag: None },
                Field { name: "ProtocolName", kind: String, versions: Versions::new(5, 5), nullable: Versions::new(5, 5), tag: None },
                Field { name: "Assignment", kind: Bytes, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 15, name: "DescribeGroups",
        requests: &[
            Layout { versions: Versions::new(0, 6), flexible: Versions::new(5, 6), fields: &[
                Field { name: "Groups", kind: Array(&String), versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                Field { name: "IncludeAuthorizedOperations", kind: Bool, versions: Versions::new(3, 6), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 6), flexible: Versions::new(5, 6), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 6), nullable: NEVER, tag: None },
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(6, 6), nullable: Versions::new(6, 6), tag: None },
                    Field { name: "GroupId", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                    Field { name: "GroupState", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                    Field { name: "ProtocolType", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                    Field { name: "ProtocolData", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                    Field { name: "Members", kind: Array(&Struct(&[
                        Field { name: "MemberId", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                        Field { name: "GroupInstanceId", kind: String, versions: Versions::new(4, 6), nullable: Versions::new(4, 6), tag: None },
                        Field { name: "ClientId", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                        Field { name: "ClientHost", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                        Field { name: "MemberMetadata", kind: Bytes, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                        Field { name: "MemberAssignment", kind: Bytes, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                    Field { name: "AuthorizedOperations", kind: Int32, versions: Versions::new(3, 6), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 6), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 16, name: "ListGroups",
        requests: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(3, 5), fields: &[
                Field { name: "StatesFilter", kind: Array(&String), versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                Field { name: "TypesFilter", kind: Array(&String), versions: Versions::new(5, 5), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(3, 5), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "GroupId", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                    Field { name: "ProtocolType", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                    Field { name: "GroupState", kind: String, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    Field { name: "GroupType", kind: String, versions: Versions::new(5, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 5), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 17, name: "SaslHandshake",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: NEVER, fields: &[
                Field { name: "Mechanism", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: NEVER, fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Mechanisms", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 18, name: "ApiVersions",
        requests: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(3, 5), fields: &[
                Field { name: "ClientSoftwareName", kind: String, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                Field { name: "ClientSoftwareVersion", kind: String, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                Field { name: "ClusterId", kind: String, versions: Versions::new(5, 5), nullable: Versions::new(5, 5), tag: None },
                Field { name: "NodeId", kind: Int32, versions: Versions::new(5, 5), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(3, 5), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ApiKeys", kind: Array(&Struct(&[
                    Field { name: "ApiKey", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                    Field { name: "MinVersion", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                    Field { name: "MaxVersion", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                Field { name: "SupportedFeatures", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                    Field { name: "MinVersion", kind: Int16, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                    Field { name: "MaxVersion", kind: Int16, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(3, 5), nullable: NEVER, tag: Some(0) },
                Field { name: "FinalizedFeaturesEpoch", kind: Int64, versions: Versions::new(3, 5), nullable: NEVER, tag: Some(1) },
                Field { name: "FinalizedFeatures", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                    Field { name: "MaxVersionLevel", kind: Int16, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                    Field { name: "MinVersionLevel", kind: Int16, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(3, 5), nullable: NEVER, tag: Some(2) },
                Field { name: "ZkMigrationReady", kind: Bool, versions: Versions::new(3, 5), nullable: NEVER, tag: Some(3) },
            ] },
        ],
    },
    Api { key: 19, name: "CreateTopics",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: NEVER, fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "NumPartitions", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ReplicationFactor", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Assignments", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "BrokerIds", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Configs", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "timeoutMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "validateOnly", kind: Bool, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(2, 7), flexible: Versions::new(5, 7), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                    Field { name: "NumPartitions", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                    Field { name: "ReplicationFactor", kind: Int16, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                    Field { name: "Assignments", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "BrokerIds", kind: Array(&Int32), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                    Field { name: "Configs", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: String, versions: Versions::new(2, 7), nullable: Versions::new(2, 7), tag: None },
                    ])), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                Field { name: "timeoutMs", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                Field { name: "validateOnly", kind: Bool, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: NEVER, fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(2, 7), flexible: Versions::new(5, 7), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(7, 7), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(2, 7), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(2, 7), nullable: Versions::new(2, 7), tag: None },
                    Field { name: "TopicConfigErrorCode", kind: Int16, versions: Versions::new(5, 7), nullable: NEVER, tag: Some(0) },
                    Field { name: "NumPartitions", kind: Int32, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                    Field { name: "ReplicationFactor", kind: Int16, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                    Field { name: "Configs", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: String, versions: Versions::new(5, 7), nullable: Versions::new(5, 7), tag: None },
                        Field { name: "ReadOnly", kind: Bool, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                        Field { name: "ConfigSource", kind: Int8, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                        Field { name: "IsSensitive", kind: Bool, versions: Versions::new(5, 7), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(5, 7), nullable: Versions::new(5, 7), tag: None },
                ])), versions: Versions::new(2, 7), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 20, name: "DeleteTopics",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "TopicNames", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 6), flexible: Versions::new(4, 6), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(6, 6), nullable: Versions::new(6, 6), tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(6, 6), nullable: NEVER, tag: None },
                ])), versions: Versions::new(6, 6), nullable: NEVER, tag: None },
                Field { name: "TopicNames", kind: Array(&String), versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(1, 6), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 6), flexible: Versions::new(4, 6), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 6), nullable: NEVER, tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(1, 6), nullable: Versions::new(6, 6), tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(6, 6), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 6), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(5, 6), nullable: Versions::new(5, 6), tag: None },
                ])), versions: Versions::new(1, 6), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 21, name: "DeleteRecords",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "Offset", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "LowWatermark", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 22, name: "InitProducerId",
        requests: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(2, 5), fields: &[
                Field { name: "TransactionalId", kind: String, versions: Versions::new(0, 5), nullable: Versions::new(0, 5), tag: None },
                Field { name: "TransactionTimeoutMs", kind: Int32, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ProducerId", kind: Int64, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(2, 5), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 23, name: "OffsetForLeaderEpoch",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: NEVER, fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(2, 4), flexible: Versions::new(4, 4), fields: &[
                Field { name: "ReplicaId", kind: Int32, versions: Versions::new(3, 4), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                        Field { name: "CurrentLeaderEpoch", kind: Int32, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 4), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: NEVER, fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "EndOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(2, 4), flexible: Versions::new(4, 4), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                        Field { name: "Partition", kind: Int32, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                        Field { name: "EndOffset", kind: Int64, versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 4), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 24, name: "AddPartitionsToTxn",
        requests: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(3, 5), fields: &[
                Field { name: "Transactions", kind: Array(&Struct(&[
                    Field { name: "TransactionalId", kind: String, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    Field { name: "ProducerId", kind: Int64, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    Field { name: "VerifyOnly", kind: Bool, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                Field { name: "V3AndBelowTransactionalId", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "V3AndBelowProducerId", kind: Int64, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "V3AndBelowProducerEpoch", kind: Int16, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "V3AndBelowTopics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(3, 5), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                Field { name: "ResultsByTransaction", kind: Array(&Struct(&[
                    Field { name: "TransactionalId", kind: String, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    Field { name: "TopicResults", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                        Field { name: "ResultsByPartition", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                            Field { name: "PartitionErrorCode", kind: Int16, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                Field { name: "ResultsByTopicV3AndBelow", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "ResultsByPartition", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                        Field { name: "PartitionErrorCode", kind: Int16, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 25, name: "AddOffsetsToTxn",
        requests: &[
            Layout { versions: Versions::new(0, 4), flexible: Versions::new(3, 4), fields: &[
                Field { name: "TransactionalId", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 4), flexible: Versions::new(3, 4), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 26, name: "EndTxn",
        requests: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(3, 5), fields: &[
                Field { name: "TransactionalId", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "Committed", kind: Bool, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 5), flexible: Versions::new(3, 5), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                Field { name: "ProducerId", kind: Int64, versions: Versions::new(5, 5), nullable: NEVER, tag: None },
                Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(5, 5), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 27, name: "WriteTxnMarkers",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Markers", kind: Array(&Struct(&[
                    Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TransactionResult", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "PartitionIndexes", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "CoordinatorEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(1, 2), fields: &[
                Field { name: "Markers", kind: Array(&Struct(&[
                    Field { name: "ProducerId", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "TransactionResult", kind: Bool, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "PartitionIndexes", kind: Array(&Int32), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "CoordinatorEpoch", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "TransactionVersion", kind: Int8, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Markers", kind: Array(&Struct(&[
                    Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(1, 2), fields: &[
                Field { name: "Markers", kind: Array(&Struct(&[
                    Field { name: "ProducerId", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 28, name: "TxnOffsetCommit",
        requests: &[
            Layout { versions: Versions::new(0, 6), flexible: Versions::new(3, 6), fields: &[
                Field { name: "TransactionalId", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                Field { name: "GenerationIdOrMemberEpoch", kind: Int32, versions: Versions::new(3, 6), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(3, 6), nullable: NEVER, tag: None },
                Field { name: "GroupInstanceId", kind: String, versions: Versions::new(3, 6), nullable: Versions::new(3, 6), tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(6, 6), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                        Field { name: "CommittedOffset", kind: Int64, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                        Field { name: "CommittedLeaderEpoch", kind: Int32, versions: Versions::new(2, 6), nullable: NEVER, tag: None },
                        Field { name: "CommittedMetadata", kind: String, versions: Versions::new(0, 6), nullable: Versions::new(0, 6), tag: None },
                    ])), versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 6), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 6), flexible: Versions::new(3, 6), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 5), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(6, 6), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 6), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 6), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 29, name: "DescribeAcls",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ResourceTypeFilter", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ResourceNameFilter", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "PrincipalFilter", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "HostFilter", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "Operation", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "PermissionType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ResourceTypeFilter", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "ResourceNameFilter", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                Field { name: "PatternTypeFilter", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "PrincipalFilter", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                Field { name: "HostFilter", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                Field { name: "Operation", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "PermissionType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "Resources", kind: Array(&Struct(&[
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Acls", kind: Array(&Struct(&[
                        Field { name: "Principal", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Host", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Operation", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "PermissionType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                Field { name: "Resources", kind: Array(&Struct(&[
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "PatternType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "Acls", kind: Array(&Struct(&[
                        Field { name: "Principal", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "Host", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "Operation", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "PermissionType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 30, name: "CreateAcls",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Creations", kind: Array(&Struct(&[
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Principal", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Operation", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PermissionType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "Creations", kind: Array(&Struct(&[
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "ResourcePatternType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "Principal", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "Operation", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "PermissionType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 31, name: "DeleteAcls",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Filters", kind: Array(&Struct(&[
                    Field { name: "ResourceTypeFilter", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ResourceNameFilter", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    Field { name: "PrincipalFilter", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    Field { name: "HostFilter", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    Field { name: "Operation", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PermissionType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "Filters", kind: Array(&Struct(&[
                    Field { name: "ResourceTypeFilter", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "ResourceNameFilter", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                    Field { name: "PatternTypeFilter", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "PrincipalFilter", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                    Field { name: "HostFilter", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                    Field { name: "Operation", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "PermissionType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "FilterResults", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    Field { name: "MatchingAcls", kind: Array(&Struct(&[
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                        Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ResourceName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Principal", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Host", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Operation", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "PermissionType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "FilterResults", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                    Field { name: "MatchingAcls", kind: Array(&Struct(&[
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
                        Field { name: "ResourceType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "ResourceName", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "PatternType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "Principal", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "Host", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "Operation", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "PermissionType", kind: Int8, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 32, name: "DescribeConfigs",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Resources", kind: Array(&Struct(&[
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ConfigurationKeys", kind: Array(&String), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 4), flexible: Versions::new(4, 4), fields: &[
                Field { name: "Resources", kind: Array(&Struct(&[
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                    Field { name: "ConfigurationKeys", kind: Array(&String), versions: Versions::new(1, 4), nullable: Versions::new(1, 4), tag: None },
                ])), versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                Field { name: "IncludeSynonyms", kind: Bool, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                Field { name: "IncludeDocumentation", kind: Bool, versions: Versions::new(3, 4), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Configs", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                        Field { name: "ReadOnly", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "IsDefault", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "IsSensitive", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 4), flexible: Versions::new(4, 4), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 4), nullable: Versions::new(1, 4), tag: None },
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                    Field { name: "Configs", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: String, versions: Versions::new(1, 4), nullable: Versions::new(1, 4), tag: None },
                        Field { name: "ReadOnly", kind: Bool, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                        Field { name: "ConfigSource", kind: Int8, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                        Field { name: "IsSensitive", kind: Bool, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                        Field { name: "Synonyms", kind: Array(&Struct(&[
                            Field { name: "Name", kind: String, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                            Field { name: "Value", kind: String, versions: Versions::new(1, 4), nullable: Versions::new(1, 4), tag: None },
                            Field { name: "Source", kind: Int8, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                        Field { name: "ConfigType", kind: Int8, versions: Versions::new(3, 4), nullable: NEVER, tag: None },
                        Field { name: "Documentation", kind: String, versions: Versions::new(3, 4), nullable: Versions::new(3, 4), tag: None },
                    ])), versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 4), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 33, name: "AlterConfigs",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "Resources", kind: Array(&Struct(&[
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Configs", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: String, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ValidateOnly", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 34, name: "AlterReplicaLogDirs",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Dirs", kind: Array(&Struct(&[
                    Field { name: "Path", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "Dirs", kind: Array(&Struct(&[
                    Field { name: "Path", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 35, name: "DescribeLogDirs",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
            Layout { versions: Versions::new(1, 5), flexible: Versions::new(2, 5), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 5), nullable: Versions::new(1, 5), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "LogDir", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "PartitionSize", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "OffsetLag", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "IsFutureKey", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 5), flexible: Versions::new(2, 5), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(3, 5), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                    Field { name: "LogDir", kind: String, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                            Field { name: "PartitionSize", kind: Int64, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                            Field { name: "OffsetLag", kind: Int64, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                            Field { name: "IsFutureKey", kind: Bool, versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 5), nullable: NEVER, tag: None },
                    Field { name: "TotalBytes", kind: Int64, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    Field { name: "UsableBytes", kind: Int64, versions: Versions::new(4, 5), nullable: NEVER, tag: None },
                    Field { name: "IsCordoned", kind: Bool, versions: Versions::new(5, 5), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 5), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 36, name: "SaslAuthenticate",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "AuthBytes", kind: Bytes, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                Field { name: "AuthBytes", kind: Bytes, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "SessionLifetimeMs", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 37, name: "CreatePartitions",
        requests: &[
            Layout { versions: Versions::new(0, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "Count", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "Assignments", kind: Array(&Struct(&[
                        Field { name: "BrokerIds", kind: Array(&Int32), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 3), nullable: Versions::new(0, 3), tag: None },
                ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "ValidateOnly", kind: Bool, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 3), nullable: Versions::new(0, 3), tag: None },
                ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 38, name: "CreateDelegationToken",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Renewers", kind: Array(&Struct(&[
                    Field { name: "PrincipalType", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PrincipalName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "MaxLifetimeMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "OwnerPrincipalType", kind: String, versions: Versions::new(3, 3), nullable: Versions::new(3, 3), tag: None },
                Field { name: "OwnerPrincipalName", kind: String, versions: Versions::new(3, 3), nullable: Versions::new(3, 3), tag: None },
                Field { name: "Renewers", kind: Array(&Struct(&[
                    Field { name: "PrincipalType", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "PrincipalName", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "MaxLifetimeMs", kind: Int64, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "PrincipalType", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "PrincipalName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "IssueTimestampMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ExpiryTimestampMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "MaxTimestampMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "TokenId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Hmac", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "PrincipalType", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "PrincipalName", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "TokenRequesterPrincipalType", kind: String, versions: Versions::new(3, 3), nullable: NEVER, tag: None },
                Field { name: "TokenRequesterPrincipalName", kind: String, versions: Versions::new(3, 3), nullable: NEVER, tag: None },
                Field { name: "IssueTimestampMs", kind: Int64, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "ExpiryTimestampMs", kind: Int64, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "MaxTimestampMs", kind: Int64, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "TokenId", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "Hmac", kind: Bytes, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 39, name: "RenewDelegationToken",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Hmac", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "RenewPeriodMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "Hmac", kind: Bytes, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "RenewPeriodMs", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ExpiryTimestampMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ExpiryTimestampMs", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 40, name: "ExpireDelegationToken",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Hmac", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ExpiryTimePeriodMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "Hmac", kind: Bytes, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ExpiryTimePeriodMs", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ExpiryTimestampMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ExpiryTimestampMs", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 41, name: "DescribeDelegationToken",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "Owners", kind: Array(&Struct(&[
                    Field { name: "PrincipalType", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PrincipalName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "Owners", kind: Array(&Struct(&[
                    Field { name: "PrincipalType", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "PrincipalName", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 3), nullable: Versions::new(1, 3), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Tokens", kind: Array(&Struct(&[
                    Field { name: "PrincipalType", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PrincipalName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "IssueTimestamp", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ExpiryTimestamp", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "MaxTimestamp", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TokenId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Hmac", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Renewers", kind: Array(&Struct(&[
                        Field { name: "PrincipalType", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "PrincipalName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(1, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "Tokens", kind: Array(&Struct(&[
                    Field { name: "PrincipalType", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "PrincipalName", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "TokenRequesterPrincipalType", kind: String, versions: Versions::new(3, 3), nullable: NEVER, tag: None },
                    Field { name: "TokenRequesterPrincipalName", kind: String, versions: Versions::new(3, 3), nullable: NEVER, tag: None },
                    Field { name: "IssueTimestamp", kind: Int64, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "ExpiryTimestamp", kind: Int64, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "MaxTimestamp", kind: Int64, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "TokenId", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "Hmac", kind: Bytes, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    Field { name: "Renewers", kind: Array(&Struct(&[
                        Field { name: "PrincipalType", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                        Field { name: "PrincipalName", kind: String, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 3), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 42, name: "DeleteGroups",
        requests: &[
            Layout { versions: Versions::new(0, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "GroupsNames", kind: Array(&String), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "GroupId", kind: String, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 3), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(3, 3), nullable: Versions::new(3, 3), tag: None },
                ])), versions: Versions::new(0, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 43, name: "ElectLeaders",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "ElectionType", kind: Int8, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "TopicPartitions", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(2, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ReplicaElectionResults", kind: Array(&Struct(&[
                    Field { name: "Topic", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "PartitionResult", kind: Array(&Struct(&[
                        Field { name: "PartitionId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 44, name: "IncrementalAlterConfigs",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "Resources", kind: Array(&Struct(&[
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Configs", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ConfigOperation", kind: Int8, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ValidateOnly", kind: Bool, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 45, name: "AlterPartitionReassignments",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "AllowReplicationFactorChange", kind: Bool, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Replicas", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "AllowReplicationFactorChange", kind: Bool, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 46, name: "ListPartitionReassignments",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndexes", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Replicas", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "AddingReplicas", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "RemovingReplicas", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 47, name: "OffsetDelete",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: NEVER, fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 48, name: "DescribeClientQuotas",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "Components", kind: Array(&Struct(&[
                    Field { name: "EntityType", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "MatchType", kind: Int8, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Match", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Strict", kind: Bool, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "Entries", kind: Array(&Struct(&[
                    Field { name: "Entity", kind: Array(&Struct(&[
                        Field { name: "EntityType", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "EntityName", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Values", kind: Array(&Struct(&[
                        Field { name: "Key", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: Float64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
            ] },
        ],
    },
    Api { key: 49, name: "AlterClientQuotas",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "Entries", kind: Array(&Struct(&[
                    Field { name: "Entity", kind: Array(&Struct(&[
                        Field { name: "EntityType", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "EntityName", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Ops", kind: Array(&Struct(&[
                        Field { name: "Key", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Value", kind: Float64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Remove", kind: Bool, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ValidateOnly", kind: Bool, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Entries", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    Field { name: "Entity", kind: Array(&Struct(&[
                        Field { name: "EntityType", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "EntityName", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 50, name: "DescribeUserScramCredentials",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "Users", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "User", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    Field { name: "CredentialInfos", kind: Array(&Struct(&[
                        Field { name: "Mechanism", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Iterations", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 51, name: "AlterUserScramCredentials",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "Deletions", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Mechanism", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Upsertions", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Mechanism", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Iterations", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Salt", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "SaltedPassword", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "User", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 52, name: "Vote",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                Field { name: "VoterId", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ReplicaEpoch", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ReplicaId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ReplicaDirectoryId", kind: Uuid, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "VoterDirectoryId", kind: Uuid, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "LastOffsetEpoch", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "LastOffset", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "PreVote", kind: Bool, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "VoteGranted", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "NodeEndpoints", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: Some(0) },
            ] },
        ],
    },
    Api { key: 53, name: "BeginQuorumEpoch",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "VoterId", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "VoterDirectoryId", kind: Uuid, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "LeaderEndpoints", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "NodeEndpoints", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 1), nullable: NEVER, tag: Some(0) },
            ] },
        ],
    },
    Api { key: 54, name: "EndQuorumEpoch",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "PreferredSuccessors", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "PreferredCandidates", kind: Array(&Struct(&[
                            Field { name: "CandidateId", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                            Field { name: "CandidateDirectoryId", kind: Uuid, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "LeaderEndpoints", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "NodeEndpoints", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 1), nullable: NEVER, tag: Some(0) },
            ] },
        ],
    },
    Api { key: 55, name: "DescribeQuorum",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(2, 2), nullable: Versions::new(2, 2), tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(2, 2), nullable: Versions::new(2, 2), tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "HighWatermark", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "CurrentVoters", kind: Array(&Struct(&[
                            Field { name: "ReplicaId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                            Field { name: "ReplicaDirectoryId", kind: Uuid, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                            Field { name: "LogEndOffset", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                            Field { name: "LastFetchTimestamp", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "LastCaughtUpTimestamp", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                        Field { name: "Observers", kind: Array(&Struct(&[
                            Field { name: "ReplicaId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                            Field { name: "ReplicaDirectoryId", kind: Uuid, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                            Field { name: "LogEndOffset", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                            Field { name: "LastFetchTimestamp", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "LastCaughtUpTimestamp", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "Nodes", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                    Field { name: "Listeners", kind: Array(&Struct(&[
                        Field { name: "Name", kind: String, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                        Field { name: "Host", kind: String, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                        Field { name: "Port", kind: Uint16, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 56, name: "AlterPartition",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "NewIsr", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderRecoveryState", kind: Int8, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "PartitionEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(2, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "BrokerId", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "NewIsr", kind: Array(&Int32), versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                        Field { name: "NewIsrWithEpochs", kind: Array(&Struct(&[
                            Field { name: "BrokerId", kind: Int32, versions: Versions::new(3, 3), nullable: NEVER, tag: None },
                            Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(3, 3), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(3, 3), nullable: NEVER, tag: None },
                        Field { name: "LeaderRecoveryState", kind: Int8, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "PartitionEpoch", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 3), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Isr", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderRecoveryState", kind: Int8, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "PartitionEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
            Layout { versions: Versions::new(2, 3), flexible: Versions::new(2, 3), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "Isr", kind: Array(&Int32), versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "LeaderRecoveryState", kind: Int8, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                        Field { name: "PartitionEpoch", kind: Int32, versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(2, 3), nullable: NEVER, tag: None },
                ])), versions: Versions::new(2, 3), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 57, name: "UpdateFeatures",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "timeoutMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "FeatureUpdates", kind: Array(&Struct(&[
                    Field { name: "Feature", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "MaxVersionLevel", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "AllowDowngrade", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "UpgradeType", kind: Int8, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ValidateOnly", kind: Bool, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "Feature", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 58, name: "Envelope",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "RequestData", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "RequestPrincipal", kind: Bytes, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "ClientHostAddress", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ResponseData", kind: Bytes, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 59, name: "FetchSnapshot",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: Some(0) },
                Field { name: "ReplicaId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "MaxBytes", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "CurrentLeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "SnapshotId", kind: Struct(&[
                            Field { name: "EndOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Epoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Position", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ReplicaDirectoryId", kind: Uuid, versions: Versions::new(1, 1), nullable: NEVER, tag: Some(0) },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Index", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "SnapshotId", kind: Struct(&[
                            Field { name: "EndOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Epoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "CurrentLeader", kind: Struct(&[
                            Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 1), nullable: NEVER, tag: Some(0) },
                        Field { name: "Size", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Position", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "UnalignedRecords", kind: Records, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "NodeEndpoints", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 1), nullable: NEVER, tag: Some(0) },
            ] },
        ],
    },
    Api { key: 60, name: "DescribeCluster",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "IncludeClusterAuthorizedOperations", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "EndpointType", kind: Int8, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "IncludeFencedBrokers", kind: Bool, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                Field { name: "EndpointType", kind: Int8, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ControllerId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "Brokers", kind: Array(&Struct(&[
                    Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "Rack", kind: String, versions: Versions::new(0, 2), nullable: Versions::new(0, 2), tag: None },
                    Field { name: "IsFenced", kind: Bool, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ClusterAuthorizedOperations", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 61, name: "DescribeProducers",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndexes", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                        Field { name: "ActiveProducers", kind: Array(&Struct(&[
                            Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "ProducerEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "LastSequence", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "LastTimestamp", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "CoordinatorEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "CurrentTxnStartOffset", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 62, name: "BrokerRegistration",
        requests: &[
            Layout { versions: Versions::new(0, 4), flexible: Versions::new(0, 4), fields: &[
                Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "IncarnationId", kind: Uuid, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "Listeners", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "SecurityProtocol", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "Features", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "MinSupportedVersion", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                    Field { name: "MaxSupportedVersion", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "Rack", kind: String, versions: Versions::new(0, 4), nullable: Versions::new(0, 4), tag: None },
                Field { name: "IsMigratingZkBroker", kind: Bool, versions: Versions::new(1, 4), nullable: NEVER, tag: None },
                Field { name: "LogDirs", kind: Array(&Uuid), versions: Versions::new(2, 4), nullable: NEVER, tag: None },
                Field { name: "PreviousBrokerEpoch", kind: Int64, versions: Versions::new(3, 4), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 4), flexible: Versions::new(0, 4), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(0, 4), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 63, name: "BrokerHeartbeat",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "CurrentMetadataOffset", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "WantFence", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "WantShutDown", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "OfflineLogDirs", kind: Array(&Uuid), versions: Versions::new(1, 2), nullable: NEVER, tag: Some(0) },
                Field { name: "CordonedLogDirs", kind: Array(&Uuid), versions: Versions::new(2, 2), nullable: Versions::new(2, 2), tag: Some(1) },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "IsCaughtUp", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "IsFenced", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ShouldShutDown", kind: Bool, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 64, name: "UnregisterBroker",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
    },
    Api { key: 65, name: "DescribeTransactions",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "TransactionalIds", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "TransactionStates", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TransactionalId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TransactionState", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TransactionTimeoutMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TransactionStartTimeMs", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ProducerEpoch", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "Topic", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 66, name: "ListTransactions",
        requests: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "StateFilters", kind: Array(&String), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ProducerIdFilters", kind: Array(&Int64), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "DurationFilter", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "TransactionalIdPattern", kind: String, versions: Versions::new(2, 2), nullable: Versions::new(2, 2), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 2), flexible: Versions::new(0, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "UnknownStateFilters", kind: Array(&String), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                Field { name: "TransactionStates", kind: Array(&Struct(&[
                    Field { name: "TransactionalId", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "ProducerId", kind: Int64, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                    Field { name: "TransactionState", kind: String, versions: Versions::new(0, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 67, name: "AllocateProducerIds",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ProducerIdStart", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ProducerIdLen", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 68, name: "ConsumerGroupHeartbeat",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "InstanceId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "RackId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "RebalanceTimeoutMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "SubscribedTopicNames", kind: Array(&String), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "SubscribedTopicRegex", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                Field { name: "ServerAssignor", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "TopicPartitions", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "HeartbeatIntervalMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Assignment", kind: Struct(&[
                    Field { name: "TopicPartitions", kind: Array(&Struct(&[
                        Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ]), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
            ] },
        ],
    },
    Api { key: 69, name: "ConsumerGroupDescribe",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "GroupIds", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "IncludeAuthorizedOperations", kind: Bool, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "GroupState", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "GroupEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "AssignmentEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "AssignorName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Members", kind: Array(&Struct(&[
                        Field { name: "MemberId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "InstanceId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                        Field { name: "RackId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                        Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ClientId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ClientHost", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "SubscribedTopicNames", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "SubscribedTopicRegex", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                        Field { name: "Assignment", kind: Struct(&[
                            Field { name: "TopicPartitions", kind: Array(&Struct(&[
                                Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "TargetAssignment", kind: Struct(&[
                            Field { name: "TopicPartitions", kind: Array(&Struct(&[
                                Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "MemberType", kind: Int8, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "AuthorizedOperations", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 70, name: "ControllerRegistration",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ControllerId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "IncarnationId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ZkMigrationReady", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Listeners", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "SecurityProtocol", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Features", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "MinSupportedVersion", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "MaxSupportedVersion", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
    },
    Api { key: 71, name: "GetTelemetrySubscriptions",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ClientInstanceId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ClientInstanceId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "SubscriptionId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "AcceptedCompressionTypes", kind: Array(&Int8), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "PushIntervalMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "TelemetryMaxBytes", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "DeltaTemporality", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "RequestedMetrics", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 72, name: "PushTelemetry",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ClientInstanceId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "SubscriptionId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Terminating", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "CompressionType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Metrics", kind: Bytes, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 73, name: "AssignReplicasToDirs",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "BrokerId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "BrokerEpoch", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Directories", kind: Array(&Struct(&[
                    Field { name: "Id", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Directories", kind: Array(&Struct(&[
                    Field { name: "Id", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 74, name: "ListConfigResources",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ResourceTypes", kind: Array(&Int8), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ConfigResources", kind: Array(&Struct(&[
                    Field { name: "ResourceName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ResourceType", kind: Int8, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 75, name: "DescribeTopicPartitions",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ResponsePartitionLimit", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Cursor", kind: Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ]), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "IsInternal", kind: Bool, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ReplicaNodes", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "IsrNodes", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "EligibleLeaderReplicas", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                        Field { name: "LastKnownElr", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                        Field { name: "OfflineReplicas", kind: Array(&Int32), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TopicAuthorizedOperations", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "NextCursor", kind: Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ]), versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
    },
    Api { key: 76, name: "ShareGroupHeartbeat",
        requests: &[
            Layout { versions: Versions::new(1, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "RackId", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                Field { name: "SubscribedTopicNames", kind: Array(&String), versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(1, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "HeartbeatIntervalMs", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "Assignment", kind: Struct(&[
                    Field { name: "TopicPartitions", kind: Array(&Struct(&[
                        Field { name: "TopicId", kind: Uuid, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ]), versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
            ] },
        ],
    },
    Api { key: 77, name: "ShareGroupDescribe",
        requests: &[
            Layout { versions: Versions::new(1, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "GroupIds", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "IncludeAuthorizedOperations", kind: Bool, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(1, 1), flexible: Versions::new(1, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                    Field { name: "GroupId", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "GroupState", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "GroupEpoch", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "AssignmentEpoch", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "AssignorName", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "Members", kind: Array(&Struct(&[
                        Field { name: "MemberId", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "RackId", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                        Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "ClientId", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "ClientHost", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "SubscribedTopicNames", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "Assignment", kind: Struct(&[
                            Field { name: "TopicPartitions", kind: Array(&Struct(&[
                                Field { name: "TopicId", kind: Uuid, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "TopicName", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "AuthorizedOperations", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 78, name: "ShareFetch",
        requests: &[
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(1, 2), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                Field { name: "ShareSessionEpoch", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "MaxWaitMs", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "MinBytes", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "MaxBytes", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "MaxRecords", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "BatchSize", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ShareAcquireMode", kind: Int8, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                Field { name: "IsRenewAck", kind: Bool, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "AcknowledgementBatches", kind: Array(&Struct(&[
                            Field { name: "FirstOffset", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "LastOffset", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "AcknowledgeTypes", kind: Array(&Int8), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ForgottenTopicsData", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(1, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                Field { name: "AcquisitionLockTimeoutMs", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                        Field { name: "AcknowledgeErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "AcknowledgeErrorMessage", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                        Field { name: "CurrentLeader", kind: Struct(&[
                            Field { name: "LeaderId", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "Records", kind: Records, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "AcquiredRecords", kind: Array(&Struct(&[
                            Field { name: "FirstOffset", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "LastOffset", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "DeliveryCount", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "NodeEndpoints", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Rack", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 79, name: "ShareAcknowledge",
        requests: &[
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(1, 2), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                Field { name: "ShareSessionEpoch", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "IsRenewAck", kind: Bool, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "AcknowledgementBatches", kind: Array(&Struct(&[
                            Field { name: "FirstOffset", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "LastOffset", kind: Int64, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "AcknowledgeTypes", kind: Array(&Int8), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(1, 2), flexible: Versions::new(1, 2), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                Field { name: "AcquisitionLockTimeoutMs", kind: Int32, versions: Versions::new(2, 2), nullable: NEVER, tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                        Field { name: "CurrentLeader", kind: Struct(&[
                            Field { name: "LeaderId", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                            Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                Field { name: "NodeEndpoints", kind: Array(&Struct(&[
                    Field { name: "NodeId", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(1, 2), nullable: NEVER, tag: None },
                    Field { name: "Rack", kind: String, versions: Versions::new(1, 2), nullable: Versions::new(1, 2), tag: None },
                ])), versions: Versions::new(1, 2), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 80, name: "AddRaftVoter",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "TimeoutMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "VoterId", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "VoterDirectoryId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Listeners", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "AckWhenCommitted", kind: Bool, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
            ] },
        ],
    },
    Api { key: 81, name: "RemoveRaftVoter",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "VoterId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "VoterDirectoryId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
    },
    Api { key: 82, name: "UpdateRaftVoter",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ClusterId", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "CurrentLeaderEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "VoterId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "VoterDirectoryId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Listeners", kind: Array(&Struct(&[
                    Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "KRaftVersionFeature", kind: Struct(&[
                    Field { name: "MinSupportedVersion", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "MaxSupportedVersion", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ]), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "CurrentLeader", kind: Struct(&[
                    Field { name: "LeaderId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Host", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ]), versions: Versions::new(0, 0), nullable: NEVER, tag: Some(0) },
            ] },
        ],
    },
    Api { key: 83, name: "InitializeShareGroupState",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "StateEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "StartOffset", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 84, name: "ReadShareGroupState",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                        Field { name: "StateEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "StartOffset", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "StateBatches", kind: Array(&Struct(&[
                            Field { name: "FirstOffset", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "LastOffset", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "DeliveryState", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "DeliveryCount", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 85, name: "WriteShareGroupState",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "StateEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "StartOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "DeliveryCompleteCount", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "StateBatches", kind: Array(&Struct(&[
                            Field { name: "FirstOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "LastOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "DeliveryState", kind: Int8, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "DeliveryCount", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 86, name: "DeleteShareGroupState",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 87, name: "ReadShareGroupStateSummary",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "Results", kind: Array(&Struct(&[
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                        Field { name: "StateEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "StartOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "DeliveryCompleteCount", kind: Int32, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 88, name: "StreamsGroupHeartbeat",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "EndpointInformationEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "InstanceId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "RackId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "RebalanceTimeoutMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Topology", kind: Struct(&[
                    Field { name: "Epoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Subtopologies", kind: Array(&Struct(&[
                        Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "SourceTopics", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "SourceTopicRegex", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "StateChangelogTopics", kind: Array(&Struct(&[
                            Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Partitions", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "ReplicationFactor", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "TopicConfigs", kind: Array(&Struct(&[
                                Field { name: "Key", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Value", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "RepartitionSinkTopics", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "RepartitionSourceTopics", kind: Array(&Struct(&[
                            Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Partitions", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "ReplicationFactor", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "TopicConfigs", kind: Array(&Struct(&[
                                Field { name: "Key", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Value", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "CopartitionGroups", kind: Array(&Struct(&[
                            Field { name: "SourceTopics", kind: Array(&Int16), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "SourceTopicRegex", kind: Array(&Int16), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "RepartitionSourceTopics", kind: Array(&Int16), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ]), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "ActiveTasks", kind: Array(&Struct(&[
                    Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "StandbyTasks", kind: Array(&Struct(&[
                    Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "WarmupTasks", kind: Array(&Struct(&[
                    Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "ProcessId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "UserEndpoint", kind: Struct(&[
                    Field { name: "Host", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Port", kind: Uint16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ]), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "ClientTags", kind: Array(&Struct(&[
                    Field { name: "Key", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Value", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "TaskOffsets", kind: Array(&Struct(&[
                    Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Offset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "TaskEndOffsets", kind: Array(&Struct(&[
                    Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Offset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "ShutdownApplication", kind: Bool, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "HeartbeatIntervalMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "AcceptableRecoveryLagLegacy", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "TaskOffsetIntervalMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "AcceptableRecoveryLag", kind: Int64, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "Status", kind: Array(&Struct(&[
                    Field { name: "StatusCode", kind: Int8, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "StatusDetail", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "ActiveTasks", kind: Array(&Struct(&[
                    Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "StandbyTasks", kind: Array(&Struct(&[
                    Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "WarmupTasks", kind: Array(&Struct(&[
                    Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                Field { name: "TopologyDescriptionRequired", kind: Bool, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                Field { name: "EndpointInformationEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "PartitionsByUserEndpoint", kind: Array(&Struct(&[
                    Field { name: "UserEndpoint", kind: Struct(&[
                        Field { name: "Host", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Port", kind: Uint16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ]), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ActivePartitions", kind: Array(&Struct(&[
                        Field { name: "Topic", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "StandbyPartitions", kind: Array(&Struct(&[
                        Field { name: "Topic", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
            ] },
        ],
    },
    Api { key: 89, name: "StreamsGroupDescribe",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "GroupIds", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "IncludeAuthorizedOperations", kind: Bool, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "IncludeTopologyDescription", kind: Bool, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "GroupState", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "GroupEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "AssignmentEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Topology", kind: Struct(&[
                        Field { name: "Epoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Subtopologies", kind: Array(&Struct(&[
                            Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "SourceTopics", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "RepartitionSinkTopics", kind: Array(&String), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "StateChangelogTopics", kind: Array(&Struct(&[
                                Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "ReplicationFactor", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "TopicConfigs", kind: Array(&Struct(&[
                                    Field { name: "Key", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                    Field { name: "Value", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "RepartitionSourceTopics", kind: Array(&Struct(&[
                                Field { name: "Name", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "ReplicationFactor", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "TopicConfigs", kind: Array(&Struct(&[
                                    Field { name: "Key", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                    Field { name: "Value", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    ]), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                    Field { name: "Members", kind: Array(&Struct(&[
                        Field { name: "MemberId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "MemberEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "InstanceId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                        Field { name: "RackId", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                        Field { name: "ClientId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ClientHost", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "TopologyEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "ProcessId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "UserEndpoint", kind: Struct(&[
                            Field { name: "Host", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Port", kind: Uint16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                        Field { name: "ClientTags", kind: Array(&Struct(&[
                            Field { name: "Key", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Value", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "TaskOffsets", kind: Array(&Struct(&[
                            Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Offset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "TaskEndOffsets", kind: Array(&Struct(&[
                            Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Partition", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Offset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Assignment", kind: Struct(&[
                            Field { name: "ActiveTasks", kind: Array(&Struct(&[
                                Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "StandbyTasks", kind: Array(&Struct(&[
                                Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "WarmupTasks", kind: Array(&Struct(&[
                                Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "TargetAssignment", kind: Struct(&[
                            Field { name: "ActiveTasks", kind: Array(&Struct(&[
                                Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "StandbyTasks", kind: Array(&Struct(&[
                                Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "WarmupTasks", kind: Array(&Struct(&[
                                Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                                Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "IsClassic", kind: Bool, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "AuthorizedOperations", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "TopologyDescription", kind: Struct(&[
                        Field { name: "Subtopologies", kind: Array(&Struct(&[
                            Field { name: "SubtopologyId", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                            Field { name: "Nodes", kind: Array(&Struct(&[
                                Field { name: "Name", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "NodeType", kind: Int8, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "SourceTopics", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "SinkTopic", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                                Field { name: "Stores", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "Successors", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                            ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        Field { name: "GlobalStores", kind: Array(&Struct(&[
                            Field { name: "Source", kind: Struct(&[
                                Field { name: "Name", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "NodeType", kind: Int8, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "SourceTopics", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "SinkTopic", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                                Field { name: "Stores", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "Successors", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                            ]), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                            Field { name: "Processor", kind: Struct(&[
                                Field { name: "Name", kind: String, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "NodeType", kind: Int8, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "SourceTopics", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "SinkTopic", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                                Field { name: "Stores", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                                Field { name: "Successors", kind: Array(&String), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                            ]), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    ]), versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                    Field { name: "TopologyDescriptionStatus", kind: Int8, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                    Field { name: "AssignorName", kind: String, versions: Versions::new(1, 1), nullable: Versions::new(1, 1), tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 90, name: "DescribeShareGroupOffsets",
        requests: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Int32), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 1), flexible: Versions::new(0, 1), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                Field { name: "Groups", kind: Array(&Struct(&[
                    Field { name: "GroupId", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "Topics", kind: Array(&Struct(&[
                        Field { name: "TopicName", kind: String, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                        Field { name: "Partitions", kind: Array(&Struct(&[
                            Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "StartOffset", kind: Int64, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "LeaderEpoch", kind: Int32, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "Lag", kind: Int64, versions: Versions::new(1, 1), nullable: NEVER, tag: None },
                            Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                            Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                        ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 1), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 1), nullable: Versions::new(0, 1), tag: None },
                ])), versions: Versions::new(0, 1), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 91, name: "AlterShareGroupOffsets",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "StartOffset", kind: Int64, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "Partitions", kind: Array(&Struct(&[
                        Field { name: "PartitionIndex", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 92, name: "DeleteShareGroupOffsets",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "Topics", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                Field { name: "Responses", kind: Array(&Struct(&[
                    Field { name: "TopicName", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "TopicId", kind: Uuid, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
    },
    Api { key: 93, name: "StreamsGroupTopologyDescriptionUpdate",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "GroupId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "MemberId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "TopologyEpoch", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "TopologyDescription", kind: Struct(&[
                    Field { name: "Subtopologies", kind: Array(&Struct(&[
                        Field { name: "SubtopologyId", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Nodes", kind: Array(&Struct(&[
                            Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "NodeType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "SourceTopics", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "SinkTopic", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                            Field { name: "Stores", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "Successors", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    Field { name: "GlobalStores", kind: Array(&Struct(&[
                        Field { name: "Source", kind: Struct(&[
                            Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "NodeType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "SourceTopics", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "SinkTopic", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                            Field { name: "Stores", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "Successors", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        Field { name: "Processor", kind: Struct(&[
                            Field { name: "Name", kind: String, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "NodeType", kind: Int8, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "SourceTopics", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "SinkTopic", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
                            Field { name: "Stores", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                            Field { name: "Successors", kind: Array(&String), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                        ]), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                    ])), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                ]), versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
    },
    Api { key: 94, name: "UnregisterController",
        requests: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ControllerId", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
            ] },
        ],
        responses: &[
            Layout { versions: Versions::new(0, 0), flexible: Versions::new(0, 0), fields: &[
                Field { name: "ThrottleTimeMs", kind: Int32, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorCode", kind: Int16, versions: Versions::new(0, 0), nullable: NEVER, tag: None },
                Field { name: "ErrorMessage", kind: String, versions: Versions::new(0, 0), nullable: Versions::new(0, 0), tag: None },
            ] },
        ],
    },
];
