/**
 * A thread that builds whole schemas and answers introspection queries. For hundreds of collections
 * this takes a second, which would block the event loop of an edge.
 */
import { parentPort } from 'node:worker_threads';
import { type DocumentNode, executeSync, parse, printSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { FULL_RIGHTS, rightsFrom } from '#core/access/rights.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { Relations } from '#core/model/catalog/relation.ts';
import type { CatalogPart, IntrospectionTask, SchemaSource } from './introspection.ts';
import { buildSchema, type EndpointSchema, type Scope } from './schema.ts';
import { SchemaShapes } from './schema-shapes.ts';

const all = () => true;
/** Maximum number of permission sets whose schemas are cached. */
const MAX_KNOWN = 4;

/** The arrived parts of a catalog. */
interface Parts {
  readonly collections: Map<string, Collection>;
  readonly relations: Map<string, Relations>;
}

class Known {
  readonly #shapes: SchemaShapes;
  readonly #schemas = new Map<Scope, EndpointSchema>();

  constructor({ version, permissions }: SchemaSource, { collections, relations }: Parts) {
    const catalog = { version, collections, relations, leftOut: [], warnings: [] };
    const rights = permissions === null ? FULL_RIGHTS : rightsFrom(permissions);
    this.#shapes = new SchemaShapes(catalog, rights);
  }

  schema(scope: Scope) {
    const known = this.#schemas.get(scope);
    if (known !== undefined) return known.schema;
    const made = buildSchema(this.#shapes, scope, all, all);
    this.#schemas.set(scope, made);
    return made.schema;
  }
}

const known = new LRUCache<number, Known>({ max: MAX_KNOWN });
/** Edges send one catalog at a time; a catalog without a final query is dropped. */
const arriving = new LRUCache<number, Parts>({ max: 1 });

function take({ number, ...part }: CatalogPart): Parts {
  const parts = arriving.get(number) ?? { collections: new Map(), relations: new Map() };
  for (const [name, one] of part.collections) parts.collections.set(name, one);
  for (const [name, own] of part.relations) parts.relations.set(name, own);
  arriving.set(number, parts);
  return parts;
}

/**
 * The schemas of a source whose parts have arrived; undefined when other catalogs have evicted
 * them.
 */
function open(number: number, source: SchemaSource): Known | undefined {
  const parts = arriving.get(number);
  if (parts === undefined) return undefined;
  arriving.delete(number);
  const made = new Known(source, parts);
  known.set(number, made);
  return made;
}

function answer({ scope, ask }: IntrospectionTask, found: Known): Map<string, string> {
  const schema = found.schema(scope);
  if (ask.kind === 'text') return new Map([['text', printSchema(schema)]]);
  const document: DocumentNode = parse(ask.query, { noLocation: true });
  const { data, errors } = executeSync({ schema, document, variableValues: ask.variables });
  if (errors?.[0] !== undefined) throw errors[0];
  return new Map(Object.entries(data ?? {}).map(([key, value]) => [key, JSON.stringify(value)]));
}

parentPort?.on('message', (message: IntrospectionTask | CatalogPart) => {
  if (!('id' in message)) {
    take(message);
    return;
  }
  const { id, number, source } = message;
  try {
    const found = known.get(number) ?? (source === null ? undefined : open(number, source));
    if (found === undefined) parentPort?.postMessage({ id, unknown: true });
    else parentPort?.postMessage({ id, texts: answer(message, found) });
  } catch (error) {
    parentPort?.postMessage({ id, fault: String(error) });
  }
});
