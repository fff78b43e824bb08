/** Creates spans for the statements of a connection. PostgreSQL answers them in order. */
import type { EventEmitter } from 'node:events';
import type { Span } from '@opentelemetry/api';
import type pg from 'pg';
import { beginStatement, endStatement } from '#core/base/tracing/span.ts';
import { SQLSTATE } from './sqlstate.ts';

function codeOf(message: unknown): string {
  const known = typeof message === 'object' && message !== null && 'code' in message;
  return known && typeof message.code === 'string' ? message.code : 'unknown';
}

/** @param connection the client's connection, which emits received messages */
export function traceStatements(client: pg.Client, connection: EventEmitter, pool: string): void {
  /** The spans of all open statements; null for one that is not traced. */
  const open: (Span | null)[] = [];
  let code: string | null = null;
  const query = client.query;
  Object.defineProperty(client, 'query', {
    value: (...input: unknown[]): unknown => {
      open.push(beginStatement(pool, input[0]));
      return Reflect.apply(query, client, input);
    },
  });
  connection.on('errorMessage', (message: unknown) => {
    code = codeOf(message);
  });
  connection.on('readyForQuery', () => {
    const span = open.shift();
    if (span) endStatement(span, code);
    code = null;
  });
  connection.once('end', () => {
    for (const span of open.splice(0))
      if (span !== null) endStatement(span, SQLSTATE.connectionFailure);
  });
}
