package dev.kwitness.interceptors.core;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
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

/** Which CAs may sign the collector's certificate: a PEM file, followed when it changes, or Java's own list. */
final class Trust {
    private byte[] seen;
    private SSLSocketFactory factory;

    /**
     * Makes TLS sockets that trust what the file holds now; the same object as before while that is the same.
     *
     * @throws IOException when the file cannot be read, or holds no certificates
     */
    SSLSocketFactory sockets(String caFile) throws IOException {
        byte[] content = caFile == null ? new byte[0] : Files.readAllBytes(Paths.get(caFile));
        try {
            if (factory == null || !Arrays.equals(content, seen)) {
                SSLContext context = caFile == null ? SSLContext.getDefault() : contextFor(content);
                factory = context.getSocketFactory();
                seen = content;
            }
        } catch (GeneralSecurityException unusable) {
            throw new IOException("no certificates can be read from " + caFile, unusable);
        }
        return factory;
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
