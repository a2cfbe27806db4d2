package dev.kwitness.interceptors.agent;

import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.util.Map;
import java.util.function.BiConsumer;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Ownership;
import net.bytebuddy.description.modifier.SyntheticState;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/** The byte code that the agent changes. */
final class Rewriting {
    private static final ElementMatcher.Junction<MethodDescription> OF_A_MAP =
        ElementMatchers.<MethodDescription>isConstructor().and(takesArguments(Map.class));
    /** As it has been since 3.7, whatever follows these. */
    private static final ElementMatcher.Junction<MethodDescription> APPEND =
        ElementMatchers.<MethodDescription>named("append").and(takesArgument(0, String.class))
            .and(takesArgument(1, int.class)).and(takesArgument(2, long.class))
            .and(takesArgument(3, byte[].class)).and(takesArgument(4, byte[].class));

    private Rewriting() {
    }

    /** A configuration whose constructor of a map appends interceptors first. */
    static byte[] appending(String name, byte[] bytes, ClassLoader loader) {
        ClassFileLocator locator = locator(name, bytes, loader);
        TypeDescription type = TypePool.Default.of(locator).describe(name).resolve();
        if (type.getDeclaredMethods().filter(OF_A_MAP).isEmpty()) {
            throw new IllegalStateException("it has no constructor of a map");
        }
        return byteBuddy().redefine(type, locator)
            .visit(Advice.to(ConfigurationAdvice.class).on(OF_A_MAP)).make().getBytes();
    }

    /** An accumulator that shows keys and values as they are appended; null where it appends in another way. */
    static byte[] showingRecords(String name, byte[] bytes, ClassLoader loader) {
        ClassFileLocator locator = locator(name, bytes, loader);
        TypeDescription type = TypePool.Default.of(locator).describe(name).resolve();
        if (type.getDeclaredMethods().filter(APPEND).isEmpty()) {
            return null;
        }
        return byteBuddy().redefine(type, locator)
            .defineField(
                AppendAdvice.FIELD, BiConsumer.class, Visibility.PUBLIC, Ownership.STATIC, FieldManifestation.VOLATILE,
                SyntheticState.SYNTHETIC)
            .visit(Advice.to(AppendAdvice.class).on(APPEND)).make().getBytes();
    }

    private static ByteBuddy byteBuddy() {
        // Methods of supertypes do not matter, and their class files need not be found.
        return new ByteBuddy().with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE);
    }

    private static ClassFileLocator locator(String name, byte[] bytes, ClassLoader loader) {
        return new ClassFileLocator.Compound(
            ClassFileLocator.Simple.of(name, bytes), ClassFileLocator.ForClassLoader.of(loader));
    }
}
