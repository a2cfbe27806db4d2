//! Configures TLS of clients and sink: version 1.3 with one cipher suite, so that relays cannot choose different ones.

use std::net::TcpStream;
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::version::TLS13;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned};

/// A client's side of a connection.
pub(crate) type ClientStream = StreamOwned<ClientConnection, TcpStream>;

/// The suite that Java's clients prefer.
fn provider() -> Arc<CryptoProvider> {
    let cipher_suites = vec![ring::cipher_suite::TLS13_AES_256_GCM_SHA384];
    Arc::new(CryptoProvider { cipher_suites, ..ring::default_provider() })
}

/// Clients trust the authority of this file.
pub(crate) fn client_config(authority: &str) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(authority).expect("a file of certificates") {
        roots.add(certificate.unwrap()).unwrap();
    }
    let builder = ClientConfig::builder_with_provider(provider()).with_protocol_versions(&[&TLS13]).unwrap();
    Arc::new(builder.with_root_certificates(roots).with_no_client_auth())
}

/// The sink shows this certificate.
pub(crate) fn server_config(certificate: &str, key: &str) -> Arc<ServerConfig> {
    let chain = CertificateDer::pem_file_iter(certificate).expect("a certificate").map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(key).expect("a private key");
    let builder = ServerConfig::builder_with_provider(provider()).with_protocol_versions(&[&TLS13]).unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(chain, key).unwrap())
}

pub(crate) fn connected(config: &Arc<ClientConfig>, to: &str, stream: TcpStream) -> ClientStream {
    let host = to.rsplit_once(':').expect("a port").0.to_owned();
    let name = ServerName::try_from(host).expect("a host");
    StreamOwned::new(ClientConnection::new(Arc::clone(config), name).unwrap(), stream)
}

pub(crate) fn accepted(config: &Arc<ServerConfig>, stream: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
    StreamOwned::new(ServerConnection::new(Arc::clone(config)).unwrap(), stream)
}
