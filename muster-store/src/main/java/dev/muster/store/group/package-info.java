/**
 * What a store promises to groups: a journal for each, and a word about which processes live.
 *
 * <p>Start at {@link dev.muster.store.group.GroupStore}. The one rule: no lock is in this contract. An entry counts
 * because of its version at its place, so whoever comes late with an old one changes nothing.
 */
package dev.muster.store.group;
