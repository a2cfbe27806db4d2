package dev.kwitness.broker;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which CAs may sign the collector's certificate: a PEM file, followed when it changes, or Java's own list. */
final class Trust {
    private static final Logger LOG = LoggerFactory.getLogger(Trust.class);

    private final Path caFile;
    private byte[] seen;
    private SSLSocketFactory factory;
    private boolean readable = true;

    /** A null path means: the Java runtime's own list. */
    Trust(Path caFile) {
        this.caFile = caFile;
    }

    /**
     * Makes TLS sockets that trust what the file holds now, or held when it could last be read.
     *
     * <p>The same object as before while the file is the same, so that connections are kept alive.
     *
     * @throws IOException when the file never could be read
     */
    synchronized SSLSocketFactory sockets() throws IOException {
        try {
            byte[] content = caFile == null ? new byte[0] : Files.readAllBytes(caFile);
            if (factory == null || !Arrays.equals(content, seen)) {
                SSLContext context = caFile == null ? SSLContext.getDefault() : contextFor(content);
                factory = context.getSocketFactory();
                seen = content;
            }
            readable = true;
        } catch (IOException | GeneralSecurityException unusable) {
            if (readable) {
                LOG.warn("The certificates in {} cannot be read ({}): the last ones are used until they can; check {}",
                    caFile, unusable.toString(), PluginConfig.CA_FILE);
            }
            readable = false;
            if (factory == null) {
                throw new IOException("no certificates can be read from " + caFile, unusable);
            }
        }
        return factory;
    }

    synchronized boolean readable() {
        return readable;
    }

    /** A context that trusts the certificates of a PEM file. */
    static SSLContext contextFor(Path caFile) throws IOException, GeneralSecurityException {
        return contextFor(Files.readAllBytes(caFile));
    }

    private static SSLContext contextFor(byte[] pem) throws IOException, GeneralSecurityException {
        Collection<? extends Certificate> certificates =
            CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
        if (certificates.isEmpty()) {
            throw new CertificateException("there is no certificate in it");
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("authority-" + number, certificate);
            number++;
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
