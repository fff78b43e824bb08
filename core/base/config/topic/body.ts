/** Variables: Bodies, streams and time limits. */
import { define, duration, integer, size } from '../variable.ts';

export const bodyVariables = {
  QUERY_TIMEOUT: define({
    parse: duration,
    fallback: '30s',
    meaning:
      'Maximum time of one statement of a request; then the answer is 503, even when the database does not stop it',
  }),
  STREAM_MAX: define({
    parse: integer(1, 1_000),
    fallback: '4',
    meaning:
      'Streams that an edge reads at the same time, each on a connection besides DATABASE_POOL_MAX',
  }),
  STREAM_MAX_PER_USER: define({
    parse: integer(1, 1_000),
    fallback: '2',
    meaning: 'How many of them one user, or one anonymous address, may have',
  }),
  STREAM_IDLE: define({
    parse: duration,
    fallback: '60s',
    meaning: 'Time after which a client that reads nothing of its answer is disconnected',
  }),
  STREAM_MAX_TIME: define({
    parse: duration,
    fallback: '1h',
    meaning: 'Maximum time that a client may take to read its answer',
  }),
  BODY_MAX_SIZE: define({
    parse: size,
    fallback: '16mb',
    alias: 'MAX_PAYLOAD_SIZE',
    meaning: 'Maximum JSON body of a request',
  }),
  BODY_MAX_MEMBERS: define({
    parse: integer(100, 100_000_000),
    fallback: '10000',
    meaning: 'Maximum members in one object of a JSON body',
  }),
  BODY_MAX_VALUES: define({
    parse: integer(1_000, 1_000_000_000),
    fallback: '2500000',
    meaning: 'Maximum values in a JSON body: objects, lists, members and entries together',
  }),
  FORM_MAX_SIZE: define({
    parse: size,
    fallback: '64kb',
    meaning: 'Maximum body of a login and of other small bodies with fixed members',
  }),
  MAX_BATCH_MUTATION: define({
    parse: integer(1, 100_000_000),
    fallback: '100000',
    meaning: 'Maximum items in one write, including related ones and those removed from lists',
  }),
  EVENTS_MAX_PER_USER: define({
    parse: integer(1, 1_000_000),
    fallback: '100',
    meaning: 'Open event streams of one user at each edge',
  }),
};
