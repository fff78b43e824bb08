/** Structured logs: one pino logger per process, with secrets redacted. */
import { type Logger, pino, stdSerializers } from 'pino';
import type { Config } from '../config/variables.ts';

export type Log = Logger;

const SECRET_NAMES = [
  'authorization',
  'cookie',
  'password',
  'token',
  'access_token',
  'refresh_token',
  'secret',
  'otp',
];

/** Members that are redacted, at the top level and two levels down. */
const REDACTED = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `["${name}"]`]);

/** Creates the logger of a process; `role` is part of every line. */
export function createLog(config: Pick<Config, 'LOG_LEVEL'>, role: string): Log {
  return pino({
    level: config.LOG_LEVEL,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // The driver attaches the whole connection to an error.
    serializers: {
      err: (error: Error) => {
        const { client: _, ...plain } = stdSerializers.err(error);
        return plain;
      },
    },
    redact: { paths: REDACTED, censor: '[redacted]' },
  });
}
