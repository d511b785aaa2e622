/** One group as this process knows it: the state replayed from the journal, and proposals that append to it. */
package dev.muster.engine.group.replica;
