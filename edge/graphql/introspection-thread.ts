/**
 * A thread that holds whole schemas and answers what is asked of them: for hundreds of collections
 * that takes a second, which the event loop of an edge does not have.
 */
import { parentPort } from 'node:worker_threads';
import { type DocumentNode, executeSync, parse, printSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
import { FULL_RIGHTS, rightsFrom } from '#core/access/rights.ts';
import type { IntrospectionTask, SchemaSource } from './introspection.ts';
import { buildSchema, type EndpointSchema, type Scope } from './schema.ts';
import { Shapes } from './shape.ts';

const all = () => true;
/** Sets of rights whose schemas are kept. */
const MAX_KNOWN = 4;

class Known {
  readonly #shapes: Shapes;
  readonly #schemas = new Map<Scope, EndpointSchema>();

  constructor({ catalog, permissions }: SchemaSource) {
    const rights = permissions === null ? FULL_RIGHTS : rightsFrom(permissions);
    this.#shapes = new Shapes(catalog, rights);
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

function answer({ scope, ask }: IntrospectionTask, found: Known): Map<string, string> {
  const schema = found.schema(scope);
  if (ask.kind === 'text') return new Map([['text', printSchema(schema)]]);
  const document: DocumentNode = parse(ask.query, { noLocation: true });
  const { data } = executeSync({ schema, document, variableValues: ask.variables });
  return new Map(Object.entries(data ?? {}).map(([key, value]) => [key, JSON.stringify(value)]));
}

parentPort?.on('message', (task: IntrospectionTask) => {
  const { id, number, source } = task;
  try {
    if (source !== null) known.set(number, new Known(source));
    const found = known.get(number);
    if (found === undefined) parentPort?.postMessage({ id, unknown: true });
    else parentPort?.postMessage({ id, texts: answer(task, found) });
  } catch (error) {
    parentPort?.postMessage({ id, fault: String(error) });
  }
});
