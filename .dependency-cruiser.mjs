/**
 * The direction of imports: ops to core, edge to core, workers to core, core to nothing of ours.
 * Edges and workers are started as processes, never imported, by ops.
 */

const rule = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});

export default {
  forbidden: [
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
      from: {},
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
      'core-without-http',
      'core knows no HTTP',
      '^core/',
      '^node_modules/(uWebSockets|uws-pack)',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
