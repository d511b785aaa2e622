/**
 * The implementation of the library's interfaces: codecs, checks and threads around the engine. It is not part of the
 * API: an application names no type of this package.
 */
package dev.muster.embedded.internal;
