//! What librdkafka's C interface hands over, as `rdkafka.h` lays it out; it has not changed since 1.0.

use std::ffi::{c_char, c_int, c_void};

/// `rd_kafka_t`.
#[repr(C)]
pub(super) struct Handle {
    _private: [u8; 0],
}

/// `rd_kafka_conf_t`.
#[repr(C)]
pub(super) struct Conf {
    _private: [u8; 0],
}

/// `rd_kafka_topic_t`.
#[repr(C)]
pub(super) struct Topic {
    _private: [u8; 0],
}

/// `rd_kafka_headers_t`.
#[repr(C)]
pub(super) struct Headers {
    _private: [u8; 0],
}

/// `rd_kafka_message_t`.
#[repr(C)]
pub(super) struct Message {
    pub(super) err: c_int,
    pub(super) topic: *mut Topic,
    pub(super) partition: i32,
    pub(super) payload: *const c_void,
    pub(super) len: usize,
    pub(super) key: *const c_void,
    pub(super) key_len: usize,
    pub(super) offset: i64,
    _private: *mut c_void,
}

/// `rd_kafka_topic_partition_t`.
#[repr(C)]
pub(super) struct TopicPartition {
    pub(super) topic: *const c_char,
    pub(super) partition: i32,
    pub(super) offset: i64,
    _metadata: *mut c_void,
    _metadata_size: usize,
    _opaque: *mut c_void,
    pub(super) err: c_int,
    _private: *mut c_void,
}

/// `rd_kafka_topic_partition_list_t`.
#[repr(C)]
pub(super) struct TopicPartitions {
    pub(super) count: c_int,
    _size: c_int,
    pub(super) elements: *const TopicPartition,
}

/// `RD_KAFKA_RESP_ERR_NO_ERROR`, and `RD_KAFKA_CONF_OK`.
pub(super) const OK: c_int = 0;
/// `RD_KAFKA_CONF_UNKNOWN`: the property is somebody else's.
pub(super) const NOT_OURS: c_int = -2;
/// `RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED`: what share consumers answer when a hook is added.
pub(super) const NOT_IMPLEMENTED: c_int = -170;
/// `RD_KAFKA_PRODUCER`.
pub(super) const PRODUCER: c_int = 0;
/// `RD_KAFKA_MSG_STATUS_PERSISTED`: a broker has the record.
pub(super) const PERSISTED: c_int = 2;
/// `RD_KAFKA_TIMESTAMP_NOT_AVAILABLE`.
pub(super) const NO_TIMESTAMP: c_int = 0;

pub(super) type OnConfSet =
    extern "C" fn(*mut Conf, *const c_char, *const c_char, *mut c_char, usize, *mut c_void) -> c_int;
pub(super) type OnConfDestroy = extern "C" fn(*mut c_void) -> c_int;
pub(super) type OnNew = extern "C" fn(*mut Handle, *const Conf, *mut c_void, *mut c_char, usize) -> c_int;
pub(super) type OnDestroy = extern "C" fn(*mut Handle, *mut c_void) -> c_int;
pub(super) type OnMessage = extern "C" fn(*mut Handle, *mut Message, *mut c_void) -> c_int;
pub(super) type OnCommit = extern "C" fn(*mut Handle, *const TopicPartitions, c_int, *mut c_void) -> c_int;
pub(super) type OnStatistics = extern "C" fn(*mut Handle, *mut c_char, usize, *mut c_void) -> c_int;
