package dev.kwitness.interceptors.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;

/** Kafka's clients of several versions in class loaders of their own; no broker is needed to make them. */
final class Clients {
    private static final Path FOLDER = Paths.get(System.getProperty("clients"));
    /** Has Java's classes only: the tests' own class path has a kafka-clients, too. */
    private static final ClassLoader JAVA = ClassLoader.getSystemClassLoader().getParent();

    private Clients() {
    }

    /** As on an ordinary class path. */
    static ClassLoader ofVersion(String version) throws MalformedURLException {
        return new URLClassLoader(new URL[] {url("kafka-clients-" + version), url("slf4j-api-1.7.36")}, JAVA);
    }

    /** As of an application that is compiled with it: the tests' own classes see this kafka-clients. */
    static ClassLoader ofApplication(String version) throws MalformedURLException {
        URL classes = Clients.class.getProtectionDomain().getCodeSource().getLocation();
        return new URLClassLoader(new URL[] {classes}, ofVersion(version));
    }

    /** As in an archive within the application's archive: classes have no file of their own. */
    static ClassLoader nested(String version) throws IOException {
        Map<String, byte[]> entries = new HashMap<>();
        for (String jar : new String[] {"kafka-clients-" + version, "slf4j-api-1.7.36"}) {
            try (JarInputStream archive = new JarInputStream(Files.newInputStream(FOLDER.resolve(jar + ".jar")))) {
                for (JarEntry entry = archive.getNextJarEntry(); entry != null; entry = archive.getNextJarEntry()) {
                    entries.putIfAbsent(entry.getName(), content(archive));
                }
            }
        }
        return new ArchiveLoader(entries, JAVA);
    }

    /** Make a producer or a consumer and close it. */
    static void makeAndClose(ClassLoader loader, String side, Map<String, Object> more) throws Exception {
        make(loader, side, more).close();
    }

    /** Make a producer or a consumer, on a thread whose loader is the one that is given. */
    static Closeable make(ClassLoader loader, String side, Map<String, Object> more) throws Exception {
        boolean isProducer = side.equals("producer");
        String name = isProducer ? "producer.KafkaProducer"
            : side.equals("consumer") ? "consumer.KafkaConsumer" : "consumer.KafkaShareConsumer";
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", "127.0.0.1:1");
        String part = isProducer ? "serializ" : "deserializ";
        String serde = "org.apache.kafka.common.serialization.String" + (isProducer ? "Serializer" : "Deserializer");
        settings.put("key." + part + "er", serde);
        settings.put("value." + part + "er", serde);
        if (!isProducer) {
            settings.put("group.id", "billing");
        }
        settings.putAll(more);
        return (Closeable) newInstance(loader, "org.apache.kafka.clients." + name, settings);
    }

    /** The interceptors that a configuration of these settings has. */
    static Object interceptors(ClassLoader loader, String side, Map<String, Object> settings) throws Exception {
        String name = side.equals("producer") ? "producer.ProducerConfig" : "consumer.ConsumerConfig";
        Class<?> type = loader.loadClass("org.apache.kafka.clients." + name);
        Map<String, Object> all = new HashMap<>(settings);
        for (String kind : new String[] {"key", "value"}) {
            all.put(kind + (side.equals("producer") ? ".serializer" : ".deserializer"), type);
        }
        all.put("bootstrap.servers", "127.0.0.1:1");
        Object configuration = newInstance(loader, type.getName(), all);
        return type.getMethod("getList", String.class).invoke(configuration, "interceptor.classes");
    }

    /** Have a producer give up one record without a value; its headers as it was to be sent, by their keys. */
    static Map<String, String> sendInVain(ClassLoader loader, String topic) throws Exception {
        Class<?> type = loader.loadClass("org.apache.kafka.clients.producer.ProducerRecord");
        Object record = type.getConstructor(String.class, Object.class).newInstance(topic, null);
        try (Closeable producer = make(loader, "producer", Collections.singletonMap("max.block.ms", "1"))) {
            producer.getClass().getMethod("send", type).invoke(producer, record);
        }
        assertNull(type.getMethod("value").invoke(record));
        Class<?> header = loader.loadClass("org.apache.kafka.common.header.Header");
        Map<String, String> found = new TreeMap<>();
        for (Object one : (Iterable<?>) type.getMethod("headers").invoke(record)) {
            String value = new String((byte[]) header.getMethod("value").invoke(one), UTF_8);
            assertNull(found.put((String) header.getMethod("key").invoke(one), value), "it is there twice");
        }
        return found;
    }

    /** Kafka looks for classes by the thread's loader. */
    private static Object newInstance(ClassLoader loader, String name, Map<String, Object> settings)
            throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return loader.loadClass(name).getConstructor(Map.class).newInstance(settings);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL url(String jar) throws MalformedURLException {
        return FOLDER.resolve(jar + ".jar").toUri().toURL();
    }

    private static byte[] content(InputStream stream) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] piece = new byte[8 * 1024];
        for (int size = stream.read(piece); size != -1; size = stream.read(piece)) {
            bytes.write(piece, 0, size);
        }
        return bytes.toByteArray();
    }

    /** Defines classes from memory. */
    private static final class ArchiveLoader extends ClassLoader {
        private final Map<String, byte[]> entries;

        ArchiveLoader(Map<String, byte[]> entries, ClassLoader parent) {
            super(parent);
            this.entries = entries;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = entries.get(name.replace('.', '/') + ".class");
            if (bytes == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, bytes, 0, bytes.length);
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            byte[] bytes = entries.get(name);
            return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
        }
    }
}
