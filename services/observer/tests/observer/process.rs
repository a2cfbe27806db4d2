//! The program itself, and what stands on its two sides.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};

const PATIENCE: Duration = Duration::from_mins(1);
const PORTS: Range<u16> = 10_000..20_000;

/// Wait until it is so.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "it did not come to pass that {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A port that nobody listens on, another one at each call and in each process.
///
/// It is none that outgoing connections get: those could take it before its server is up. It stays bound until this
/// process ends; a server that sets `SO_REUSEADDR`, as servers do, can have it all the same.
pub fn free_port() -> u16 {
    static HELD: Mutex<Vec<Socket>> = Mutex::new(Vec::new());
    for _ in 0..200 {
        let chance = RandomState::new().hash_one(()) % u64::from(PORTS.end - PORTS.start);
        let port = PORTS.start + u16::try_from(chance).unwrap();
        let candidate = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        if candidate.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)).into()).is_ok() {
            candidate.set_reuse_address(true).unwrap();
            HELD.lock().unwrap().push(candidate);
            return port;
        }
    }
    panic!("no free port was found on 127.0.0.1 in {PORTS:?}");
}

/// A server in the place of a broker; what it does with a connection is given.
pub struct Broker {
    pub port: u16,
    pub connections: Arc<AtomicUsize>,
}

impl Broker {
    pub fn that(serves: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let (serves, counted) = (Arc::new(serves), Arc::clone(&connections));
        thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
                let serves = Arc::clone(&serves);
                thread::spawn(move || serves(stream.unwrap()));
            }
        });
        Self { port, connections }
    }

    /// One that answers each [`request`] with a [`response`] of one byte.
    pub fn answering() -> Self {
        Self::that(|mut stream| {
            let mut asked = [0; 15];
            while stream.read_exact(&mut asked).is_ok() {
                // A client that is gone is no error of this server.
                let _ = stream.write_all(&response(i32::from(asked[11]), 1));
            }
        })
    }

    /// One that reads and says nothing.
    pub fn silent() -> Self {
        Self::that(|mut stream| {
            // A client that is gone is no error of this server.
            let _ = stream.read_to_end(&mut Vec::new());
        })
    }

    /// One that sends back what it gets, and closes when the client has.
    pub fn echoing() -> Self {
        Self::that(|mut stream| {
            let mut answers = stream.try_clone().unwrap();
            // A client that is gone is no error of this server.
            let _ = std::io::copy(&mut stream, &mut answers);
        })
    }
}

/// The program, running.
pub struct Observer {
    child: Child,
    pub port: u16,
    pub metrics_port: u16,
    settings: Value,
    file: std::path::PathBuf,
    lines: Arc<Mutex<Vec<Value>>>,
}

/// Settings of an observer before a broker at this port.
pub fn settings(broker: u16) -> Value {
    json!({
        "cluster_id": "4L6g3nShT-eMCtK--X86sw", "namespace": "team-a", "name": "edge",
        "mode": "gateway", "reported_by": "gateway", "suspend": false,
        "upstream": {"bootstrap_servers": [format!("127.0.0.1:{broker}")], "tls": null},
        "listener": {"name": "GATEWAY", "bind": "127.0.0.1", "bootstrap_port": free_port(), "advertised_host": "127.0.0.1",
                     "brokers": {}},
        "window_ms": 1000, "report": {"connections": true, "traffic": true, "latency": true},
        "identity": {"drop": []},
        "limits": {"max_connections": 1000, "max_frame_bytes": 104_857_600, "max_series": 10000,
                   "queue_bytes": 1_000_000, "max_rewrite_bytes": 16_777_216},
        "collector": null, "metrics_port": free_port(),
    })
}

impl Observer {
    /// One that is ready, before a broker at this port.
    pub fn before(broker: u16) -> Self {
        Self::with(settings(broker), &[])
    }

    /// One that is ready.
    pub fn with(settings: Value, arguments: &[&str]) -> Self {
        Self::within(&[], settings, arguments)
    }

    /// One that is ready, with these variables.
    pub fn within(environment: &[(&str, &str)], settings: Value, arguments: &[&str]) -> Self {
        let mut observer = Self::started(environment, settings, arguments);
        eventually("it is ready", || {
            let end = observer.child.try_wait().unwrap();
            assert!(
                end.is_none(),
                "the observer ended before it was ready, {end:?}: {:?}",
                observer.lines.lock().unwrap()
            );
            observer.readiness().is_some_and(|answer| answer.starts_with("HTTP/1.1 200"))
        });
        observer
    }

    /// One that was just started, with these variables.
    pub fn started(environment: &[(&str, &str)], settings: Value, arguments: &[&str]) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("observer-{}-{}.json", std::process::id(), NUMBER.fetch_add(1, Ordering::SeqCst));
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, settings.to_string()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_kwitness-observer"));
        command.args(["run", "--settings"]).arg(&file).args(arguments).stdout(Stdio::piped());
        command.envs(environment.iter().copied());
        let mut child = command.spawn().unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (read, output) = (Arc::clone(&lines), child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.unwrap();
                read.lock().unwrap().push(serde_json::from_str(&line).unwrap_or(Value::String(line)));
            }
        });
        let port = |value: &Value| u16::try_from(value.as_u64().unwrap()).unwrap();
        let (listener, metrics_port) = (port(&settings["listener"]["bootstrap_port"]), port(&settings["metrics_port"]));
        Self { child, port: listener, metrics_port, settings, file, lines }
    }

    /// What it answers to who asks whether it is ready.
    pub fn readiness(&self) -> Option<String> {
        self.get("/readyz")
    }

    /// A client of it.
    pub fn client(&self) -> TcpStream {
        let client = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        client
    }

    /// Change a setting, by its JSON pointer.
    pub fn set(&mut self, pointer: &str, value: Value) {
        *self.settings.pointer_mut(pointer).unwrap() = value;
        std::fs::write(&self.file, self.settings.to_string()).unwrap();
    }

    /// Its answer at the port of metrics.
    pub fn get(&self, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.metrics_port)).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: observer\r\nConnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }

    /// A sample of its metrics, by name and labels; 0 where there is none.
    pub fn metric(&self, sample: &str) -> u64 {
        let page = self.get("/metrics").unwrap();
        let value = page.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
        value.map_or(0, |value| value.parse().unwrap())
    }

    /// Lines of its log with this message.
    pub fn logged(&self, message: &str) -> Vec<Value> {
        self.lines.lock().unwrap().iter().filter(|line| line["message"] == message).cloned().collect()
    }

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// True once the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Ask it to end.
    pub fn terminate(&self) {
        assert!(Command::new("kill").arg(self.id().to_string()).status().unwrap().success());
    }

    /// End it as the kernel does when there is no memory left.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
    }

    /// Wait for its end; whether that is without an error.
    pub fn ends_well(&mut self) -> bool {
        let mut status = None;
        eventually("it ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap().success()
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        // It may have ended; and a file in a temporary folder may be left over.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.file);
    }
}

/// A `ListGroups` request of version 0, whose answer passes as it is.
pub fn request(correlation: i32) -> Vec<u8> {
    frame(&[&[0, 16, 0, 0][..], &correlation.to_be_bytes(), &[0, 1, b't']].concat())
}

/// A response with this id, of so many bytes beyond it.
pub fn response(correlation: i32, bytes: usize) -> Vec<u8> {
    frame(&[&correlation.to_be_bytes()[..], &vec![7; bytes]].concat())
}

/// A frame of this content.
pub fn frame(content: &[u8]) -> Vec<u8> {
    [&i32::try_from(content.len()).unwrap().to_be_bytes()[..], content].concat()
}
