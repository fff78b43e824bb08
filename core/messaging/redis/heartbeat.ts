/**
 * Detects half-open connections to Redis. Redis answers a PING immediately, even when busy, unless
 * the connection blocks.
 */
import type { Redis } from 'ioredis';

/** Interval (ms) between two PINGs. */
const BEAT_MS = 3_000;
/** Timeout (ms) for a response. */
const ANSWER_WITHIN_MS = 3_000;
/** Time (ms) after which the system probes a silent peer (TCP keepalive). */
export const REDIS_KEEP_ALIVE_MS = 10_000;
/** Time (ms) for closing an unresponsive connection. */
export const HANG_UP_WITHIN_MS = 100;

/**
 * Closes a connection to a server that accepts it but sends no greeting, because the client's own
 * timeout covers only the connect.
 */
export function boundGreeting(redis: Redis): void {
  let late: NodeJS.Timeout | undefined;
  const settle = () => clearTimeout(late);
  redis.on('connect', () => {
    settle();
    late = setTimeout(() => redis.disconnect(true), ANSWER_WITHIN_MS).unref();
  });
  redis.on('ready', settle);
  redis.on('close', settle);
}

/**
 * Sends PINGs on a connection that never blocks and is not subscribed.
 * @param onMiss replaces the connection
 * @returns stops the PINGs
 */
export function startHeartbeat(redis: Redis, onMiss: () => void): () => void {
  boundGreeting(redis);
  let late: NodeJS.Timeout | undefined;
  const settle = () => {
    clearTimeout(late);
    late = undefined;
  };
  const beat = () => {
    if (redis.status !== 'ready' || late !== undefined) return;
    late = setTimeout(() => {
      settle();
      if (redis.status === 'ready') onMiss();
    }, ANSWER_WITHIN_MS).unref();
    // Other code handles a failed PING; this only detects a missing response.
    redis.ping().then(settle, () => undefined);
  };
  const timer = setInterval(beat, BEAT_MS).unref();
  redis.on('close', settle);
  return () => {
    clearInterval(timer);
    settle();
  };
}
