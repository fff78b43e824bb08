// @newest
/** The page about GraphQL lists what only REST has, and nothing else is missing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { routeFields } from '#edge/graphql/route-fields.ts';
import { SchemaShapes } from '#edge/graphql/schema-shapes.ts';
import { FILE_ROUTES } from '#edge/rest/file.ts';
import { ITEM_ROUTES } from '#edge/rest/item.ts';
import { ROUTES } from '#edge/rest/route-table.ts';
import { SYSTEM_ROUTES } from '#edge/rest/system-collections.ts';

const page = readFileSync(join(import.meta.dirname, '../../../ops/docs/graphql.md'), 'utf8');
const ROW = /^\| `(GET|POST|PATCH|PUT|DELETE|SEARCH) (\/[^`]*)` \|/gm;
const onlyRest = new Set([...page.matchAll(ROW)].map(([, method, path]) => `${method} ${path}`));

/** Whether a path is one of a route. */
function fits(path: string, template: string): boolean {
  const [parts, wanted] = [path.split('/'), template.split('/')];
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => part.startsWith(':') || part === parts[index])
  );
}

const catalog = {
  ...{ version: 0, collections: new Map(), relations: new Map(), leftOut: [], warnings: [] },
};
const { queries, mutations } = routeFields(new SchemaShapes(catalog, FULL_RIGHTS));
const given = { collection: 'a', field: 'b', name: 'a', revision: 1, item: 1, to: 2, data: {} };
const asked = [...Object.values(queries), ...Object.values(mutations)].map((field) =>
  field.request(given),
);
/** Through the items of collections, and the own user. */
const byItems = new Set([
  ...[...ITEM_ROUTES, ...SYSTEM_ROUTES].map(({ method, path }) => `${method} ${path}`),
  ...FILE_ROUTES.filter(({ path }) => path === '/files' || path === '/files/:key').map(
    ({ method, path }) => `${method} ${path}`,
  ),
  ...['GET /users/me', 'PATCH /users/me'],
]);

t.test('every route has its field, or stands on the page', async (t) => {
  const served = ROUTES.filter(({ leftOut }) => leftOut === undefined);
  const names = served
    .filter(({ path }) => !path.includes('graphql'))
    .map(({ method, path }) => ({
      name: `${method} ${path}`,
      method,
      path,
    }));
  // Of several routes that fit, the one with the fewest variable parts answers.
  const variable = (path: string) => path.split(':').length;
  const answering = asked.map(({ method, path }) => {
    const fitting = names.filter((one) => one.method === method && fits(path, one.path));
    return fitting.toSorted((a, b) => variable(a.path) - variable(b.path))[0]?.name;
  });
  const missing = names
    .filter(({ name, method }) => method === 'PUT' || !byItems.has(name))
    .filter(({ name }) => !answering.includes(name))
    .map(({ name }) => name);
  t.strictSame(missing.sort(), [...onlyRest].sort());
});
