/** Operations that are not in the route table: WebSockets, and the capabilities request of tus. */
import type { Config } from '#core/base/config/variables.ts';
import { tusCapabilities } from '#edge/rest/tus-capabilities.ts';
import { refTo, TEXT } from './json-schema.ts';
import type { Placed } from './operation.ts';

export type SpecialConfig = Pick<
  Config,
  | 'WEBSOCKETS_ENABLED'
  | 'WEBSOCKETS_REST_ENABLED'
  | 'WEBSOCKETS_REST_PATH'
  | 'WEBSOCKETS_GRAPHQL_ENABLED'
  | 'WEBSOCKETS_GRAPHQL_PATH'
  | 'TUS_ENABLED'
  | 'FILES_MAX_UPLOAD_SIZE'
>;

const UPGRADED = { 101: { description: 'The connection is a WebSocket from here on' } };
const UPGRADE = ['Upgrade', 'Connection', 'Sec-WebSocket-Key', 'Sec-WebSocket-Version'].map(
  (name) => ({ name, in: 'header', required: true, schema: TEXT }),
);

function socket(path: string, id: string, summary: string): Placed {
  const responses = {
    ...UPGRADED,
    400: refTo('responses', 'BadRequest'),
    401: refTo('responses', 'Unauthorized'),
    403: refTo('responses', 'Forbidden'),
  };
  const operation = {
    operationId: id,
    summary,
    tags: ['WebSockets'],
    parameters: UPGRADE,
    responses,
  };
  return { path, method: 'get', operation: () => operation };
}

/** The special operations that the configuration enables; their paths may also be in the table. */
export function specialOperations(config: SpecialConfig): readonly Placed[] {
  const { WEBSOCKETS_ENABLED: sockets, TUS_ENABLED: tus } = config;
  const rest = sockets && config.WEBSOCKETS_REST_ENABLED;
  const graphql = sockets && config.WEBSOCKETS_GRAPHQL_ENABLED;
  const headers = Object.keys(tusCapabilities(config)).map(
    (name) => [name, { schema: TEXT }] as const,
  );
  const tusOperation: Placed = {
    path: '/files/tus',
    method: 'options',
    operation: () => ({
      operationId: 'optionsFilesTus',
      summary: 'Tells what uploads can do (tus)',
      tags: ['Files'],
      responses: { 204: { description: 'In headers', headers: Object.fromEntries(headers) } },
    }),
  };
  return [
    ...(rest
      ? [
          socket(
            config.WEBSOCKETS_REST_PATH,
            'openWebSocket',
            'Opens a WebSocket for items and subscriptions',
          ),
        ]
      : []),
    ...(graphql
      ? [
          socket(
            config.WEBSOCKETS_GRAPHQL_PATH,
            'openGraphqlWebSocket',
            'Opens a WebSocket for GraphQL (graphql-transport-ws)',
          ),
        ]
      : []),
    ...(tus ? [tusOperation] : []),
  ];
}
