/**
 * Notices that a connection to Redis is half open: nothing arrives any more and nothing is refused.
 * Redis answers a PING at once, whatever else it has to do, unless the connection itself blocks.
 */
import type { Redis } from 'ioredis';

/** Pause (ms) between two questions. */
const BEAT_MS = 3_000;
/** Longest wait (ms) for an answer. */
const ANSWER_WITHIN_MS = 3_000;
/** Time (ms) after which the system asks a silent peer whether it is there. */
export const REDIS_KEEP_ALIVE_MS = 10_000;
/** Time (ms) for an orderly end of a connection that does not answer. */
export const HANG_UP_WITHIN_MS = 100;

/**
 * Hangs up on a server that takes the connection and says nothing more: the client bounds only the
 * time until the system is connected.
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
 * Asks a connection again and again, one that never blocks and is not subscribed.
 * @param onMiss replaces the connection
 * @returns ends the questions
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
    // One that fails was noticed by others: what counts is that nothing comes at all.
    redis.ping().then(settle, () => undefined);
  };
  const timer = setInterval(beat, BEAT_MS).unref();
  redis.on('close', settle);
  return () => {
    clearInterval(timer);
    settle();
  };
}
