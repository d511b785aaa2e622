/** Why a partition is where it is, in words. */
package dev.muster.core.group.explain;
