//! From the bytes of a `MetricsData` to its metrics, one at a time.
// Source: opentelemetry-proto, metrics/v1/metrics.proto.

use crate::attributes::{self, Attribute, attribute};
use crate::messages::{Message, fixed64s};
use crate::protobuf::{DEEPEST, Fields, Read, Value, text};

/// Bytes of a metric's name and of its unit. Source: OpenTelemetry's metrics API, "Instrument".
const LONGEST_NAME: usize = 255;
const LONGEST_UNIT: usize = 63;
/// Buckets of one histogram.
const MOST_BUCKETS: usize = 512;
/// Far above what a client counts, far below where sums of many end.
const LARGEST: u64 = 1 << 53;
const NO_RECORDED_VALUE: u64 = 1;
const DELTA: u32 = 1;

/// What a point is, as the column `shape` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Gauge,
    /// A sum that may fall, as it is.
    Level,
    /// What a sum that may fall has changed by.
    Change,
    /// What a counter has grown by.
    Counter,
    /// A counter since its start.
    CounterTotal,
    Histogram,
    HistogramTotal,
}

impl Shape {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gauge => "gauge",
            Self::Level => "level",
            Self::Change => "change",
            Self::Counter => "counter",
            Self::CounterTotal => "counter_total",
            Self::Histogram => "histogram",
            Self::HistogramTotal => "histogram_total",
        }
    }
}

/// One data point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Point {
    /// A JSON object.
    pub(crate) attributes: String,
    /// Nanoseconds since 1970; 0 where it is not known.
    pub(crate) start_ns: u64,
    /// Of a histogram the sum of what was observed.
    pub(crate) value: f64,
    pub(crate) observations: u64,
    pub(crate) bounds: Vec<f64>,
    pub(crate) bucket_counts: Vec<u64>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Good,
    WithoutValue,
    Unusable,
}

/// What a metric's points say; those that are of no use are counted.
#[derive(Debug)]
pub(crate) struct Metric<'a> {
    pub(crate) name: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) shape: Shape,
    pub(crate) points: Vec<Point>,
    pub(crate) without_value: u64,
    pub(crate) unusable: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Data {
    Nothing,
    Gauge,
    Sum,
    Histogram,
    Exponential,
    Summary,
}

/// Read all metrics in their order; false where there are none and nothing that could hold any.
pub(crate) fn metrics<'a>(payload: &'a [u8], mut found: impl FnMut(Metric<'a>)) -> Read<bool> {
    let mut any = false;
    let mut fields = Fields::new(payload);
    while let Some((number, value)) = fields.next()? {
        if let (1, Value::Bytes(content)) = (number, value) {
            any = true;
            resource(content, &mut found)?;
        }
    }
    Ok(any)
}

fn resource<'a>(message: &'a [u8], found: &mut impl FnMut(Metric<'a>)) -> Read<()> {
    let mut fields = Fields::new(message);
    while let Some((number, value)) = fields.next()? {
        let Value::Bytes(content) = value else { continue };
        match number {
            1 => drop(Message::Resource.check(content, DEEPEST)?),
            2 => scope(content, found)?,
            3 => drop(text(content)?),
            _ => {}
        }
    }
    Ok(())
}

fn scope<'a>(message: &'a [u8], found: &mut impl FnMut(Metric<'a>)) -> Read<()> {
    let mut fields = Fields::new(message);
    while let Some((number, value)) = fields.next()? {
        let Value::Bytes(content) = value else { continue };
        match number {
            1 => drop(Message::Scope.check(content, DEEPEST)?),
            2 => found(metric(content)?),
            3 => drop(text(content)?),
            _ => {}
        }
    }
    Ok(())
}

fn metric(message: &[u8]) -> Read<Metric<'_>> {
    let (mut name, mut unit) = ("", "");
    let mut held = Held { data: Data::Nothing, points: Vec::new(), temporality: 0, monotonic: false, foreign: 0 };
    let mut fields = Fields::new(message);
    while let Some((number, value)) = fields.next()? {
        let Value::Bytes(content) = value else { continue };
        match number {
            1 => name = text(content)?,
            2 => drop(text(content)?),
            3 => unit = text(content)?,
            5 => held.of(Data::Gauge).read(content)?,
            7 => held.of(Data::Sum).read(content)?,
            9 => held.of(Data::Histogram).read(content)?,
            10 => held.of(Data::Exponential).count(Message::Exponential, content)?,
            11 => held.of(Data::Summary).count(Message::Summary, content)?,
            12 => drop(Message::KeyValue.check(content, DEEPEST)?),
            _ => {}
        }
    }
    Ok(held.finished(name, unit))
}

/// The data of a metric while it is read: where two kinds are sent, the last one counts.
struct Held {
    data: Data,
    points: Vec<Point>,
    temporality: u32,
    monotonic: bool,
    foreign: u64,
}

impl Held {
    fn of(&mut self, data: Data) -> &mut Self {
        if self.data != data {
            *self = Self { data, points: Vec::new(), temporality: 0, monotonic: false, foreign: 0 };
        }
        self
    }

    fn read(&mut self, message: &[u8]) -> Read<()> {
        let mut fields = Fields::new(message);
        while let Some((number, value)) = fields.next()? {
            match (number, value) {
                (1, Value::Bytes(content)) => {
                    let point = if self.data == Data::Histogram { distribution(content)? } else { quantity(content)? };
                    self.points.push(point);
                }
                (2, Value::Varint(temporality)) if self.data != Data::Gauge => self.temporality = low(temporality),
                (3, Value::Varint(monotonic)) if self.data == Data::Sum => self.monotonic = monotonic != 0,
                _ => {}
            }
        }
        Ok(())
    }

    fn count(&mut self, kind: Message, message: &[u8]) -> Read<()> {
        self.foreign = self.foreign.saturating_add(u64::from(kind.check(message, DEEPEST)?));
        Ok(())
    }

    fn finished<'a>(mut self, name: &'a str, unit: &'a str) -> Metric<'a> {
        let is_delta = self.temporality == DELTA;
        let shape = match (self.data, self.monotonic, is_delta) {
            (Data::Histogram, _, true) => Shape::Histogram,
            (Data::Histogram, _, false) => Shape::HistogramTotal,
            (Data::Sum, true, true) => Shape::Counter,
            (Data::Sum, true, false) => Shape::CounterTotal,
            (Data::Sum, false, true) => Shape::Change,
            (Data::Sum, false, false) => Shape::Level,
            _ => Shape::Gauge,
        };
        let named = !name.is_empty() && name.len() <= LONGEST_NAME && unit.len() <= LONGEST_UNIT;
        let rises = matches!(shape, Shape::Counter | Shape::CounterTotal);
        for point in &mut self.points {
            if point.state == State::Good && (!named || rises && point.value < 0.0) {
                point.state = State::Unusable;
            }
        }
        let count = |state| self.points.iter().fold(0_u64, |sum, one| sum.wrapping_add(u64::from(one.state == state)));
        let (without_value, unusable) = (count(State::WithoutValue), count(State::Unusable));
        self.points.retain(|one| one.state == State::Good);
        Metric {
            name,
            unit,
            shape,
            points: self.points,
            without_value,
            unusable: unusable.saturating_add(self.foreign),
        }
    }
}

/// Read a `NumberDataPoint`.
fn quantity(message: &[u8]) -> Read<Point> {
    let mut point = Point::default();
    let mut given: Vec<Attribute<'_>> = Vec::new();
    let (mut number_given, mut flags) = (None, 0);
    let mut fields = Fields::new(message);
    while let Some((number, value)) = fields.next()? {
        match (number, value) {
            (7, Value::Bytes(content)) => given.push(attribute(content)?),
            (2, Value::Fixed64(time)) => point.start_ns = time,
            (4, Value::Fixed64(bits)) => number_given = Some(f64::from_bits(bits)),
            (6, Value::Fixed64(bits)) => number_given = Some(whole(bits)),
            (5, Value::Bytes(content)) => drop(Message::Exemplar.check(content, DEEPEST)?),
            (8, Value::Varint(sent)) => flags = sent,
            _ => {}
        }
    }
    let has_room = attributes::write(&mut given, &mut point.attributes);
    point.state = match number_given {
        _ if flags & NO_RECORDED_VALUE != 0 => State::WithoutValue,
        None => State::WithoutValue,
        Some(value) if value.is_nan() => State::WithoutValue,
        Some(value) if value.is_finite() && has_room => {
            point.value = plain(value);
            State::Good
        }
        Some(_) => State::Unusable,
    };
    Ok(point)
}

/// Read a `HistogramDataPoint`.
fn distribution(message: &[u8]) -> Read<Point> {
    let mut point = Point::default();
    let mut given: Vec<Attribute<'_>> = Vec::new();
    let (mut sum, mut flags) = (0.0, 0);
    let mut fields = Fields::new(message);
    while let Some((number, value)) = fields.next()? {
        match (number, value) {
            (9, Value::Bytes(content)) => given.push(attribute(content)?),
            (2, Value::Fixed64(time)) => point.start_ns = time,
            (4, Value::Fixed64(count)) => point.observations = count,
            (5, Value::Fixed64(bits)) => sum = f64::from_bits(bits),
            (6, Value::Bytes(packed)) => fixed64s(packed, |one| point.bucket_counts.push(one))?,
            (6, Value::Fixed64(one)) => point.bucket_counts.push(one),
            (7, Value::Bytes(packed)) => fixed64s(packed, |one| point.bounds.push(f64::from_bits(one)))?,
            (7, Value::Fixed64(one)) => point.bounds.push(f64::from_bits(one)),
            (8, Value::Bytes(content)) => drop(Message::Exemplar.check(content, DEEPEST)?),
            (10, Value::Varint(sent)) => flags = sent,
            _ => {}
        }
    }
    if point.bucket_counts.is_empty() && point.bounds.is_empty() {
        point.bucket_counts.push(point.observations);
    }
    let has_room = attributes::write(&mut given, &mut point.attributes);
    let rising = point.bounds.is_sorted_by(|low, high| low < high) && point.bounds.iter().all(|one| one.is_finite());
    let paired = Some(point.bucket_counts.len()) == point.bounds.len().checked_add(1);
    let counted = point.observations <= LARGEST && point.bucket_counts.iter().all(|one| *one <= LARGEST);
    let bounded = point.bucket_counts.len() <= MOST_BUCKETS && sum.is_finite();
    point.value = plain(sum);
    point.bounds.iter_mut().for_each(|one| *one = plain(*one));
    point.state = if flags & NO_RECORDED_VALUE != 0 {
        State::WithoutValue
    } else if has_room && rising && paired && counted && bounded {
        State::Good
    } else {
        State::Unusable
    };
    Ok(point)
}

/// Zero has one sign.
fn plain(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

#[expect(clippy::cast_precision_loss, reason = "the nearest one is what is meant")]
fn whole(bits: u64) -> f64 {
    bits.cast_signed() as f64
}

/// The low 32 bits, which are all that an enumeration has.
fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default()
}
