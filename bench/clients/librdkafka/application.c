/*
 * An application of librdkafka that writes and reads as fast as it can, with the plugin or without.
 *
 * The plugin takes librdkafka's functions from whoever calls its conf_init, so this library has all of them and hands
 * them on: the hooks that the plugin adds are called here, once for a record as librdkafka does, or many times in a loop
 * on the record that librdkafka has just handed over, with other keys and offsets, which is timed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS = 10000, KEY_BYTES = 16, LOOP = 500, ASSIGNED_BY_CLIENT = -1, FROM_THE_BEGINNING = -2, COPY = 2, QUEUE_FULL = -184 };

/* rd_kafka_message_t. */
typedef struct {
    int err;
    void *topic;
    int32_t partition;
    void *payload;
    size_t len;
    void *key;
    size_t key_len;
    int64_t offset;
    void *private;
} message_t;

typedef int on_message_t(void *handle, message_t *message, void *opaque);

#define FUNCTION(type, name, parameters) static type(*real_##name) parameters
#define HANDED_ON(type, name, parameters, arguments) \
    FUNCTION(type, name, parameters);                \
    type name parameters { return real_##name arguments; }
#define ADDED(name) HANDED_ON(int, name, (void *to, const char *by, void *hook, void *opaque), (to, by, hook, opaque))

ADDED(rd_kafka_conf_interceptor_add_on_new)
ADDED(rd_kafka_conf_interceptor_add_on_conf_set)
ADDED(rd_kafka_conf_interceptor_add_on_conf_destroy)
ADDED(rd_kafka_interceptor_add_on_destroy)
ADDED(rd_kafka_interceptor_add_on_commit)
HANDED_ON(int, rd_kafka_conf_get, (const void *conf, const char *name, char *value, size_t *size), (conf, name, value, size))
HANDED_ON(int, rd_kafka_conf_set, (void *conf, const char *name, const char *value, char *error, size_t size), (conf, name, value, error, size))
HANDED_ON(void, rd_kafka_conf_set_stats_cb, (void *conf, void *callback), (conf, callback))
HANDED_ON(int, rd_kafka_type, (const void *handle), (handle))
HANDED_ON(int, rd_kafka_outq_len, (void *handle), (handle))
HANDED_ON(const char *, rd_kafka_topic_name, (const void *topic), (topic))
HANDED_ON(int64_t, rd_kafka_message_timestamp, (const void *message, int *kind), (message, kind))
HANDED_ON(int64_t, rd_kafka_message_latency, (const void *message), (message))
HANDED_ON(int, rd_kafka_message_status, (const void *message), (message))
HANDED_ON(const char *, rd_kafka_err2name, (int code), (code))
FUNCTION(int, rd_kafka_interceptor_add_on_send, (void *, const char *, on_message_t *, void *));
FUNCTION(int, rd_kafka_interceptor_add_on_acknowledgement, (void *, const char *, on_message_t *, void *));
FUNCTION(int, rd_kafka_interceptor_add_on_consume, (void *, const char *, on_message_t *, void *));
FUNCTION(void *, rd_kafka_conf_new, (void));
FUNCTION(void, rd_kafka_conf_set_dr_msg_cb, (void *, void *));
FUNCTION(void *, rd_kafka_new, (int, void *, char *, size_t));
FUNCTION(void, rd_kafka_destroy, (void *));
FUNCTION(void *, rd_kafka_topic_new, (void *, const char *, void *));
FUNCTION(void, rd_kafka_topic_destroy, (void *));
FUNCTION(int, rd_kafka_produce, (void *, int32_t, int, void *, size_t, const void *, size_t, void *));
FUNCTION(int, rd_kafka_last_error, (void));
FUNCTION(int, rd_kafka_poll, (void *, int));
FUNCTION(int, rd_kafka_flush, (void *, int));
FUNCTION(int, rd_kafka_poll_set_consumer, (void *));
FUNCTION(void *, rd_kafka_topic_partition_list_new, (int));
FUNCTION(void *, rd_kafka_topic_partition_list_add, (void *, const char *, int32_t));
FUNCTION(int, rd_kafka_topic_partition_list_set_offset, (void *, const char *, int32_t, int64_t));
FUNCTION(void, rd_kafka_topic_partition_list_destroy, (void *));
FUNCTION(int, rd_kafka_assign, (void *, void *));
FUNCTION(message_t *, rd_kafka_consumer_poll, (void *, int));
FUNCTION(void, rd_kafka_message_destroy, (message_t *));
FUNCTION(int, rd_kafka_consumer_close, (void *));

typedef struct {
    on_message_t *call;
    void *opaque;
    int64_t offset;
    uint64_t took_ns;
} hook_t;

static hook_t on_send, on_acknowledgement, on_consume;
static int times = 1;
static char keys[KEYS][KEY_BYTES + 1];
static void *producer, *consumer;

static uint64_t thread_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int called(void *handle, message_t *message, void *opaque) {
    hook_t *hook = opaque;
    if (__atomic_load_n(&times, __ATOMIC_RELAXED) == 1) return hook->call(handle, message, hook->opaque);
    message_t before = *message;
    /* Of a partition that has no other records: one offset after the other. */
    message->partition = before.partition < 0 ? before.partition : before.partition + 1;
    uint64_t began = thread_ns();
    for (int number = 0; number < LOOP; number++) {
        message->key = keys[hook->offset % KEYS];
        message->offset = hook->offset++;
        hook->call(handle, message, hook->opaque);
    }
    hook->took_ns += thread_ns() - began;
    *message = before;
    return 0;
}

static void keep(hook_t *hook, on_message_t *call, void *opaque) {
    hook->call = call;
    hook->opaque = opaque;
}

int rd_kafka_interceptor_add_on_send(void *handle, const char *by, on_message_t *hook, void *opaque) {
    keep(&on_send, hook, opaque);
    return real_rd_kafka_interceptor_add_on_send(handle, by, called, &on_send);
}

int rd_kafka_interceptor_add_on_acknowledgement(void *handle, const char *by, on_message_t *hook, void *opaque) {
    keep(&on_acknowledgement, hook, opaque);
    return real_rd_kafka_interceptor_add_on_acknowledgement(handle, by, called, &on_acknowledgement);
}

int rd_kafka_interceptor_add_on_consume(void *handle, const char *by, on_message_t *hook, void *opaque) {
    keep(&on_consume, hook, opaque);
    return real_rd_kafka_interceptor_add_on_consume(handle, by, called, &on_consume);
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) fail(name, dlerror());
    return found;
}

static void look_up(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(path, dlerror());
#define FOUND(name) *(void **)&real_##name = symbol(library, #name)
    FOUND(rd_kafka_conf_interceptor_add_on_new);
    FOUND(rd_kafka_conf_interceptor_add_on_conf_set);
    FOUND(rd_kafka_conf_interceptor_add_on_conf_destroy);
    FOUND(rd_kafka_interceptor_add_on_destroy);
    FOUND(rd_kafka_interceptor_add_on_commit);
    FOUND(rd_kafka_interceptor_add_on_send);
    FOUND(rd_kafka_interceptor_add_on_acknowledgement);
    FOUND(rd_kafka_interceptor_add_on_consume);
    FOUND(rd_kafka_conf_get);
    FOUND(rd_kafka_conf_set);
    FOUND(rd_kafka_conf_set_stats_cb);
    FOUND(rd_kafka_conf_set_dr_msg_cb);
    FOUND(rd_kafka_conf_new);
    FOUND(rd_kafka_type);
    FOUND(rd_kafka_outq_len);
    FOUND(rd_kafka_topic_name);
    FOUND(rd_kafka_message_timestamp);
    FOUND(rd_kafka_message_latency);
    FOUND(rd_kafka_message_status);
    FOUND(rd_kafka_err2name);
    FOUND(rd_kafka_new);
    FOUND(rd_kafka_destroy);
    FOUND(rd_kafka_topic_new);
    FOUND(rd_kafka_topic_destroy);
    FOUND(rd_kafka_produce);
    FOUND(rd_kafka_last_error);
    FOUND(rd_kafka_poll);
    FOUND(rd_kafka_flush);
    FOUND(rd_kafka_poll_set_consumer);
    FOUND(rd_kafka_topic_partition_list_new);
    FOUND(rd_kafka_topic_partition_list_add);
    FOUND(rd_kafka_topic_partition_list_set_offset);
    FOUND(rd_kafka_topic_partition_list_destroy);
    FOUND(rd_kafka_assign);
    FOUND(rd_kafka_consumer_poll);
    FOUND(rd_kafka_message_destroy);
    FOUND(rd_kafka_consumer_close);
}

static void delivered(void *handle, const message_t *message, void *opaque) {
    (void)handle;
    (void)opaque;
    if (message->err) fail("delivery", real_rd_kafka_err2name(message->err));
}

static void *client(int kind, const char *bootstrap, const char *plugin) {
    char error[512] = "";
    void *conf = real_rd_kafka_conf_new();
    real_rd_kafka_conf_set(conf, "bootstrap.servers", bootstrap, error, sizeof error);
    real_rd_kafka_conf_set(conf, "client.id", "bench", error, sizeof error);
    if (kind) {
        real_rd_kafka_conf_set(conf, "group.id", "bench", error, sizeof error);
        real_rd_kafka_conf_set(conf, "enable.auto.commit", "false", error, sizeof error);
    } else {
        real_rd_kafka_conf_set_dr_msg_cb(conf, delivered);
    }
    if (*plugin) {
        void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL), *opaque = NULL;
        if (!library) fail(plugin, dlerror());
        int (*conf_init)(void *, void **, char *, size_t) = symbol(library, "conf_init");
        if (conf_init(conf, &opaque, error, sizeof error)) fail("conf_init", error);
    }
    void *made = real_rd_kafka_new(kind, conf, error, sizeof error);
    if (!made) fail("rd_kafka_new", error);
    return made;
}

/* Make both clients; with an empty path of the plugin they have no interceptors. */
void begin(const char *library, const char *plugin, const char *bootstrap) {
    look_up(library);
    for (int number = 0; number < KEYS; number++) snprintf(keys[number], sizeof keys[number], "customer-%07d", number);
    producer = client(0, bootstrap, plugin);
    consumer = client(1, bootstrap, plugin);
    real_rd_kafka_poll_set_consumer(consumer);
}

/* Send so many records to a topic, with a callback for each. */
void produce(const char *topic, int records, int value_bytes) {
    void *to = real_rd_kafka_topic_new(producer, topic, NULL);
    char *value = calloc(1, (size_t)value_bytes);
    for (int number = 0; number < records; number++) {
        while (real_rd_kafka_produce(to, ASSIGNED_BY_CLIENT, COPY, value, (size_t)value_bytes, keys[number % KEYS], KEY_BYTES, NULL)) {
            if (real_rd_kafka_last_error() != QUEUE_FULL) fail("produce", real_rd_kafka_err2name(real_rd_kafka_last_error()));
            real_rd_kafka_poll(producer, 10);
        }
        real_rd_kafka_poll(producer, 0);
    }
    while (real_rd_kafka_flush(producer, 1000)) continue;
    free(value);
    real_rd_kafka_topic_destroy(to);
}

/* Read so many records of a topic from its beginning, one by one. */
void consume(const char *topic, int records) {
    void *places = real_rd_kafka_topic_partition_list_new(1);
    real_rd_kafka_topic_partition_list_add(places, topic, 0);
    real_rd_kafka_topic_partition_list_set_offset(places, topic, 0, FROM_THE_BEGINNING);
    real_rd_kafka_assign(consumer, places);
    real_rd_kafka_topic_partition_list_destroy(places);
    for (int read = 0; read < records;) {
        message_t *message = real_rd_kafka_consumer_poll(consumer, 1000);
        if (!message) continue;
        read += !message->err;
        real_rd_kafka_message_destroy(message);
    }
    real_rd_kafka_assign(consumer, NULL);
}

/* The nanoseconds that hooks take for so many records that are sent and acknowledged. */
uint64_t produce_hooks(const char *topic, int records, int value_bytes) {
    uint64_t before = on_send.took_ns + on_acknowledgement.took_ns;
    __atomic_store_n(&times, LOOP, __ATOMIC_SEQ_CST);
    produce(topic, records / LOOP, value_bytes);
    __atomic_store_n(&times, 1, __ATOMIC_SEQ_CST);
    return on_send.took_ns + on_acknowledgement.took_ns - before;
}

/* The nanoseconds that hooks take for so many records that are read. */
uint64_t consume_hooks(const char *topic, int records) {
    uint64_t before = on_consume.took_ns;
    __atomic_store_n(&times, LOOP, __ATOMIC_SEQ_CST);
    consume(topic, records / LOOP);
    __atomic_store_n(&times, 1, __ATOMIC_SEQ_CST);
    return on_consume.took_ns - before;
}

/* Give both clients back. */
void end(void) {
    real_rd_kafka_consumer_close(consumer);
    real_rd_kafka_destroy(consumer);
    real_rd_kafka_destroy(producer);
}
