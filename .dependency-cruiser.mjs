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
 * The rooms of core in their order, and the folders of a room in theirs: each knows those before it, types
 * included. What stands in a room beside its folders comes after them.
 */
const ROOMS = {
  base: [
    'design',
    'errors',
    'config',
    'text',
    'log',
    'metrics',
    'tracing',
    'process',
    'json',
    'holders',
  ],
  database: [],
  messaging: ['redis'],
  model: ['system-collections', 'system', 'catalog', 'values'],
  query: [],
  access: [],
  read: ['plan', 'sql', 'evaluate'],
  files: ['images', 'storage', 'outbound', 'archive'],
  jobs: [],
  accounts: ['mail', 'identity'],
  write: ['cache', 'changes', 'history'],
  schema: [],
  transfer: [
    ...['target', 'file', 'run', 'copy', 'validate', 'link'],
    ...['merge', 'mirror', 'nested', 'report', 'undo', 'infer', 'export'],
  ],
  services: [],
  live: [],
};

const unlisted = readdirSync(new URL('core', import.meta.url)).filter(
  (folder) => !Object.hasOwn(ROOMS, folder),
);
if (unlisted.length > 0) {
  throw new Error(`folders of core that have no place in the order of its rooms: ${unlisted}`);
}

/** The parts of core in their order: the folders of a room, then the room without them. */
const PARTS = Object.entries(ROOMS).flatMap(([room, folders]) => [
  ...folders.map((folder) => ({ name: `${room}-${folder}`, path: `^core/${room}/${folder}/` })),
  {
    name: room,
    path: `^core/${room}/`,
    ...(folders.length > 0 && { pathNot: folders.map((folder) => `^core/${room}/${folder}/`) }),
  },
]);

/** No part knows those after it. */
const orderOfRooms = PARTS.flatMap(({ name, ...from }, index) =>
  PARTS.slice(index + 1).map(({ name: other, ...to }) => ({
    name: `order-of-rooms-${name}-${other}`,
    comment: `${name} knows only what stands before it`,
    severity: 'error',
    from,
    to,
  })),
);

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
      'single-round-trip-last',
      'the step-by-step writer knows none of the forms that decline',
      '^core/write/(?!single-round-trip/)',
      '^core/write/single-round-trip/',
    ),
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
      'the Admin App knows the API by its client alone, and shares the design tokens',
      '^ops/app/',
      '^(core/(?!base/design/tokens)|edge|workers|tests|ops/(?!app/|client/source/index))',
    ),
    rule(
      'app-is-built',
      'nothing but its build knows the Admin App',
      '^(core|edge|workers|ops/(?!app/))',
      '^ops/app/',
    ),
    rule(
      'docs-are-built',
      'nothing but its build knows the site of the documentation',
      '^(core|edge|workers|ops/(?!docs/site/))',
      '^ops/docs/site/',
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
    exclude: { path: '^(tests/bench/postgraphile|ops/client/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
