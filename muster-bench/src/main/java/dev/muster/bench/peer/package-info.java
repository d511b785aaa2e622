/**
 * The queues that are compared, behind one small interface: {@link dev.muster.bench.peer.Peer}. A peer is used the way
 * its own documentation tells people to use it; nothing here is tuned for one of them.
 */
package dev.muster.bench.peer;
