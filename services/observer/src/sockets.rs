//! Sockets that listen on the addresses of a machine.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rustix::io::Errno;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpSocket};

const BACKLOG: u32 = 1_024;

/// Every address of both families, as far as the machine has them.
pub(crate) const EVERY_ADDRESS: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

/// Listen on this port of an address; of [`EVERY_ADDRESS`] with a socket for each family that the machine has.
///
/// # Errors
/// The first socket that cannot be had, and why; none is open then.
pub(crate) fn listen(address: IpAddr, port: u16) -> io::Result<Vec<TcpListener>> {
    if address == EVERY_ADDRESS {
        listen_by_both(address, Ipv4Addr::UNSPECIFIED, port)
    } else {
        let address = SocketAddr::new(address, port);
        open(address).map(|listener| vec![listener]).map_err(|error| named(address, &error))
    }
}

/// The same where rules redirect connections: those of both families, whichever family the address has.
///
/// # Errors
/// As [`listen`].
pub(crate) fn listen_to_redirected(address: IpAddr, port: u16) -> io::Result<Vec<TcpListener>> {
    if address.is_loopback() {
        listen_by_both(Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST, port)
    } else {
        listen(address, port)
    }
}

fn listen_by_both(v6: IpAddr, v4: Ipv4Addr, port: u16) -> io::Result<Vec<TcpListener>> {
    let (mut listeners, mut absent) = (Vec::new(), None);
    for address in [v4.into(), v6] {
        let address = SocketAddr::new(address, port);
        match open(address) {
            Ok(listener) => listeners.push(listener),
            Err(error) if is_absent(&error) => absent = Some(named(address, &error)),
            Err(error) => return Err(named(address, &error)),
        }
    }
    absent.filter(|_| listeners.is_empty()).map_or(Ok(listeners), Err)
}

fn open(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    if address.is_ipv6() {
        // IPv4 has a socket of its own: where a redirected connection was meant to go is known to its own family alone.
        SockRef::from(&socket).set_only_v6(true)?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::ADDRNOTAVAIL | Errno::AFNOSUPPORT))
}

fn named(address: SocketAddr, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{address}: {error}"))
}
