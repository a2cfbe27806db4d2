package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RouteTest {
    private static final URI URL = URI.create("https://collector.test:8443/base");

    @Test
    void withoutBalancingABatchGoesToTheUrlWhole() {
        List<Push> batch = List.of(TestPushes.push("a", 1), TestPushes.push("b", 1));
        Map<Target, List<Push>> parts = new Route(URL, false).split(batch);
        assertEquals(Map.of(Target.of(URL), batch), parts);
    }

    @Test
    void anAddressKeepsSchemePortAndPath() throws UnknownHostException {
        assertEquals("https://10.0.0.1:8443/base", target(1).base());
        InetAddress six = InetAddress.getByName("fd00::1");
        assertEquals("https://[fd00:0:0:0:0:0:0:1]:8443/base", Target.at(URL, six).base());
    }

    @Test
    void aClientStaysWhereItIsWhenAnotherTargetGoes() throws UnknownHostException {
        List<Target> three = List.of(target(1), target(2), target(3));
        List<Target> two = List.of(target(1), target(2));
        int[] shares = new int[3];
        for (int i = 0; i < 3_000; i++) {
            Target before = Route.owner("client-" + i, three);
            shares[three.indexOf(before)]++;
            if (!before.equals(target(3))) {
                assertEquals(before, Route.owner("client-" + i, two));
            }
        }
        for (int share : shares) {
            assertTrue(share > 850 && share < 1_150, "a share of " + share + " of 3000");
        }
    }

    @Test
    void theOrderOfAddressesDoesNotMatter() throws UnknownHostException {
        List<Target> targets = new ArrayList<>(List.of(target(1), target(2), target(3)));
        Target owner = Route.owner("client", targets);
        java.util.Collections.reverse(targets);
        assertEquals(owner, Route.owner("client", targets));
    }

    private static Target target(int last) throws UnknownHostException {
        return Target.at(URL, InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last}));
    }
}
