package dev.kwitness.interceptors.core;

import java.util.regex.Pattern;

/** What the registers say of one key, or of keys that begin alike. */
final class HeaderRule {
    /** A header's key, or how one begins. */
    static final Pattern TEXT = Pattern.compile("(?s).{1,128}");

    private static final int REMOVABLE =
        HeaderProblem.UNREGISTERED.bit() | HeaderProblem.WRONG_TYPE.bit() | HeaderProblem.TOO_LARGE.bit();
    private static final long MOST_BYTES = 1_048_576;

    final String name;
    final boolean registered;
    final HeaderPolicy policy;
    final boolean secret;
    final boolean required;
    /** In compact sets; null where it has none. */
    final Integer number;

    private final HeaderType type;
    private final long maxBytes;
    private final boolean deprecated;
    private final boolean testingId;

    /** That of keys that are not registered, or of those that are known without. */
    HeaderRule(String name, boolean registered, HeaderPolicy policy) {
        this.name = name;
        this.registered = registered;
        this.policy = policy;
        type = HeaderType.BYTES;
        secret = false;
        required = false;
        number = null;
        maxBytes = Long.MAX_VALUE;
        deprecated = false;
        testingId = false;
    }

    /** One entry of the settings; what it is called is in the field of this name. */
    HeaderRule(SettingsFields fields, String nameField) {
        boolean isKey = nameField.equals("name");
        registered = true;
        name = fields.text(nameField, TEXT);
        type = fields.choice("type", HeaderType.values(), null);
        secret = fields.choice("sensitivity", Sensitivity.values(), Sensitivity.Internal) == Sensitivity.Secret;
        policy = fields.choice("policy", HeaderPolicy.values(), HeaderPolicy.REPORT);
        Long most = fields.optionalNumber("max_bytes", 1, MOST_BYTES);
        maxBytes = most == null ? Long.MAX_VALUE : most;
        deprecated = fields.flag("deprecated", false);
        Long id = isKey ? fields.optionalNumber("id", 0, Integer.MAX_VALUE) : null;
        number = id == null ? null : id.intValue();
        required = isKey && fields.flag("required", false);
        testingId = isKey && fields.flag("testing_id", false);
        fields.refuseOthers();
    }

    /** The set of what is wrong with a header of this rule. */
    int problems(byte[] value) {
        int problems = registered ? 0 : HeaderProblem.UNREGISTERED.bit();
        if (!type.has(value)) {
            problems |= HeaderProblem.WRONG_TYPE.bit();
        }
        if (value != null && value.length > maxBytes) {
            problems |= HeaderProblem.TOO_LARGE.bit();
        }
        if (deprecated) {
            problems |= HeaderProblem.DEPRECATED.bit();
        }
        return testingId ? problems | HeaderProblem.TESTING_ID.bit() : problems;
    }

    /** Whether a producer removes a header with these problems. */
    boolean removes(int problems) {
        return policy == HeaderPolicy.DENY && (problems & REMOVABLE) != 0;
    }

    /** Who may see values. */
    private enum Sensitivity {
        Public,
        Internal,
        Secret
    }
}
