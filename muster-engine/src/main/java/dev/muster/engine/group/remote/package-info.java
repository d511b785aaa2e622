/** The group requests of the wire protocols, and what administrators ask of served groups. */
package dev.muster.engine.group.remote;
