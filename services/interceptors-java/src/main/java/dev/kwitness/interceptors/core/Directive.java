package dev.kwitness.interceptors.core;

/** What the collector said last of suspending; it counts until the settings that say so are in force. */
final class Directive {
    private volatile Verdicts said;

    /** An answer without a directive takes none back. */
    void follow(Verdicts answer) {
        if (answer.directiveSettings != null) {
            said = answer;
        }
    }

    /** Whether nothing is to be done now. */
    boolean suspends(Settings now) {
        Verdicts last = said;
        return last != null && !last.directiveSettings.equals(now.hash) ? last.directiveSuspends : now.suspend;
    }
}
