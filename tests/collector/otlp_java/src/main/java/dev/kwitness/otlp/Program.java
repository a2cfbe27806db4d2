package dev.kwitness.otlp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Services that count, measure and time what each line of the input says, and export it before they answer.
 *
 * <p>Arguments are the ports of gRPC and HTTP, the token, and the names of services. The program in Go obeys the same.
 */
public final class Program {
    private Program() {
    }

    /** Obeys until the input ends. */
    public static void main(String[] arguments) throws IOException {
        Endpoint endpoint = new Endpoint(arguments[0], arguments[1], arguments[2]);
        List<Service> services = Arrays.stream(arguments).skip(3).map(name -> new Service(name, endpoint)).toList();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                for (Service service : services) {
                    service.add(Integer.parseInt(line));
                }
                System.out.println("exported");
            }
        }
    }
}
