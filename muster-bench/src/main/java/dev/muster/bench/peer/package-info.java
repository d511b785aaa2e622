/**
 * The compared queues behind one small interface, {@link dev.muster.bench.peer.Peer}. A peer is used as its own
 * documentation recommends, without special tuning.
 */
package dev.muster.bench.peer;
