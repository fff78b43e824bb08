/** One-time passwords by time (RFC 6238): six digits, a new one every half minute. */
import { Secret, TOTP } from 'otpauth';

const STEP_SECONDS = 30;
/** Accepted steps before and after the current one, for clocks that differ. */
const WINDOW = 1;
/** Bytes of a generated secret (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;
/** Minimum bytes of a secret that a client supplies. */
const SECRET_MIN_BYTES = 16;

function totpOf(secret: Secret): TOTP {
  return new TOTP({ algorithm: 'SHA1', digits: 6, period: STEP_SECONDS, secret });
}

/** Normalizes a base32 secret; null when it is invalid or too short. */
function secretOf(text: string): Secret | null {
  try {
    const secret = Secret.fromBase32(text);
    return secret.bytes.length >= SECRET_MIN_BYTES ? secret : null;
  } catch {
    return null;
  }
}

export function generateSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The URL for the QR code of authenticator apps. */
export function otpauthUrl(secret: string, issuer: string, label: string): string {
  const options = { algorithm: 'SHA1', digits: 6, period: STEP_SECONDS, issuer, label } as const;
  return new TOTP({ ...options, secret: Secret.fromBase32(secret) }).toString();
}

/**
 * The time step of a code, compared in constant time; null when it is wrong.
 * @param now milliseconds since the epoch
 */
export function stepOf(secret: string, code: string, now = Date.now()): number | null {
  const parsed = secretOf(secret);
  if (parsed === null || !/^\d{6}$/.test(code)) return null;
  const difference = totpOf(parsed).validate({ token: code, timestamp: now, window: WINDOW });
  return difference === null ? null : Math.floor(now / 1_000 / STEP_SECONDS) + difference;
}
