// @newest

import { validate } from '@scalar/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS, { astToString } from 'openapi-typescript';
import t from 'tap';
import { TRANSFORMATION_PARAMETERS } from '#core/files/images/transformation.ts';
import { QUERY_PARAMETERS } from '#core/query/parse/parameter.ts';
import { IMPORT_PARAMETERS } from '#core/services/import-option.ts';
import { knowsParts } from '#edge/openapi/parameter-object.ts';
import { IMAGE_PARAMETERS } from '#edge/rest/parameter/image.ts';
import { IMPORT_OPTIONS } from '#edge/rest/parameter/import.ts';
import { ITEM_PARAMETERS } from '#edge/rest/parameter/item.ts';
import { ROUTES } from '#edge/rest/route-table.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { faultsOf } from './fixture/compiler.ts';
import { type Document, documentOf, operationsOf } from './fixture/document.ts';
import { createLibrary } from './fixture/library.ts';
import { DOCUMENT, schemaChecker } from './fixture/schema-checker.ts';

let cluster: Cluster;
let whole: Document;

t.before(async () => {
  cluster = await startCluster(t, { workers: 1 });
  await createLibrary(cluster);
  whole = await documentOf(cluster);
});

t.test('two validators find it valid, for everybody', async (t) => {
  for (const document of [whole, await documentOf(cluster, null)]) {
    const text = JSON.stringify(document);
    const first = await new Validator().validate(JSON.parse(text));
    t.strictSame(first.errors ?? [], []);
    t.ok(first.valid);
    const second = await validate(JSON.parse(text));
    t.strictSame(second.errors ?? [], []);
    t.ok(second.valid);
  }
});

t.test('each route is in it, or left out for a reason', async (t) => {
  const described = new Set(
    operationsOf(whole).map(({ method, path }) => `${method.toUpperCase()} ${path}`),
  );
  for (const entry of ROUTES) {
    const method = entry.headOnly === true ? 'HEAD' : entry.method;
    const path = entry.path.replace(/:(\w+)/g, '{$1}');
    const shown = entry.items?.collection === null ? path.replace('{collection}', 'book') : path;
    const isThere = described.has(`${method} ${shown}`);
    if (entry.leftOut === undefined) t.ok(isThere, `${method} ${shown}`);
    else t.notOk(isThere, `${method} ${shown} is left out: ${entry.leftOut}`);
  }
});

t.test('operations have distinct ids', async (t) => {
  const ids = operationsOf(whole).map(({ operation }) => operation.operationId);
  t.equal(new Set(ids).size, ids.length);
});

/** A program that uses the types. */
const PROGRAM = `
import type { components, operations, paths } from './api.ts';
const book: components['schemas']['ItemsBookCreate'] = { title: 'x', pages: 1 };
// @ts-expect-error a title is required
const untitled: components['schemas']['ItemsBookCreate'] = { pages: 1 };
const filter: components['schemas']['ItemsBookFilter'] = { title: { _contains: 'x' } };
type List = operations['readItemsBook']['responses'][200]['content']['application/json'];
const list: paths['/items/book']['get'] = {} as operations['readItemsBook'];
export const used: readonly unknown[] = [book, untitled, filter, list, {} as List];
`;

t.test('openapi-typescript makes types that compile', async (t) => {
  const nodes = await openapiTS(JSON.stringify(whole));
  const files: ReadonlyMap<string, string> = new Map([
    ['/api.ts', astToString(nodes)],
    ['/program.ts', PROGRAM],
  ]);
  t.strictSame(faultsOf(files), []);
});

t.test('every schema is one of JSON Schema, whose keywords fit each other', async (t) => {
  const ajv = schemaChecker(whole);
  for (const name of Object.keys(whole.components.schemas)) {
    t.doesNotThrow(() => ajv.getSchema(`${DOCUMENT}#/components/schemas/${name}`), name);
  }
});

t.test('the parameters that it describes are those that the server knows', async (t) => {
  t.strictSame(Object.keys(ITEM_PARAMETERS).sort(), [...QUERY_PARAMETERS].sort());
  t.strictSame(Object.keys(IMPORT_OPTIONS).sort(), [...IMPORT_PARAMETERS].sort());
  t.strictSame(Object.keys(IMAGE_PARAMETERS).sort(), [...TRANSFORMATION_PARAMETERS].sort());
  t.strictSame(
    ROUTES.filter(({ leftOut, path }) => leftOut === undefined && !knowsParts(path)),
    [],
  );
});
