/** The calls about the server itself. */
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

export interface Health {
  readonly status: 'ok' | 'warn' | 'error';
  /** For administrators: what was checked. */
  readonly checks?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly [member: string]: unknown;
}

export interface ServerInfo {
  readonly project: Readonly<Record<string, unknown>>;
  /** For users. */
  readonly version?: string;
  readonly [member: string]: unknown;
}

export interface Server {
  ping(options?: CallOptions): Promise<string>;
  /** The public settings of the project; for users limits and version, too. */
  info(options?: CallOptions): Promise<ServerInfo>;
  /** Also when the status is `error`, which the server answers with 503. */
  health(options?: CallOptions): Promise<Health>;
  /** The description of the API (OpenAPI 3.1), as far as the caller may use it. */
  openapi(options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** The schema of GraphQL in its own language. */
  graphqlSchema(scope?: 'items' | 'system', options?: CallOptions): Promise<string>;
}

export function createServer({ request, answer }: Transport): Server {
  return {
    ping: (options) => request('GET', '/server/ping', options),
    info: (options) => request('GET', '/server/info', options),
    health: (options) => request('GET', '/server/health', { ...options, accept: [503] }),
    async openapi(options) {
      const path = '/server/specs/oas';
      return (await answer<Record<string, unknown>>('GET', path, options)).body;
    },
    graphqlSchema: (scope = 'items', options) =>
      request('GET', `/server/specs/graphql/${scope}`, options),
  };
}
