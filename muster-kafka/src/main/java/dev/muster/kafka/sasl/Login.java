package dev.muster.kafka.sasl;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * The login of one connection, which decides what the client may ask for. The thread that reads the connection changes
 * it; other threads may read it.
 */
public final class Login {
    private final Authenticator gate;
    private final LongSupplier nanoTime;
    private volatile State state;
    private volatile long begunNanos;

    private sealed interface State {
        /** The server has no logins. */
        record Free() implements State {}

        /** The client has not begun to log in. */
        record Outside() implements State {}

        /**
         * Tokens are being exchanged.
         *
         * @param bare true if they come without a request around them, as after a handshake of version 0
         * @param before the user until now, if this is a second login
         */
        record Between(Mechanism mechanism, Exchange exchange, boolean bare, Optional<Inside> before)
                implements State {}

        /** The client has logged in. */
        record Inside(Mechanism mechanism, String user, long sinceNanos) implements State {}

        /** The login failed; the connection must be closed. */
        record Refused(String why) implements State {}
    }

    Login(Authenticator gate, LongSupplier nanoTime) {
        this.gate = gate;
        this.nanoTime = nanoTime;
        this.state = gate.config().isOn() ? new State.Outside() : new State.Free();
        this.begunNanos = nanoTime.getAsLong();
    }

    /** True if the client has logged in, or need not. */
    public boolean isDone() {
        return state instanceof State.Free || state instanceof State.Inside;
    }

    /** True if the client takes too long to log in. */
    public boolean isLate() {
        return !isDone()
                && nanoTime.getAsLong() - begunNanos > gate.config().patience().toNanos();
    }

    /** The reason to close the connection after the pending responses. For our log only. */
    public Optional<String> refusal() {
        return state instanceof State.Refused(String why) ? Optional.of(why) : Optional.empty();
    }

    /** The delay of the response to a failed login. */
    public Duration failureDelay() {
        return gate.config().failureDelay();
    }

    /** The largest frame that the client may send now, given the limit for clients that have logged in. */
    public int frameBytesMax(int allowed) {
        return isDone() ? allowed : Math.min(allowed, gate.config().frameBytesMax());
    }

    /** True if the next frame is a token and not a request. */
    public boolean expectsBareToken() {
        return state instanceof State.Between between && between.bare();
    }

    /** True if a request of this API is answered now. */
    public boolean admits(ApiKeys api) {
        return switch (state) {
            case State.Free _ -> true;
            case State.Inside inside -> api == ApiKeys.SASL_HANDSHAKE || !hasExpired(inside);
            case State.Outside _, State.Between _ ->
                api == ApiKeys.API_VERSIONS || api == ApiKeys.SASL_HANDSHAKE || api == ApiKeys.SASL_AUTHENTICATE;
            case State.Refused _ -> false;
        };
    }

    private boolean hasExpired(State.Inside inside) {
        long max = gate.config().sessionMax().toNanos();
        return max > 0 && nanoTime.getAsLong() - inside.sinceNanos() > max;
    }

    /** Handles the handshake, in which the client names its mechanism. */
    public SaslHandshakeResponseData shakeHands(String mechanism, short version) {
        SaslHandshakeResponseData response = new SaslHandshakeResponseData().setMechanisms(gate.mechanisms());
        Optional<State.Inside> before = state instanceof State.Inside inside ? Optional.of(inside) : Optional.empty();
        // As with Kafka, a client logs in again only if sessions have an end.
        boolean again = before.isPresent() && gate.config().sessionMax().isPositive() && version > 0;
        if (isDone() && !again) {
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code());
        }
        if (!(state instanceof State.Outside) && !again) {
            refuse("a second handshake");
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code());
        }
        Optional<Mechanism> known = Mechanism.find(mechanism);
        Optional<Exchange> exchange = known.flatMap(gate::begin);
        if (exchange.isEmpty()) {
            refuse("a mechanism that is not enabled");
            return response.setErrorCode(Errors.UNSUPPORTED_SASL_MECHANISM.code());
        }
        begunNanos = nanoTime.getAsLong();
        state = new State.Between(known.get(), exchange.get(), version == 0, before);
        return response;
    }

    /** The client's next token, in a request. */
    public SaslAuthenticateResponseData authenticate(byte[] token) {
        SaslAuthenticateResponseData response = new SaslAuthenticateResponseData();
        if (isDone()) {
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code())
                    .setErrorMessage("a token arrived, and no login is in progress");
        }
        if (!(state instanceof State.Between between) || between.bare()) {
            refuse("a token before the handshake");
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code())
                    .setErrorMessage("a token arrived before the handshake");
        }
        try {
            response.setAuthBytes(answer(between, token));
            return isDone()
                    ? response.setSessionLifetimeMs(gate.config().sessionMax().toMillis())
                    : response;
        } catch (LoginRefusedException e) {
            refuse(between.mechanism().wireName() + ": " + e.getMessage());
            return response.setErrorCode(Errors.SASL_AUTHENTICATION_FAILED.code())
                    .setErrorMessage("Authentication failed: invalid credentials with SASL mechanism "
                            + between.mechanism().wireName());
        }
    }

    /** Takes the client's next token, without a request around it. Empty if it is refused; then nothing is sent. */
    public Optional<byte[]> bareToken(byte[] token) {
        State.Between between = (State.Between) state;
        try {
            return Optional.of(answer(between, token));
        } catch (LoginRefusedException e) {
            refuse(between.mechanism().wireName() + ": " + e.getMessage());
            return Optional.empty();
        }
    }

    private byte[] answer(State.Between between, byte[] token) throws LoginRefusedException {
        byte[] answer = between.exchange().answer(token);
        Optional<String> user = between.exchange().user();
        if (user.isPresent()) {
            State.Inside inside = new State.Inside(between.mechanism(), user.get(), nanoTime.getAsLong());
            if (between.before().isPresent() && !isSame(between.before().get(), inside)) {
                throw new LoginRefusedException("the client logged in again as another user, or by another mechanism");
            }
            state = inside;
        }
        return answer;
    }

    private static boolean isSame(State.Inside one, State.Inside other) {
        return one.user().equals(other.user()) && one.mechanism() == other.mechanism();
    }

    private void refuse(String why) {
        state = new State.Refused(why);
    }
}
