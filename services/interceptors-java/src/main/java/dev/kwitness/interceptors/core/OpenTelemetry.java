package dev.kwitness.interceptors.core;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * The application's own OpenTelemetry, found by its API: which span is active, and spans of records that are sent.
 *
 * <p>Nothing of it is ours, so all of it is called by reflection. Whatever it throws is as if it were not there.
 */
public final class OpenTelemetry {
    private static final String SCOPE = "dev.kwitness.interceptors";

    private final Api api;

    private OpenTelemetry(Api api) {
        this.api = api;
    }

    /** That of the first of these loaders that has one; null where none has. */
    public static OpenTelemetry of(ClassLoader... loaders) {
        for (ClassLoader loader : loaders) {
            try {
                return new OpenTelemetry(new Api(loader));
            } catch (ReflectiveOperationException | RuntimeException | LinkageError without) {
                continue;
            }
        }
        return null;
    }

    /** The active span; null where there is none. */
    public Traceparent active() {
        try {
            return said(api.currentSpan.invoke(null));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError unknown) {
            return null;
        }
    }

    /**
     * Have the application's tracer make a span of sending a record.
     *
     * @param parent the span that it follows; null where that is the active one, or there is none
     * @return null where the application has no tracer
     */
    public Traceparent sends(String topic, Traceparent parent) {
        try {
            if (!api.isSet()) {
                return null;
            }
            Object builder = api.spanBuilder.invoke(api.getTracer.invoke(null, SCOPE), "send " + topic);
            api.setSpanKind.invoke(builder, api.producer);
            if (parent != null) {
                api.setParent.invoke(builder, following(parent));
            }
            api.setAttribute.invoke(builder, "messaging.system", "kafka");
            api.setAttribute.invoke(builder, "messaging.operation.type", "send");
            api.setAttribute.invoke(builder, "messaging.destination.name", topic);
            Object span = api.startSpan.invoke(builder);
            api.end.invoke(span);
            return said(span);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError unknown) {
            return null;
        }
    }

    private Object following(Traceparent parent) throws ReflectiveOperationException {
        Object flags = (parent.sampled ? api.sampled : api.notSampled).invoke(null);
        Object context = api.createFromRemoteParent.invoke(
            null, parent.traceId, parent.parentId, flags, api.noState.invoke(null));
        return api.with.invoke(api.root.invoke(null), api.wrap.invoke(null, context));
    }

    /** What a span says of itself; null where it is none. */
    private Traceparent said(Object span) throws ReflectiveOperationException {
        Object context = api.getSpanContext.invoke(span);
        return (Boolean) api.isValid.invoke(context)
            ? new Traceparent(
                (String) api.getTraceId.invoke(context), (String) api.getSpanId.invoke(context),
                (Boolean) api.isSampled.invoke(context))
            : null;
    }

    /** Methods of the API as they are since 1.0. */
    private static final class Api {
        final Method currentSpan;
        final Method getSpanContext;
        final Method end;
        final Method wrap;
        final Method isValid;
        final Method getTraceId;
        final Method getSpanId;
        final Method isSampled;
        final Method createFromRemoteParent;
        final Method getTracer;
        final Method spanBuilder;
        final Method setSpanKind;
        final Method setParent;
        final Method setAttribute;
        final Method startSpan;
        final Method sampled;
        final Method notSampled;
        final Method noState;
        final Method root;
        final Method with;
        final Object producer;

        /** Of a newer API; of an older one the field that it would look at. Without both there are no spans. */
        private final Method isSet;
        private final Field set;

        Api(ClassLoader loader) throws ReflectiveOperationException {
            Class<?> global = named(loader, "api.GlobalOpenTelemetry");
            isSet = isSet(global);
            set = set(global);
            getTracer = global.getMethod("getTracer", String.class);
            spanBuilder = named(loader, "api.trace.Tracer").getMethod("spanBuilder", String.class);
            Class<?> span = named(loader, "api.trace.Span");
            Class<?> spanContext = named(loader, "api.trace.SpanContext");
            currentSpan = span.getMethod("current");
            getSpanContext = span.getMethod("getSpanContext");
            end = span.getMethod("end");
            wrap = span.getMethod("wrap", spanContext);
            isValid = spanContext.getMethod("isValid");
            getTraceId = spanContext.getMethod("getTraceId");
            getSpanId = spanContext.getMethod("getSpanId");
            isSampled = spanContext.getMethod("isSampled");
            Class<?> flags = named(loader, "api.trace.TraceFlags");
            sampled = flags.getMethod("getSampled");
            notSampled = flags.getMethod("getDefault");
            Class<?> state = named(loader, "api.trace.TraceState");
            noState = state.getMethod("getDefault");
            createFromRemoteParent =
                spanContext.getMethod("createFromRemoteParent", String.class, String.class, flags, state);
            Class<?> context = named(loader, "context.Context");
            root = context.getMethod("root");
            with = context.getMethod("with", named(loader, "context.ImplicitContextKeyed"));
            Class<?> builder = named(loader, "api.trace.SpanBuilder");
            Class<?> kind = named(loader, "api.trace.SpanKind");
            producer = kind.getField("PRODUCER").get(null);
            setSpanKind = builder.getMethod("setSpanKind", kind);
            setParent = builder.getMethod("setParent", context);
            setAttribute = builder.getMethod("setAttribute", String.class, String.class);
            startSpan = builder.getMethod("startSpan");
        }

        /**
         * Whether the application has set its own. To ask for it would set one that does nothing, and the application
         * could not set its own any more.
         */
        boolean isSet() throws ReflectiveOperationException {
            return isSet == null ? set != null && set.get(null) != null : (Boolean) isSet.invoke(null);
        }

        private static Field set(Class<?> global) {
            try {
                Field field = global.getDeclaredField("globalOpenTelemetry");
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException | RuntimeException hidden) {
                return null;
            }
        }

        private static Method isSet(Class<?> global) {
            try {
                return global.getMethod("isSet");
            } catch (NoSuchMethodException older) {
                return null;
            }
        }

        private static Class<?> named(ClassLoader loader, String name) throws ClassNotFoundException {
            return Class.forName("io.opentelemetry." + name, false, loader);
        }
    }
}
