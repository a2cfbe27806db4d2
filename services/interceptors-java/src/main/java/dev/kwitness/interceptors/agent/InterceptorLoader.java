package dev.kwitness.interceptors.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Has the interceptors beside one kafka-clients: they see its classes, and our own of the agent.
 *
 * <p>In kafka-clients' own loader they would need a package of Java's to be opened for the whole application, and
 * could meet those that the application brings itself.
 */
final class InterceptorLoader extends ClassLoader {
    private static final String PACKAGE = "dev.kwitness.interceptors.";

    static {
        registerAsParallelCapable();
    }

    InterceptorLoader(ClassLoader kafka) {
        super(kafka);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PACKAGE)) {
            return super.loadClass(name, resolve);
        }
        if (name.indexOf('.', PACKAGE.length()) >= 0) {
            return Class.forName(name, false, InterceptorLoader.class.getClassLoader());
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        String file = name.replace('.', '/') + ".class";
        try (InputStream stream = InterceptorLoader.class.getClassLoader().getResourceAsStream(file)) {
            if (stream == null) {
                throw new ClassNotFoundException(name);
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] piece = new byte[8 * 1024];
            for (int size = stream.read(piece); size != -1; size = stream.read(piece)) {
                bytes.write(piece, 0, size);
            }
            return defineClass(
                name, bytes.toByteArray(), 0, bytes.size(), InterceptorLoader.class.getProtectionDomain());
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }
}
