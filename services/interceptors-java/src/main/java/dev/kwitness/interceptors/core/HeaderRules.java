package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The registers of a profile in one. */
final class HeaderRules {
    /** Keys that begin so are kwitness' own; a register may say more of them. */
    private static final String OWN = "kwitness.";

    /** In the order of the settings. */
    final List<HeaderRule> required = new ArrayList<>();
    final HeaderWarnings warnings = new HeaderWarnings();

    private final Map<String, HeaderRule> keys = new HashMap<>();
    private final Map<String, HeaderRule> prefixes = new HashMap<>();
    /** Those of keys, by their number in compact sets. */
    private final Map<Integer, HeaderRule> numbers = new HashMap<>();
    /** Those of prefixes, the longest first. */
    private final Set<Integer> lengths = new TreeSet<>(Collections.reverseOrder());
    private final HeaderRule others;
    private final Set<String> valuesOf;

    /** By those of the settings; where there are none no key is registered. */
    HeaderRules(SettingsFields fields) {
        HeaderPolicy unregistered = HeaderPolicy.REPORT;
        valuesOf = new HashSet<>();
        if (fields != null) {
            for (SettingsFields one : fields.objects("keys", 4_096)) {
                HeaderRule rule = new HeaderRule(one, "name");
                keys.putIfAbsent(rule.name, rule);
                if (keys.get(rule.name) != rule) {
                    continue;
                }
                if (rule.required) {
                    required.add(rule);
                }
                if (rule.number != null) {
                    numbers.putIfAbsent(rule.number, rule);
                }
            }
            for (SettingsFields one : fields.objects("prefixes", 1_024)) {
                HeaderRule rule = new HeaderRule(one, "prefix");
                prefixes.putIfAbsent(rule.name, rule);
            }
            unregistered = fields.choice("unregistered", HeaderPolicy.values(), HeaderPolicy.REPORT);
            valuesOf.addAll(fields.texts("values_of", 16, HeaderRule.TEXT));
            fields.refuseOthers();
        }
        if (readsSets() && !hasPrefixOfSet()) {
            // What cannot be read may be anything.
            keys.putIfAbsent(
                HeaderSetReader.HEADER, new HeaderRule(HeaderSetReader.HEADER, true, unregistered));
        }
        prefixes.putIfAbsent(OWN, new HeaderRule(OWN, true, HeaderPolicy.REPORT));
        prefixes.keySet().forEach(one -> lengths.add(one.length()));
        others = new HeaderRule("", false, unregistered);
    }

    /** What holds for a key. */
    HeaderRule of(String key) {
        HeaderRule found = keys.get(key);
        if (found != null) {
            return found;
        }
        for (int length : lengths) {
            found = length > key.length() ? null : prefixes.get(key.substring(0, length));
            if (found != null) {
                return found;
            }
        }
        return others;
    }

    /** True if keys have numbers, so that keys of compact sets are evaluated. */
    boolean readsSets() {
        return !numbers.isEmpty();
    }

    /** The rule for a number of a compact set; a prefix is no number's. */
    HeaderRule ofNumber(int number) {
        return numbers.getOrDefault(number, others);
    }

    /** The name of a number of a compact set. */
    String name(int number) {
        HeaderRule rule = numbers.get(number);
        return rule == null ? "#" + number : rule.name;
    }

    private boolean hasPrefixOfSet() {
        for (String prefix : prefixes.keySet()) {
            if (prefix.length() >= OWN.length() && HeaderSetReader.HEADER.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** Whether values of a key are counted. */
    boolean countsValues(String key, HeaderRule rule) {
        return !valuesOf.isEmpty() && rule.registered && !rule.secret && valuesOf.contains(key);
    }
}
