package dev.kwitness.interceptors.core;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How many different keys there are: HyperLogLog as Apache DataSketches has it, HLL_8 with 4,096 registers.
 *
 * <p>Its image is marked as out of order, so that readers estimate from the registers alone. The hash is MurmurHash3
 * (x64, 128 bit) with DataSketches' seed. Not safe for several threads.
 */
final class DistinctKeys {
    static final int LG_REGISTERS = 12;
    static final int REGISTERS = 1 << LG_REGISTERS;
    /** Length of an image: the preamble, then a byte for each register. */
    static final int IMAGE_BYTES = 40 + REGISTERS;

    private static final long SEED = 9001;
    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;
    private static final int MOST_LEADING = 62;
    /** Registers from this value on are summed up apart, so that neither sum loses digits. */
    private static final int FIRST_OF_SECOND = 32;
    /** Ten ints of preamble, serial version 1, family HLL, lgK, no list, out of order, minimum 0, HLL of type HLL_8. */
    private static final byte[] HEAD = {10, 1, 7, LG_REGISTERS, 0, 0b10000, 0, 0b1010};
    /** Above this the raw estimate alone is good; below, empty registers tell more. */
    private static final double LARGE = 3.0 * REGISTERS;

    private final byte[] registers = new byte[REGISTERS];
    private long firstHalf;
    private long secondHalf;

    /** Count a key; an empty one counts nothing, as DataSketches has it. */
    void add(byte[] key) {
        if (key.length == 0) {
            return;
        }
        hash(key);
        int slot = (int) firstHalf & REGISTERS - 1;
        int value = Math.min(Long.numberOfLeadingZeros(secondHalf), MOST_LEADING) + 1;
        if (value > registers[slot]) {
            registers[slot] = (byte) value;
        }
    }

    /** Count the keys of another. */
    void merge(DistinctKeys other) {
        for (int slot = 0; slot < REGISTERS; slot++) {
            registers[slot] = (byte) Math.max(registers[slot], other.registers[slot]);
        }
    }

    /** What DataSketches' libraries read. */
    byte[] image() {
        double[] sums = sums();
        return ByteBuffer.allocate(IMAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN)
            .put(HEAD).putDouble(0).putDouble(sums[0]).putDouble(sums[1]).putInt(empty()).putInt(0).put(registers)
            .array();
    }

    /** About how many: by Flajolet's formula, or by the number of empty registers while that is the better one. */
    long estimate() {
        double[] sums = sums();
        double raw = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / (sums[0] + sums[1]);
        int empty = empty();
        if (empty > 0 && raw <= LARGE) {
            return Math.round(REGISTERS * Math.log((double) REGISTERS / empty));
        }
        return Math.round(raw);
    }

    private double[] sums() {
        // Exact in any order: powers of two within 53 bits of each other.
        double[] sums = new double[2];
        for (byte value : registers) {
            sums[value < FIRST_OF_SECOND ? 0 : 1] += Math.scalb(1.0, -value);
        }
        return sums;
    }

    private int empty() {
        int empty = 0;
        for (byte value : registers) {
            empty += value == 0 ? 1 : 0;
        }
        return empty;
    }

    private void hash(byte[] key) {
        long first = SEED;
        long second = SEED;
        ByteBuffer bytes = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.remaining() >= 2 * Long.BYTES) {
            first ^= Long.rotateLeft(bytes.getLong() * C1, 31) * C2;
            first = (Long.rotateLeft(first, 27) + second) * 5 + 0x52dce729L;
            second ^= Long.rotateLeft(bytes.getLong() * C2, 33) * C1;
            second = (Long.rotateLeft(second, 31) + first) * 5 + 0x38495ab5L;
        }
        long low = rest(bytes);
        long high = rest(bytes);
        second ^= Long.rotateLeft(high * C2, 33) * C1;
        first ^= Long.rotateLeft(low * C1, 31) * C2;
        first ^= key.length;
        second ^= key.length;
        first += second;
        second += first;
        first = mix(first);
        second = mix(second);
        firstHalf = first + second;
        secondHalf = second + firstHalf;
    }

    /** Up to eight bytes, the first one lowest. */
    private static long rest(ByteBuffer bytes) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE && bytes.hasRemaining(); shift += Byte.SIZE) {
            value |= (bytes.get() & 0xffL) << shift;
        }
        return value;
    }

    private static long mix(long bits) {
        long value = (bits ^ bits >>> 33) * 0xff51afd7ed558ccdL;
        value = (value ^ value >>> 33) * 0xc4ceb9fe1a85ec53L;
        return value ^ value >>> 33;
    }
}
