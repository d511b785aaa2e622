/** APIs about the server itself: the versions it serves, the login, and the one broker of the cluster. */
package dev.muster.kafka.api.cluster;
