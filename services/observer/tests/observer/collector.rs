//! A server in the place of the collector, which answers as it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

/// One request as it came.
#[derive(Clone)]
pub struct Request {
    pub headers: Vec<String>,
    pub head: Value,
    pub rows: Vec<Value>,
}

impl Request {
    /// The numbers of its rows and totals.
    pub fn seqs(&self) -> Vec<u64> {
        let listed =
            |of: &str| self.head[of].as_array().unwrap().iter().map(|item| item["seq"].as_u64().unwrap()).collect();
        let both: [Vec<u64>; 2] = [listed("rows"), listed("totals")];
        both.concat()
    }
}

type Answers = dyn Fn(&Request) -> (u16, String) + Send + Sync;

pub struct Collector {
    pub port: u16,
    pub requests: Arc<Mutex<Vec<Request>>>,
}

/// What takes everything.
pub fn everything(request: &Request) -> (u16, String) {
    let seqs: Vec<_> = request.seqs().iter().map(u64::to_string).collect();
    (200, answer(&json!({"accepted": seqs.join(",")})).to_string())
}

/// An answer of the collector with these members.
pub fn answer(members: &Value) -> Value {
    let mut all = json!({"protocol": 2, "collector": "kafka/main", "replica": 0, "accepted": "", "duplicates": "",
                         "later": "", "rejected": [], "retry_after_ms": 0, "directives": {}});
    all.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    all
}

impl Collector {
    pub fn that(answers: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static) -> Self {
        Self::at(0, answers)
    }

    /// At this port; 0 is any.
    pub fn at(port: u16, answers: impl Fn(&Request) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (kept, answers): (_, Arc<Answers>) = (Arc::clone(&requests), Arc::new(answers));
        thread::spawn(move || {
            for stream in listener.incoming() {
                serve(&mut stream.unwrap(), &kept, &*answers);
            }
        });
        Self { port, requests }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(stream: &mut TcpStream, kept: &Mutex<Vec<Request>>, answers: &Answers) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        // An observer that was ended leaves half a request.
        if reader.read_line(&mut line).is_err() || line.is_empty() {
            return;
        }
        if line == "\r\n" {
            break;
        }
        headers.push(line.trim_end().to_lowercase());
    }
    let length = headers.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut plain = Vec::new();
    GzDecoder::new(&body[..]).read_to_end(&mut plain).unwrap();
    let (first, rest) = plain.split_at(plain.iter().position(|byte| *byte == b'\n').unwrap());
    let head: Value = serde_json::from_slice(first).unwrap();
    let mut rest = &rest[1..];
    let mut rows = Vec::new();
    for row in head["rows"].as_array().unwrap() {
        let (line, others) = rest.split_at(usize::try_from(row["bytes"].as_u64().unwrap()).unwrap());
        rows.push(serde_json::from_slice(line).unwrap());
        rest = others.strip_prefix(b"\n").unwrap();
    }
    assert!(rest.is_empty());
    let request = Request { headers, head, rows };
    let (status, text) = answers(&request);
    kept.lock().unwrap().push(request);
    // An observer that has ended needs no answer.
    let _ = write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{text}", text.len());
}
