/** Variables: GraphQL and WebSockets. */
import {
  choice,
  define,
  duration,
  durationOrSeconds,
  flag,
  integer,
  path,
  size,
} from '../variable.ts';

const SOCKET_AUTH = ['handshake', 'strict', 'public'] as const;

export const graphqlAndWebsocketVariables = {
  GRAPHQL_INTROSPECTION: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Clients may ask GraphQL for its schema',
  }),
  GRAPHQL_QUERY_TOKEN_LIMIT: define({
    parse: integer(10, 1_000_000),
    fallback: '5000',
    meaning: 'Maximum tokens of a document of GraphQL',
  }),
  GRAPHQL_MAX_ALIASES: define({
    parse: integer(0, 100_000),
    fallback: '100',
    meaning: 'Maximum aliases in a document of GraphQL',
  }),
  GRAPHQL_MAX_FIELDS: define({
    parse: integer(10, 1_000_000),
    fallback: '1000',
    meaning: 'Maximum fields that a document of GraphQL names, with those of its fragments',
  }),
  GRAPHQL_MAX_ROOT_FIELDS: define({
    parse: integer(1, 10_000),
    fallback: '30',
    meaning: 'Maximum fields at the root of an operation of GraphQL',
  }),
  WEBSOCKETS_ENABLED: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Clients may open WebSockets and subscribe to changes; the same for all processes',
  }),
  WEBSOCKETS_HEARTBEAT_ENABLED: define({
    parse: flag,
    fallback: 'on',
    meaning: 'Ask clients of the REST WebSocket whether they are still there',
  }),
  WEBSOCKETS_HEARTBEAT_PERIOD: define({
    parse: duration,
    fallback: '30s',
    meaning: 'How often they are asked; who says nothing for as long again is disconnected',
  }),
  WEBSOCKETS_MAX_SUBSCRIPTIONS: define({
    parse: integer(1, 100_000),
    fallback: '100',
    meaning: 'Maximum subscriptions of one WebSocket',
  }),
  WEBSOCKETS_MAX_SUBSCRIPTIONS_PER_USER: define({
    parse: integer(1, 10_000_000),
    fallback: '2000',
    meaning: 'Subscriptions of one user, or of one anonymous address, at each edge',
  }),
  WEBSOCKETS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '1000',
    meaning: 'Open WebSockets of one user, or of one anonymous address, at each edge',
  }),
  WEBSOCKETS_MESSAGE_MAX_SIZE: define({
    parse: size,
    fallback: '1mb',
    meaning: 'Maximum message of a client; a longer one ends the connection',
  }),
  WEBSOCKETS_BUFFER_MAX_SIZE: define({
    parse: size,
    fallback: '1mb',
    meaning: 'What may wait for a slow client before it is disconnected',
  }),
  WEBSOCKETS_REST_ENABLED: define({
    parse: flag,
    fallback: 'on',
    meaning: 'With WEBSOCKETS_ENABLED, the WebSocket of REST',
  }),
  WEBSOCKETS_REST_PATH: define({
    parse: path,
    fallback: '/websocket',
    meaning: 'Path of the WebSocket of REST',
  }),
  WEBSOCKETS_REST_AUTH: define({
    parse: choice(SOCKET_AUTH),
    fallback: 'handshake',
    meaning:
      'Who may use it: `handshake` whose first message is a login, `strict` whose request has a token, `public` everybody',
  }),
  WEBSOCKETS_REST_AUTH_TIMEOUT: define({
    parse: durationOrSeconds,
    fallback: '10s',
    meaning:
      'Time for that message, and for a new token after one has expired; seconds without a unit',
  }),
  WEBSOCKETS_REST_CONN_LIMIT: define({
    parse: integer(1, 1_000_000),
    fallback: '10000',
    meaning: 'Maximum WebSockets of REST of one edge',
  }),
  WEBSOCKETS_GRAPHQL_ENABLED: define({
    parse: flag,
    fallback: 'on',
    meaning: 'With WEBSOCKETS_ENABLED, the WebSocket of GraphQL',
  }),
  WEBSOCKETS_GRAPHQL_PATH: define({
    parse: path,
    fallback: '/graphql',
    meaning: 'Path of the WebSocket of GraphQL',
  }),
  WEBSOCKETS_GRAPHQL_AUTH: define({
    parse: choice(SOCKET_AUTH),
    fallback: 'handshake',
    meaning:
      'Who may use it: `handshake` who sends a token with connection_init, `strict` whose request has one, `public` everybody',
  }),
  WEBSOCKETS_GRAPHQL_AUTH_TIMEOUT: define({
    parse: durationOrSeconds,
    fallback: '10s',
    meaning: 'Time for connection_init; seconds without a unit',
  }),
  WEBSOCKETS_GRAPHQL_CONN_LIMIT: define({
    parse: integer(1, 1_000_000),
    fallback: '10000',
    meaning: 'Maximum WebSockets of GraphQL of one edge',
  }),
};
