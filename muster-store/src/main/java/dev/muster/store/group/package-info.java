/**
 * The contract of a store for groups: a journal for each group, and the knowledge of which processes live.
 *
 * <p>Start at {@link dev.muster.store.group.GroupStore}. The one rule: this contract has no locks. A line counts
 * because it has the next version, so a late process with an old version changes nothing.
 */
package dev.muster.store.group;
