//! Reads what a writer makes of a window.

use kwitness_recording::{Source, TopicNames, Window, Writer};
use serde_json::Value;

pub fn source() -> Source {
    Source {
        name: "shop/gateway-0".into(),
        epoch_ms: 1_760_000_000_000,
        cluster_id: "cluster".into(),
        reported_by: "gateway".into(),
        observer_mode: "gateway".into(),
    }
}

/// All records of a window, by their topics.
pub fn rows(writer: &mut Writer, window: &Window, names: &TopicNames) -> Vec<(&'static str, Value)> {
    let mut rows = Vec::new();
    writer.write(window, names, &mut |row| {
        let value: Value = serde_json::from_slice(&row.line).unwrap();
        assert_eq!(value["event_seq"], row.seq);
        rows.push((row.topic, value));
        Ok(())
    });
    rows
}
