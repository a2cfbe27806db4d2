package dev.kwitness.broker;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Splits a batch by where its pushes go: all to the URL, or by rendezvous hashing over the host's addresses. */
final class Route {
    private static final long RESOLVE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final URI url;
    private final boolean balanced;
    private final Resolver resolver;
    private List<Target> targets = List.of();
    private long resolvedAt;
    private boolean doubted;

    /** Looks up the addresses of a host. */
    interface Resolver {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    Route(URI url, boolean balanced) {
        this(url, balanced, InetAddress::getAllByName);
    }

    Route(URI url, boolean balanced, Resolver resolver) {
        this.url = url;
        this.balanced = balanced;
        this.resolver = resolver;
    }

    /** A target failed: the next split looks the addresses up again, for it may be gone. */
    void doubt() {
        doubted = true;
    }

    /** The pushes of each target, each part in the order of the batch. */
    Map<Target, List<Push>> split(List<Push> batch) {
        List<Target> now = targets();
        if (now.size() == 1) {
            return Map.of(now.get(0), batch);
        }
        Map<Target, List<Push>> parts = new LinkedHashMap<>();
        for (Push push : batch) {
            parts.computeIfAbsent(owner(push.clientInstanceId(), now), target -> new ArrayList<>()).add(push);
        }
        return parts;
    }

    /** The target with the highest SHA-256 of {@code client|target}: a change of targets moves only its share. */
    static Target owner(String clientInstanceId, List<Target> targets) {
        Target best = null;
        byte[] highest = null;
        for (Target target : targets) {
            byte[] weight = sha256(clientInstanceId + "|" + target.base());
            if (best == null || Arrays.compareUnsigned(weight, highest) > 0) {
                best = target;
                highest = weight;
            }
        }
        return best;
    }

    private List<Target> targets() {
        if (!balanced) {
            return List.of(Target.of(url));
        }
        long now = System.nanoTime();
        if (targets.isEmpty() || doubted || now - resolvedAt > RESOLVE_AGAIN_NANOS) {
            targets = resolve();
            resolvedAt = now;
            doubted = false;
        }
        return targets;
    }

    private List<Target> resolve() {
        try {
            InetAddress[] addresses = resolver.addresses(url.getHost());
            if (addresses.length > 1) {
                List<Target> found = new ArrayList<>();
                for (InetAddress address : addresses) {
                    found.add(Target.at(url, address));
                }
                return found;
            }
        } catch (UnknownHostException unresolved) {
            // The request to the plain URL reports it, in the same words as without balancing.
            return targets.isEmpty() ? List.of(Target.of(url)) : targets;
        }
        return List.of(Target.of(url));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has SHA-256", impossible);
        }
    }
}
