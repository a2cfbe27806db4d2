import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Reads lines of a pattern and values in base64; prints for each line E, or 1 or 0 for each value, as a broker matches. */
final class MatchLikeTheBroker {
    private MatchLikeTheBroker() {
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        StringBuilder output = new StringBuilder();
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] parts = line.split("\t", -1);
            try {
                Pattern pattern = Pattern.compile(decoded(parts[0]));
                for (int part = 1; part < parts.length; part++) {
                    output.append(pattern.matcher(decoded(parts[part])).matches() ? '1' : '0');
                }
            } catch (PatternSyntaxException refused) {
                output.append('E');
            }
            output.append('\n');
        }
        System.out.print(output);
    }

    private static String decoded(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }
}
