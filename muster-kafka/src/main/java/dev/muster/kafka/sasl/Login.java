package dev.muster.kafka.sasl;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * What one connection may ask for, by what is known of its client. The thread that reads the connection changes it;
 * others may look.
 */
public final class Login {
    private final Authenticator gate;
    private final LongSupplier nanoTime;
    private volatile State state;
    private volatile long begunNanos;

    private sealed interface State {
        /** Nobody has to log in here. */
        record Free() implements State {}

        /** Nothing is known yet. */
        record Outside() implements State {}

        /**
         * Tokens go back and forth.
         *
         * @param bare whether they come without a request around them, as after a handshake of version 0
         * @param before who it was until now, where somebody logs in again
         */
        record Between(Mechanism mechanism, Exchange exchange, boolean bare, Optional<Inside> before)
                implements State {}

        /** Known. */
        record Inside(Mechanism mechanism, String user, long sinceNanos) implements State {}

        /** The connection is to be closed. */
        record Refused(String why) implements State {}
    }

    Login(Authenticator gate, LongSupplier nanoTime) {
        this.gate = gate;
        this.nanoTime = nanoTime;
        this.state = gate.config().isOn() ? new State.Outside() : new State.Free();
        this.begunNanos = nanoTime.getAsLong();
    }

    /** Whether the client may be here: it has logged in, or need not. */
    public boolean isDone() {
        return state instanceof State.Free || state instanceof State.Inside;
    }

    /** Whether the client takes too long to say who it is. */
    public boolean isLate() {
        return !isDone()
                && nanoTime.getAsLong() - begunNanos > gate.config().patience().toNanos();
    }

    /** Why the connection is to be closed, once what there is to say was said. For our log only. */
    public Optional<String> refusal() {
        return state instanceof State.Refused(String why) ? Optional.of(why) : Optional.empty();
    }

    /** How long a client waits to hear of its refusal. */
    public Duration failureDelay() {
        return gate.config().failureDelay();
    }

    /** The largest frame that the client may send now, when a server allows so much. */
    public int frameBytesMax(int allowed) {
        return isDone() ? allowed : Math.min(allowed, gate.config().frameBytesMax());
    }

    /** Whether the next frame is a token and not a request. */
    public boolean expectsBareToken() {
        return state instanceof State.Between between && between.bare();
    }

    /** Whether a request of this kind is answered now. */
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

    /** The client names its mechanism. */
    public SaslHandshakeResponseData shakeHands(String mechanism, short version) {
        SaslHandshakeResponseData response = new SaslHandshakeResponseData().setMechanisms(gate.mechanisms());
        Optional<State.Inside> before = state instanceof State.Inside inside ? Optional.of(inside) : Optional.empty();
        // As with Kafka, who is inside logs in again only where that is asked for.
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
                    .setErrorMessage("a token came although nobody is to log in now");
        }
        if (!(state instanceof State.Between between) || between.bare()) {
            refuse("a token before the handshake");
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code())
                    .setErrorMessage("a token came before the handshake");
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

    /** The client's next token, without a request around it. Empty: it is refused, without a word. */
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
        byte[] said = between.exchange().answer(token);
        Optional<String> user = between.exchange().user();
        if (user.isPresent()) {
            State.Inside inside = new State.Inside(between.mechanism(), user.get(), nanoTime.getAsLong());
            if (between.before().isPresent() && !isSame(between.before().get(), inside)) {
                throw new LoginRefusedException("it came back as somebody else, or by another mechanism");
            }
            state = inside;
        }
        return said;
    }

    private static boolean isSame(State.Inside one, State.Inside other) {
        return one.user().equals(other.user()) && one.mechanism() == other.mechanism();
    }

    private void refuse(String why) {
        state = new State.Refused(why);
    }
}
