/**
 * The implementation of the library's interfaces: codecs, checks and threads around the engine. It is not part of the
 * API: no application may name a type of this package, and module {@code dev.muster.embedded} does not export it.
 */
package dev.muster.embedded.internal;
