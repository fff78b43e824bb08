/**
 * The direction of imports: ops to core, edge to core, workers to core, core to nothing of ours.
 * Edges and workers are started as processes, never imported, by ops.
 */

import { readdirSync } from 'node:fs';

const rule = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});

/**
 * The rooms of core in their order: a room knows those before it, types included. The files of a
 * folder that is no room of its own belong to the room above it.
 */
const ROOMS = [
  'errors',
  'json',
  'system-collections',
  'config',
  'html',
  'log',
  'metrics',
  'tracing',
  'process',
  'holders',
  'redis',
  'database',
  'messages',
  'system',
  'catalog',
  'values',
  'query',
  'query/parse',
  'access',
  'query/plan',
  'query/sql',
  'validation',
  'images',
  'jobs',
  'cache',
  'changes',
  'mail',
  'identity',
  'history',
  'mutation',
  'schema',
  'storage',
  'files',
  'outbound',
  'transfer',
  'export',
  'archive',
  'services',
  'live',
];

const unlisted = readdirSync(new URL('core', import.meta.url)).filter(
  (folder) => !ROOMS.includes(folder),
);
if (unlisted.length > 0) {
  throw new Error(`folders of core that have no place in the order of its rooms: ${unlisted}`);
}

const pathOf = (room) => `^core/${room}/`;

/** A room without those inside it. */
const own = (room) => {
  const inner = ROOMS.filter((other) => other.startsWith(`${room}/`)).map(pathOf);
  return { path: pathOf(room), ...(inner.length > 0 && { pathNot: inner }) };
};

/** No room knows those after it. */
const orderOfRooms = ROOMS.slice(0, -1).map((room, index) => ({
  name: `order-of-rooms-${room}`,
  comment: `${room} knows only the rooms before it`,
  severity: 'error',
  from: own(room),
  to: { path: ROOMS.slice(index + 1).map(pathOf) },
}));

export default {
  forbidden: [
    ...orderOfRooms,
    {
      name: 'no-cycles',
      comment: 'types may refer to one another, what runs may not',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { pathNot: '^tests/ops/client/fixture/' },
      to: { couldNotResolve: true },
    },
    rule(
      'core-stands-alone',
      'core knows none of the others',
      '^core/',
      '^(edge|workers|ops|tests)/',
    ),
    rule('edge-on-core', 'an edge builds on core alone', '^edge/', '^(workers|ops|tests)/'),
    rule('workers-on-core', 'a worker builds on core alone', '^workers/', '^(edge|ops|tests)/'),
    rule(
      'ops-on-core',
      'ops starts edges and workers as processes',
      '^ops/',
      '^(edge|workers|tests)/',
    ),
    rule(
      'app-on-client',
      'the Admin App knows the API by its client alone',
      '^ops/app/',
      '^(core|edge|workers|tests|ops/(?!app/|client/source/index))',
    ),
    rule(
      'app-is-built',
      'nothing but its build knows the Admin App',
      '^(core|edge|workers|ops/(?!app/))',
      '^ops/app/',
    ),
    rule(
      'core-without-http',
      'core knows no HTTP',
      '^core/',
      '^node_modules/(uWebSockets|uws-pack)',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The one has packages of its own, installed on demand; the other is built.
    exclude: { path: '^ops/(bench/postgraphile|client/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
