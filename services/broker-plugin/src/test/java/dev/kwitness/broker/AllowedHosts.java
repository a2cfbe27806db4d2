package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * To which hosts a credential may be sent, as {@code kwitness.contracts.allowed_hosts} says it in Python.
 *
 * <p>Among the tests, because the plugin has no credential with such a list: its token is worth something to one
 * collector only. It shows that the rule can be told in Java, and is what the first Java program with a password takes.
 */
final class AllowedHosts {
    private static final Pattern ADDRESS = Pattern.compile(
        "(?:(?<name>(?:\\*\\.)?[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*)\\.?|\\[(?<ipv6>[0-9A-Fa-f:]+)\\])"
            + ":0*(?<port>[1-9][0-9]{0,4})");
    private static final Pattern GROUP = Pattern.compile("[0-9A-Fa-f]{1,4}");
    private static final Pattern BLANKS = Pattern.compile("^[ \t]+|[ \t]+$");
    private static final int GROUPS = 8;
    private static final int HIGHEST_PORT = 65_535;

    /** In canonical form. */
    final List<String> entries;

    private AllowedHosts(List<String> entries) {
        this.entries = entries;
    }

    /** @throws IllegalArgumentException if an entry is none of the three forms */
    static AllowedHosts parse(String text) {
        List<String> entries = new ArrayList<>();
        for (String piece : text.split("[,\r\n]")) {
            String entry = BLANKS.matcher(piece).replaceAll("");
            if (!entry.isEmpty()) {
                String canonical = canonicalEntry(entry);
                if (canonical == null) {
                    throw new IllegalArgumentException("an entry of hosts is none of host:port, [IPv6]:port and "
                        + "*.suffix:port");
                }
                entries.add(canonical);
            }
        }
        return new AllowedHosts(entries);
    }

    boolean allows(String address) {
        String wanted = canonicalAddress(address);
        return wanted != null && entries.stream().anyMatch(entry ->
            wanted.equals(entry) || entry.startsWith("*.") && wanted.endsWith(entry.substring(1)));
    }

    /**
     * Whether the list of a Secret and what the installation says of that Secret allow an address: null where there is
     * none, and one of them must be there.
     *
     * @throws IllegalArgumentException as {@link #parse}
     */
    static boolean allowed(String secret, String installation, String address) {
        List<AllowedHosts> lists = Stream.of(Optional.ofNullable(secret), Optional.ofNullable(installation))
            .flatMap(Optional::stream).map(AllowedHosts::parse).collect(Collectors.toList());
        return !lists.isEmpty() && lists.stream().allMatch(list -> list.allows(address));
    }

    /** The one spelling of an address, or null for any other text. */
    static String canonicalAddress(String address) {
        String entry = canonicalEntry(address);
        return entry == null || entry.startsWith("*.") ? null : entry;
    }

    private static String canonicalEntry(String text) {
        Matcher found = ADDRESS.matcher(text);
        if (!found.matches() || Integer.parseInt(found.group("port")) > HIGHEST_PORT) {
            return null;
        }
        if (found.group("ipv6") != null) {
            String host = canonicalIpv6(found.group("ipv6"));
            return host == null ? null : "[" + host + "]:" + found.group("port");
        }
        String name = found.group("name").toLowerCase(Locale.ROOT);
        if (name.startsWith("*.") && name.matches(".*\\.[0-9]+")) {
            return null;
        }
        return name + ":" + found.group("port");
    }

    private static String canonicalIpv6(String text) {
        int gap = text.indexOf("::");
        List<String> groups = new ArrayList<>(groups(gap < 0 ? text : text.substring(0, gap)));
        if (gap >= 0) {
            List<String> tail = groups(text.substring(gap + 2));
            int missing = GROUPS - groups.size() - tail.size();
            if (missing < 1) {
                return null;
            }
            groups.addAll(Collections.nCopies(missing, "0"));
            groups.addAll(tail);
        }
        if (groups.size() != GROUPS || !groups.stream().allMatch(group -> GROUP.matcher(group).matches())) {
            return null;
        }
        groups.replaceAll(group -> Integer.toHexString(Integer.parseInt(group, 16)));
        return String.join(":", groups);
    }

    private static List<String> groups(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(":", -1));
    }
}
