//! Pushes, each the bytes of an OTLP message, into columns of what they say.

use crate::columns::{Bytes, Damaged, Texts, offset};
use crate::metrics::{Metric, Point, metrics};

/// A push was read; it may be empty.
pub const READ: u8 = 0;
/// Its bytes are no OTLP metrics.
pub const MALFORMED: u8 = 1;
/// Its bytes have no field of OTLP metrics.
pub const NO_METRICS: u8 = 2;

/// Bytes of data points after which no further push is begun.
const ENOUGH: usize = 16 << 20;

/// What is kept of a push.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// How names of metrics begin; none: all metrics.
    pub prefixes: &'a [String],
    /// Data points; the others are counted.
    pub most: usize,
}

/// Columns: first those with a value for each push, then those with a value for each data point.
#[derive(Clone, Debug, Default)]
pub struct Decoded {
    /// How many pushes they are of; the others wait for another call.
    pub pushes: usize,
    /// `READ`, `MALFORMED` or `NO_METRICS`, a byte each.
    pub outcomes: Vec<u8>,
    /// Offsets of each push's data points, 0 before the first.
    pub points: Vec<u8>,
    /// Data points beyond the most that are kept, 64 bits each, as are all numbers that follow.
    pub left_out: Vec<u8>,
    /// Data points that say that there is no value.
    pub without_value: Vec<u8>,
    /// Data points that make no sense, or are of a kind that is not read.
    pub unusable: Vec<u8>,
    /// Names of metrics.
    pub metric: Texts,
    /// Units.
    pub unit: Texts,
    /// What kind of number a point is.
    pub shape: Texts,
    /// Attributes, a JSON object each.
    pub attributes: Texts,
    /// When what is counted began, in milliseconds since 1970; 0 where that is not known.
    pub start_ms: Vec<u8>,
    /// The value; of a histogram the sum of what was observed.
    pub value: Vec<u8>,
    /// How much was observed; of histograms.
    pub observations: Vec<u8>,
    /// Upper bounds of buckets, and their offsets.
    pub bounds: (Vec<u8>, Vec<u8>),
    /// Counts of buckets, and their offsets.
    pub bucket_counts: (Vec<u8>, Vec<u8>),
}

/// Read pushes from one of them on, until there is enough.
///
/// # Errors
/// The column is damaged.
pub fn decode(values: &Bytes<'_>, from: usize, settings: Settings<'_>) -> Result<Decoded, Damaged> {
    let mut out = Decoded { points: vec![0; 4], ..Decoded::default() };
    out.bounds.0 = vec![0; 4];
    out.bucket_counts.0 = vec![0; 4];
    let (mut held, mut count) = (Vec::new(), 0_usize);
    for at in from..values.len() {
        let outcome = out.add(values.get(at)?, settings, &mut held, &mut count);
        out.outcomes.push(outcome);
        out.points.extend_from_slice(&offset(count));
        out.pushes = out.pushes.saturating_add(1);
        if out.size() > ENOUGH {
            break;
        }
    }
    Ok(out)
}

impl Decoded {
    fn add<'a>(
        &mut self,
        payload: &'a [u8],
        settings: Settings<'_>,
        held: &mut Vec<Metric<'a>>,
        count: &mut usize,
    ) -> u8 {
        held.clear();
        let read = metrics(payload, |metric| {
            if settings.prefixes.is_empty() || settings.prefixes.iter().any(|one| metric.name.starts_with(one)) {
                held.push(metric);
            }
        });
        let outcome = match read {
            Ok(true) => READ,
            Ok(false) if payload.is_empty() => READ,
            Ok(false) => NO_METRICS,
            Err(_) => MALFORMED,
        };
        if outcome != READ {
            held.clear();
        }
        let (mut left_out, mut without_value, mut unusable) = (0_u64, 0_u64, 0_u64);
        let mut room = settings.most;
        for metric in held.drain(..) {
            without_value = without_value.saturating_add(metric.without_value);
            unusable = unusable.saturating_add(metric.unusable);
            for point in &metric.points {
                if let Some(less) = room.checked_sub(1) {
                    room = less;
                    *count = count.saturating_add(1);
                    self.point(&metric, point);
                } else {
                    left_out = left_out.saturating_add(1);
                }
            }
        }
        self.left_out.extend_from_slice(&left_out.to_le_bytes());
        self.without_value.extend_from_slice(&without_value.to_le_bytes());
        self.unusable.extend_from_slice(&unusable.to_le_bytes());
        outcome
    }

    fn point(&mut self, metric: &Metric<'_>, point: &Point) {
        self.metric.push(metric.name.as_bytes());
        self.unit.push(metric.unit.as_bytes());
        self.shape.push(metric.shape.name().as_bytes());
        self.attributes.push(point.attributes.as_bytes());
        self.start_ms.extend_from_slice(&point.start_ns.wrapping_div(1_000_000).to_le_bytes());
        self.value.extend_from_slice(&point.value.to_le_bytes());
        self.observations.extend_from_slice(&point.observations.to_le_bytes());
        listed(&mut self.bounds, point.bounds.iter().map(|one| one.to_le_bytes()));
        listed(&mut self.bucket_counts, point.bucket_counts.iter().map(|one| one.to_le_bytes()));
    }

    fn size(&self) -> usize {
        [&self.metric.data, &self.attributes.data, &self.value, &self.bounds.1, &self.bucket_counts.1]
            .iter()
            .fold(0_usize, |sum, one| sum.saturating_add(one.len()))
    }
}

fn listed(column: &mut (Vec<u8>, Vec<u8>), numbers: impl Iterator<Item = [u8; 8]>) {
    numbers.for_each(|one| column.1.extend_from_slice(&one));
    column.0.extend_from_slice(&offset(column.1.len().wrapping_div(8)));
}
