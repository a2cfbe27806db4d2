package dev.kwitness.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Inet6Address;
import java.net.Socket;
import java.net.URI;
import java.util.Objects;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Where a request goes: the configured URL, or one of its host's addresses under the same name. */
final class Target {
    /** Seconds. With it, closing a socket in which a write is stuck waits this long for that write, not for ever. */
    private static final int LINGER = 1;

    private final String base;
    /** Null where the URL's own host is asked. */
    private final String serverName;

    private Target(String base, String serverName) {
        this.base = base;
        this.serverName = serverName;
    }

    /** The URL as it is configured. */
    static Target of(URI url) {
        return new Target(url.toString(), null);
    }

    /** One address of the URL's host; the certificate must still be for the host's name. */
    static Target at(URI url, InetAddress address) {
        String digits = address.getHostAddress();
        String host = address instanceof Inet6Address ? "[" + digits.replaceFirst("%.*", "") + "]" : digits;
        String port = url.getPort() == -1 ? "" : ":" + url.getPort();
        return new Target(url.getScheme() + "://" + host + port + url.getRawPath(), url.getHost());
    }

    /** Scheme, host, port and base path, without a slash at the end. */
    String base() {
        return base;
    }

    /** Sockets that check the certificate against the configured name, not the address. */
    SSLSocketFactory sockets(SSLSocketFactory plain) {
        return new TlsSockets(plain, serverName);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Target && ((Target) other).base.equals(base);
    }

    @Override
    public int hashCode() {
        return base.hashCode();
    }

    @Override
    public String toString() {
        return base;
    }

    /**
     * Wraps connected sockets only. That the inherited {@code createSocket()} throws is how HttpsURLConnection learns
     * to connect a plain socket first and have it wrapped.
     *
     * <p>Equal for the same factory and name, so that idle connections are found again.
     */
    private static final class TlsSockets extends SSLSocketFactory {
        private final SSLSocketFactory plain;
        private final String name;

        TlsSockets(SSLSocketFactory plain, String name) {
            this.plain = plain;
            this.name = name;
        }

        @Override
        public Socket createSocket(Socket connected, String address, int port, boolean autoClose) throws IOException {
            SSLSocket socket =
                (SSLSocket) plain.createSocket(connected, name == null ? address : name, port, autoClose);
            socket.setSoLinger(true, LINGER);
            if (name != null) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                socket.setSSLParameters(parameters);
            }
            return socket;
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return createSocket();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
            return createSocket();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return createSocket();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
            return createSocket();
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return plain.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return plain.getSupportedCipherSuites();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof TlsSockets && ((TlsSockets) other).plain.equals(plain)
                && Objects.equals(((TlsSockets) other).name, name);
        }

        @Override
        public int hashCode() {
            return Objects.hash(plain, name);
        }
    }
}
