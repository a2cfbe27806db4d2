//! Headers that records get.

use std::borrow::Cow;

use super::list::HeaderList;
use super::unique_id::UniqueIds;
use crate::client::About;
use crate::settings::{Settings, Stamp as Wanted, StampFrom};

/// Of a batch of one record, beside its key, value and headers: what librdkafka counts for a record, and the batch's head.
const RECORD_OVERHEAD: usize = 36 + 61;
/// Of a header, beside its name and value: their lengths.
const HEADER_OVERHEAD: usize = 5 + 5;

/// One of them.
#[derive(Debug)]
pub(super) struct Stamp {
    key: Box<[u8]>,
    value: Value,
}

#[derive(Debug)]
enum Value {
    Known(Box<[u8]>),
    /// Another one for each record.
    UniqueId,
}

impl Stamp {
    /// `None` where what it says is not known, or librdkafka's functions cannot look for its key.
    pub(super) fn of(wanted: &Wanted, settings: &Settings, about: &About) -> Option<Self> {
        let (namespace, pod) = about.pod.split_once('/').unwrap_or_default();
        let text = wanted.value.as_deref().unwrap_or_default();
        let known = match wanted.from {
            StampFrom::ClientId => about.client_id.as_deref(),
            StampFrom::ClusterId => Some(&*settings.cluster_id),
            StampFrom::Pod => Some(pod),
            StampFrom::Namespace => Some(namespace),
            StampFrom::Workload => settings.workload.as_ref().map(|workload| &*workload.name),
            StampFrom::UniqueId => None,
            StampFrom::Value => Some(text),
            StampFrom::Attribute => settings.attributes.get(text).map(String::as_str),
        };
        let value = match (wanted.from, known.filter(|text| !text.is_empty())) {
            (StampFrom::UniqueId, _) => Value::UniqueId,
            (_, text) => Value::Known(text?.as_bytes().into()),
        };
        (!wanted.key.contains('\0')).then(|| Self { key: wanted.key.as_bytes().into(), value })
    }

    fn text(&self, ids: &mut UniqueIds, now_ms: u64) -> Option<Cow<'_, [u8]>> {
        match &self.value {
            Value::Known(text) => Some(Cow::Borrowed(text)),
            Value::UniqueId => ids.next(now_ms).map(|id| Cow::Owned(id.into_bytes())),
        }
    }
}

/// Give a record those of whose keys it has none, unless it would have more bytes than this; whether all found room.
pub(super) fn stamp(
    stamps: &[Stamp],
    list: &mut impl HeaderList,
    (record_bytes, most_bytes): (usize, usize),
    (ids, now_ms): (&mut UniqueIds, u64),
) -> bool {
    let header_bytes =
        |name: &[u8], value: &[u8]| HEADER_OVERHEAD.saturating_add(name.len()).saturating_add(value.len());
    let present = list.all().map(|header| header_bytes(header.name, header.value.unwrap_or_default()));
    let mut bytes = present.fold(RECORD_OVERHEAD.saturating_add(record_bytes), usize::saturating_add);
    let mut have_room = true;
    for stamp in stamps {
        if list.all().any(|header| *header.name == *stamp.key) {
            continue;
        }
        let Some(text) = stamp.text(ids, now_ms) else { continue };
        let with_it = bytes.saturating_add(header_bytes(&stamp.key, &text));
        if with_it > most_bytes {
            have_room = false;
        } else if list.add(&stamp.key, &text) {
            bytes = with_it;
        }
    }
    have_room
}
