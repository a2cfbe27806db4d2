//! What a connection costs while long and hostile frames pass. A program of its own, so that nothing else allocates.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test says what it expects by unwrapping it"
)]

use kwitness_protocol::{Connection, Event, Limits, Nanos, Side};

const MIB: usize = 1 << 20;

/// The most that the process ever had in memory, in bytes.
fn high_water_mark() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// A frame's beginning: `declared` bytes follow the length, `start` the header.
fn beginning(declared: usize, header: &[u8], start: &[&[u8]]) -> Vec<u8> {
    [&i32::try_from(declared).unwrap().to_be_bytes(), header, &start.concat()].concat()
}

/// Feeds `start` and then `repeated` until the frame is complete; how often something was told.
fn pass(connection: &mut Connection, side: Side, start: &[u8], repeated: &[u8]) -> usize {
    let mut told = 0;
    let mut sink = |event: Event<'_>| told += usize::from(!matches!(event, Event::Opaque(_)));
    let declared = usize::try_from(i32::from_be_bytes(start[..4].try_into().unwrap())).unwrap();
    connection.feed(side, start, Nanos(0), &mut sink);
    let mut left = declared - (start.len() - 4);
    while left > 0 {
        let piece = &repeated[..left.min(repeated.len())];
        connection.feed(side, piece, Nanos(0), &mut sink);
        left -= piece.len();
    }
    told
}

fn fetch_of_a_topic() -> Vec<u8> {
    let fixed = [-1, 500, 1, 1 << 20].map(i32::to_be_bytes).concat();
    let header = [0, 1, 0, 4, 0, 0, 0, 1, 0xff, 0xff];
    let body = [&fixed[..], &[0], &[0; 4]].concat();
    beginning(header.len() + body.len(), &header, &[&body])
}

#[test]
fn frames_of_64_mib_cost_less_than_a_mebibyte_and_hostile_ones_a_few() {
    let zeros = vec![0; 64 << 10];
    let mut connection = Connection::new(Limits::default());
    pass(&mut connection, Side::Client, &fetch_of_a_topic(), &[]);
    let before = high_water_mark();

    // One partition with 64 MiB of records, of which one batch is larger than the other bytes that are at hand.
    let batch = [&[0; 8][..], &(60_i32 << 20).to_be_bytes(), &[0, 0, 0, 0, 2], &[0; 44]].concat();
    let records = 64 * MIB;
    let start = [
        &[0; 4][..], // throttled
        &[0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
        &[0; 8 + 8 + 4],
        &i32::try_from(records).unwrap().to_be_bytes(),
        &batch,
    ]
    .concat();
    let declared = 4 + start.len() - batch.len() + records;
    // What follows the batch are messages whose size is zero: that is malformed.
    let told = pass(&mut connection, Side::Broker, &beginning(declared, &[0, 0, 0, 1], &[&start]), &zeros);
    assert_eq!((told, connection.is_opaque()), (2, false));

    // A Metadata response that ends long before its frame.
    let asked = [0, 3, 0, 0, 0, 0, 0, 2, 0xff, 0xff, 0, 0, 0, 0];
    pass(&mut connection, Side::Client, &beginning(asked.len(), &asked, &[]), &[]);
    let told = pass(&mut connection, Side::Broker, &beginning(64 * MIB, &[0, 0, 0, 2], &[]), &zeros);
    assert_eq!((told, connection.is_opaque()), (2, false));

    // A Metadata response of a quarter of a million topics, all of which are told.
    let asked = [0, 3, 0, 12, 0, 0, 0, 3, 0xff, 0xff, 0, 0, 0, 0, 0];
    pass(&mut connection, Side::Client, &beginning(asked.len(), &asked, &[]), &[]);
    let name = [b't'; 38];
    let topic = [&[0; 2][..], &[39], &name, &[7; 16], &[0, 1], &[0; 4], &[0]].concat();
    let start = [0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0x81, 0x80, 0x10];
    let declared = start.len() + 16 * MIB + 1;
    let told = pass(&mut connection, Side::Broker, &beginning(declared, &start, &[]), &topic);
    assert_eq!((topic.len(), told, connection.is_opaque()), (64, 16 * MIB / 64 + 1, false));
    let grown = high_water_mark() - before;
    assert!(grown < MIB, "{grown}");

    // Two million partitions without records, and half as many to fetch.
    let produce = [0, 0, 0, 0, 0, 0, 0, 4, 0xff, 0xff, 0, 1, 0, 0, 0, 0];
    let topic = [&[0, 0, 0, 1, 0, 1, b't'][..], &2_000_000_i32.to_be_bytes()].concat();
    pass(&mut connection, Side::Client, &beginning(16 + 11 + 16_000_000, &produce, &[&topic]), &zeros);
    let fetch = [&[0, 1, 0, 0, 0, 0, 0, 5, 0xff, 0xff][..], &[0xff; 4], &[0; 8]].concat();
    let numbered: Vec<u8> = (0..4_096_i32).flat_map(|index| [&index.to_be_bytes()[..], &[0; 12]].concat()).collect();
    let topic = [&[0, 0, 0, 1, 0, 1, b't'][..], &1_000_000_i32.to_be_bytes()].concat();
    pass(&mut connection, Side::Client, &beginning(fetch.len() + 11 + 16_000_000, &fetch, &[&topic]), &numbered);
    assert!(!connection.is_opaque());
    let grown = high_water_mark() - before;
    assert!(grown < 8 * MIB, "{grown}");
}
