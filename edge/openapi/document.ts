/**
 * Generates the whole document in pieces. For hundreds of collections it has megabytes, and other
 * requests must run while it is generated.
 */
import type { Rights } from '#core/access/rights.ts';
import { publicUrl } from '#core/base/config/public-url.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { RELEASE } from '#core/model/system/release.ts';
import type { RouteFacts } from '#edge/rest/route-facts.ts';
import { envelopes, SHARED_RESPONSES, SHARED_SCHEMAS } from './answer-object.ts';
import { CONDITION_SCHEMAS } from './condition-schema.ts';
import { ErrorAnswers } from './error-answer.ts';
import { itemSchema, payloadSchema } from './item-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { operationsOf, type Placed } from './operation.ts';
import { collectionParameters, SHARED_PARAMETERS } from './parameter-object.ts';
import { querySchemas } from './query-schema.ts';
import { type SpecialConfig, specialOperations } from './special-operation.ts';
import { SchemaVisibility } from './visibility.ts';

export type DocumentConfig = SpecialConfig &
  Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT' | 'SESSION_COOKIE_NAME'>;

/** All inputs of the document: the catalog, the permissions and whether the caller is a user. */
export interface Reader {
  readonly catalog: Catalog;
  readonly rights: Rights;
  readonly user: boolean;
}

const INFO = {
  title: 'Sluice',
  version: RELEASE,
  description:
    'What the caller of this document may use. Methods that OpenAPI 3.1 does not have, such as SEARCH, stand under `x-additional-operations` of their path.',
};

function securitySchemes({ SESSION_COOKIE_NAME }: DocumentConfig): JsonSchema {
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'An access token or a static token' },
    accessToken: { type: 'apiKey', in: 'query', name: 'access_token' },
    session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE_NAME },
  };
}

/** `"name":value`, or several of them. */
type Member = readonly [name: string, value: unknown];

function* schemas(sight: SchemaVisibility): Generator<Member> {
  yield* Object.entries({ ...SHARED_SCHEMAS, ...CONDITION_SCHEMAS });
  for (const collection of sight.collections) {
    const name = sight.nameOf(collection.name);
    if (sight.reads(collection.name)) yield [name, itemSchema(sight, collection)];
    for (const action of ['create', 'update'] as const) {
      if (!sight.mayWrite(action, collection)) continue;
      yield [
        name + (action === 'create' ? 'Create' : 'Update'),
        payloadSchema(sight, collection, action),
      ];
    }
    for (const [part, schema] of querySchemas(sight, collection)) yield [name + part, schema];
    if (!sight.reads(collection.name)) continue;
    for (const [part, schema] of envelopes(sight, collection)) yield [name + part, schema];
  }
}

function* parameters(sight: SchemaVisibility): Generator<Member> {
  yield* Object.entries(SHARED_PARAMETERS);
  for (const collection of sight.collections) yield* collectionParameters(sight, collection);
}

/** The operations of each path, with SEARCH in a separate extension. */
function* paths(operations: ReadonlyMap<string, readonly Placed[]>): Generator<Member> {
  for (const [path, own] of operations) {
    const isKnown = ({ method }: Placed) => method !== 'SEARCH';
    const known = own.filter(isKnown).map(({ method, operation }) => [method, operation()]);
    const others = own.filter((one) => !isKnown(one));
    const more = others.map(({ method, operation }) => [method, operation()]);
    yield [
      path,
      {
        ...Object.fromEntries(known),
        ...(more.length === 0 ? {} : { 'x-additional-operations': Object.fromEntries(more) }),
      },
    ];
  }
}

export class DocumentMaker {
  readonly #routes: readonly RouteFacts[];
  readonly #config: DocumentConfig;
  readonly #errors: ErrorAnswers;

  constructor(routes: readonly RouteFacts[], config: DocumentConfig) {
    this.#routes = routes;
    this.#config = config;
    this.#errors = new ErrorAnswers(routes);
  }

  /** Collects the operations of each path, in the order of the routes. */
  *#find(found: Map<string, Placed[]>, sight: SchemaVisibility, user: boolean): Generator<string> {
    const add = (one: Placed) => {
      const own = found.get(one.path);
      if (own === undefined) found.set(one.path, [one]);
      else if (!own.some(({ method }) => method === one.method)) own.push(one);
    };
    for (const entry of this.#routes) {
      for (const one of operationsOf({ sight, user, errors: this.#errors }, entry)) add(one);
      yield '';
    }
    for (const one of specialOperations(this.#config)) add(one);
  }

  /** The text of the document, piece by piece. Each piece takes a short time; some are empty. */
  *pieces({ catalog, rights, user }: Reader): Generator<string> {
    const sight = new SchemaVisibility(catalog, rights);
    const head = {
      openapi: '3.1.0',
      info: INFO,
      servers: [{ url: publicUrl(this.#config) }],
      security: [{}, { bearer: [] }, { accessToken: [] }, { session: [] }],
    };
    yield `${JSON.stringify(head).slice(0, -1)},"paths":`;
    const operations = new Map<string, Placed[]>();
    yield* this.#find(operations, sight, user);
    yield* object(paths(operations));
    yield ',"components":{"schemas":';
    yield* object(schemas(sight));
    yield ',"parameters":';
    yield* object(parameters(sight));
    const responses = { ...SHARED_RESPONSES, ...this.#errors.responses };
    const rest = { responses, securitySchemes: securitySchemes(this.#config) };
    yield `,${JSON.stringify(rest).slice(1)}}`;
  }
}

/** Serializes an object, member by member. */
function* object(members: Iterable<Member>): Generator<string> {
  let before = '{';
  for (const [name, value] of members) {
    yield `${before}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
