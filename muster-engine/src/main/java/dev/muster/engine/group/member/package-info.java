/** A consumer in this process: joins, polls, releases, commits and leaves. */
package dev.muster.engine.group.member;
