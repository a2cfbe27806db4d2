package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.Client;
import dev.kwitness.interceptors.core.ListedClasses;
import dev.kwitness.interceptors.core.Log;
import dev.kwitness.interceptors.core.Reporting;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.apache.kafka.common.Configurable;

/**
 * The application's classes that a profile names as interceptors of one client.
 *
 * <p>What they throw is counted and said once a minute; the application and the next one go on with what was there
 * before. None is called while the profile is suspended.
 *
 * @param <I> the interface of the client's side
 */
final class Customs<I extends Configurable> {
    private static final long SAID_EVERY_NS = TimeUnit.MINUTES.toNanos(1);

    private final Client client;
    private final List<One<I>> all = new ArrayList<>();

    /** Nothing is thrown: a class that cannot be found, made or configured is left out and reported. */
    Customs(Client client, Class<?> contract, Class<?> otherSide, Map<String, ?> configuration) {
        this.client = client;
        List<Object> own = ListedClasses.of(configuration.get(ListedClasses.KEY));
        for (Reporting.Custom custom : Reporting.customs()) {
            try {
                // One that the application has itself is called by Kafka.
                if (!ListedClasses.contain(own, custom.className)) {
                    add(custom, find(custom.className, contract, otherSide), configuration);
                }
            } catch (Throwable unfit) {
                Reporting.unusable(custom.name, text(unfit));
            }
        }
    }

    /** One call of one of them. */
    interface Call<I, T> {
        T of(I interceptor, T value) throws Throwable;
    }

    /** A call that returns nothing. */
    interface Told<I> {
        void to(I interceptor) throws Throwable;
    }

    /** Whether there are none. */
    boolean isEmpty() {
        return all.isEmpty();
    }

    /** What those before ours, or those after, make of a value; each gets what the one before it returned. */
    <T> T through(boolean before, String hook, T value, Call<I, T> call, BiPredicate<T, T> replaces) {
        T last = value;
        for (One<I> one : all) {
            if (one.custom.first == before && !Reporting.isSuspended()) {
                last = contained(one, hook, last, call, replaces);
            }
        }
        return last;
    }

    /** Tell those before ours, or those after. */
    void tell(boolean before, String hook, Told<I> told) {
        through(before, hook, null, (interceptor, nothing) -> {
            told.to(interceptor);
            return null;
        }, (nothing, again) -> true);
    }

    /** Close them all, also while the profile is suspended. */
    void close(Told<I> closing) {
        for (One<I> one : all) {
            contained(one, "close", null, (interceptor, nothing) -> {
                closing.to(interceptor);
                return null;
            }, (nothing, again) -> true);
        }
    }

    private <T> T contained(One<I> one, String hook, T value, Call<I, T> call, BiPredicate<T, T> replaces) {
        long began = System.nanoTime();
        String wrong = null;
        T returned = value;
        try {
            returned = call.of(one.interceptor, value);
            if (!replaces.test(value, returned)) {
                wrong = "it returned null, or a record for another topic";
            }
        } catch (Throwable failure) {
            wrong = text(failure);
        }
        client.called(one.custom.name, hook, System.nanoTime() - began, wrong != null);
        if (wrong == null) {
            return returned;
        }
        one.say(hook, wrong);
        return value;
    }

    private void add(Reporting.Custom custom, Class<?> found, Map<String, ?> configuration)
            throws ReflectiveOperationException {
        if (found == null) {
            return;
        }
        @SuppressWarnings("unchecked")
        I made = (I) found.getDeclaredConstructor().newInstance();
        Map<String, Object> settings = new HashMap<>(configuration);
        custom.settings.forEach(settings::putIfAbsent);
        made.configure(settings);
        all.add(new One<>(custom, made));
    }

    /** The class that the thread's loader knows, or else that of kafka-clients; null where it is for the other side. */
    private static Class<?> find(String name, Class<?> contract, Class<?> otherSide) throws ClassNotFoundException {
        ClassNotFoundException unknown = null;
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        for (ClassLoader loader : new ClassLoader[] {application, contract.getClassLoader()}) {
            try {
                Class<?> found = Class.forName(name, false, loader);
                if (contract.isAssignableFrom(found)) {
                    return found;
                }
                if (otherSide.isAssignableFrom(found)) {
                    return null;
                }
                // The thread's loader may have another kafka-clients.
                unknown = new ClassNotFoundException(name + " is no interceptor of this kafka-clients");
            } catch (ClassNotFoundException notThere) {
                unknown = unknown == null ? notThere : unknown;
            }
        }
        throw unknown;
    }

    private static String text(Throwable failure) {
        try {
            return String.valueOf(failure instanceof InvocationTargetException ? failure.getCause() : failure);
        } catch (Throwable ofItsOwn) {
            // Its text is the application's code, too.
            return failure.getClass().getName();
        }
    }

    /** One interceptor. */
    private static final class One<I> {
        final Reporting.Custom custom;
        final I interceptor;
        private final Map<String, Long> said = new ConcurrentHashMap<>();

        One(Reporting.Custom custom, I interceptor) {
            this.custom = custom;
            this.interceptor = interceptor;
        }

        void say(String hook, String wrong) {
            long now = System.nanoTime();
            Long before = said.get(hook);
            if (before == null || now - before >= SAID_EVERY_NS) {
                said.put(hook, now);
                Log.warn(custom.name + " (" + custom.className + ") failed in " + hook + ": " + wrong);
            }
        }
    }
}
