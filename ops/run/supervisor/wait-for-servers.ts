/**
 * Checks that the configured servers can be used before any process starts, and waits for
 * unavailable ones.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { isTransient } from '#core/database/failure.ts';
import { SetupError } from '#core/model/system/setup-error.ts';

const WITHIN_MS = 5_000;
const OLDEST_POSTGRES = 14;
const OLDEST_REDIS = [6, 2] as const;

/** The server of a URL, without the password. */
export function describeUrl(url: string): string {
  const { hostname, port, pathname, protocol } = new URL(url);
  const usual = protocol.startsWith('redis') ? '6379' : '5432';
  const name = decodeURIComponent(pathname.slice(1));
  return `${hostname || 'the local socket'}:${port || usual}${name === '' ? '' : `/${name}`}`;
}

/** The server is unavailable, possibly only temporarily. */
class AwayError extends SetupError {}

const TRY_AGAIN_MS = 250;

/** The handling of unavailable servers. */
export interface WaitOptions {
  readonly report: (line: string) => void;
  /** Ends the wait with its reason. */
  readonly stop: AbortSignal;
}

/** Retries until the server responds; other errors are thrown. */
export async function waitFor<T>(
  check: () => Promise<T>,
  { report, stop }: WaitOptions,
): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const end = () => stopped.reject(stop.reason);
  stopped.promise.catch(() => undefined);
  stop.addEventListener('abort', end);
  let reported = '';
  try {
    for (;;) {
      stop.throwIfAborted();
      try {
        return await Promise.race([check(), stopped.promise]);
      } catch (error) {
        if (!(error instanceof AwayError)) throw error;
        if (error.message !== reported) report(`${error.message}; waiting for it`);
        reported = error.message;
      }
      await delay(TRY_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    stop.removeEventListener('abort', end);
  }
}

/** @param reason the message of the driver */
function fault(text: string, cause: unknown, reason: unknown): SetupError {
  const starting = reason instanceof Error && reason.message.startsWith('LOADING');
  const away = starting || isTransient(reason);
  return new (away ? AwayError : SetupError)(text, { cause });
}

/** The innermost reason, on one line. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').trim();
}

/**
 * Connects to a PostgreSQL and checks its version, and that it accepts writes.
 * @param variable names the URL in the error
 * @returns the server's version, such as `16.4`
 * @throws {SetupError} one line that names the variable and never contains the password
 */
export async function checkPostgres(variable: string, url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: WITHIN_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string; frozen: string }>(
      `SELECT current_setting('server_version') AS version,
        current_setting('transaction_read_only') AS frozen`,
    );
    const { version = '', frozen = '' } = rows[0] ?? {};
    if (Number.parseInt(version, 10) < OLDEST_POSTGRES) {
      const oldest = `${OLDEST_POSTGRES} is the oldest supported`;
      throw new Error(`it is PostgreSQL ${version}, and ${oldest}`);
    }
    if (frozen === 'on') {
      throw new Error(
        'it takes no writes: it is a standby, or default_transaction_read_only is on',
      );
    }
    return version;
  } catch (error) {
    const text = `${variable}: cannot use the database at ${describeUrl(url)}: ${reasonOf(error)}`;
    throw fault(text, error, error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Connects to a Redis and checks its version.
 * @throws {SetupError} one line that names REDIS_URL and never contains the password
 */
export async function checkRedis(url: string): Promise<string> {
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: WITHIN_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: Error | undefined;
  redis.on('error', (error) => {
    lost = error;
  });
  try {
    await redis.connect();
    const version = /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? '';
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const [oldestMajor, oldestMinor] = OLDEST_REDIS;
    if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return version;
    throw new Error(
      `it is Redis ${version}, and ${OLDEST_REDIS.join('.')} is the oldest supported`,
    );
  } catch (error) {
    const reason = lost ?? error;
    const text = `REDIS_URL: cannot use the Redis at ${describeUrl(url)}: ${reasonOf(reason)}`;
    throw fault(text, error, reason);
  } finally {
    redis.disconnect();
  }
}
