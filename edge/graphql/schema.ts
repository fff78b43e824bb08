/**
 * The schema of one endpoint for one set of permissions. It contains only the types that the given
 * names reach, so that its cost depends on the document. For introspection it contains all types.
 */
import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  specifiedDirectives,
  specifiedScalarTypes,
} from 'graphql';
import { CURRENT_PASSWORD } from '#core/accounts/identity/password-confirmation.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import { SERVED } from '#core/model/system-collections/registry.ts';
import { InputTypes, type UsedNames } from './input-types.ts';
import { type Arguments, OutputTypes } from './output-types.ts';
import type { CollectionFilter } from './reachable-collections.ts';
import { type RouteField, routeFields } from './route-fields.ts';
import { VOID } from './scalars.ts';
import type { SchemaShapes } from './schema-shapes.ts';
import { DELETED_MANY, DELETED_ONE, EVENT, ID, IDS } from './shared-types.ts';

/** The endpoint whose collections a schema contains. */
export type Scope = 'items' | 'system';

/** The operation of a root field on a collection. */
export type RootVerb =
  | 'list'
  | 'one'
  | 'singleton'
  | 'aggregate'
  | 'self'
  | 'updateSelf'
  | 'createMany'
  | 'createOne'
  | 'importFile'
  | 'updateMany'
  | 'updateEach'
  | 'updateOne'
  | 'updateSingleton'
  | 'deleteMany'
  | 'deleteOne';

/** A root field for one collection. */
export interface RootField {
  readonly verb: RootVerb;
  readonly collection: string;
}

export interface EndpointSchema {
  readonly schema: GraphQLSchema;
  readonly queries: ReadonlyMap<string, RootField>;
  readonly mutations: ReadonlyMap<string, RootField>;
  /** The collections of the subscription fields, by field name. */
  readonly subscriptions: ReadonlyMap<string, string>;
  /** Root fields that REST routes answer. */
  readonly routes: ReadonlyMap<string, RouteField>;
}

/** Collections with special write operations, or read-only ones. */
type Forms = 'all' | 'read' | 'single';

function* served(shapes: SchemaShapes, scope: Scope): Generator<[string, string, Forms]> {
  if (scope === 'system') {
    for (const [name, forms] of SERVED) {
      const collection = systemName(name);
      const own = forms === 'own' ? 'all' : forms;
      if (shapes.collection(collection) !== null) yield [name, collection, own];
    }
    return;
  }
  for (const { name, system } of shapes.catalog.collections.values()) {
    if (!system && shapes.collection(name) !== null) yield [name, name, 'all'];
  }
}

type Roots = Record<string, GraphQLFieldConfig<unknown, unknown>>;

const VERSION = { type: GraphQLString };

/** The subscription field of a collection. */
function changesField(collection: string): string {
  return `${collection}_mutated`;
}

class SchemaBuilder {
  readonly #shapes: SchemaShapes;
  readonly #wants: UsedNames;
  readonly #inputs: InputTypes;
  readonly #outputs: OutputTypes;
  readonly #queries = new Map<string, RootField>();
  readonly #mutations = new Map<string, RootField>();
  readonly #routes = new Map<string, RouteField>();
  readonly #query: Roots = {};
  readonly #mutation: Roots = {};
  readonly #subscriptions = new Map<string, string>();
  readonly #subscription: Roots = {};

  constructor(shapes: SchemaShapes, wants: UsedNames, reaches: CollectionFilter) {
    this.#shapes = shapes;
    this.#wants = wants;
    this.#inputs = new InputTypes(shapes, wants, reaches);
    this.#outputs = new OutputTypes(shapes, this.#inputs, { wants, reaches });
  }

  build(scope: Scope): EndpointSchema {
    const collections = [...served(this.#shapes, scope)];
    const lists = new Set(collections.map(([name]) => name));
    for (const [name, collection, forms] of collections) {
      if (this.#shapes.isReadable(collection)) this.#reads(name, collection, lists);
      if (forms !== 'read') this.#writes(name, collection);
      if (scope === 'items') this.#changes(name, collection);
    }
    if (scope === 'system') this.#system();
    if (Object.keys(this.#query).length === 0) this.#query._empty = { type: VOID };
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({ name: 'Query', fields: this.#query }),
      mutation:
        Object.keys(this.#mutation).length === 0
          ? null
          : new GraphQLObjectType({ name: 'Mutation', fields: this.#mutation }),
      subscription:
        this.#subscriptions.size === 0
          ? null
          : new GraphQLObjectType({ name: 'Subscription', fields: this.#subscription }),
      directives: specifiedDirectives,
      // Variables may have these types regardless of their use.
      types: specifiedScalarTypes,
      // Fields that the document does not contain are omitted, so some types have no fields.
      assumeValid: true,
    });
    return {
      ...{ schema, queries: this.#queries, mutations: this.#mutations, routes: this.#routes },
      subscriptions: this.#subscriptions,
    };
  }

  /** The fields of the system endpoint without a collection, and the caller's own user. */
  #system(): void {
    const { queries, mutations } = routeFields(this.#shapes);
    for (const [fields, roots] of [
      [queries, this.#query],
      [mutations, this.#mutation],
    ] as const) {
      for (const [name, field] of Object.entries(fields)) {
        if (!this.#wants(name)) continue;
        roots[name] = field.config;
        this.#routes.set(name, field);
      }
    }
    const files = systemName('files');
    if (this.#shapes.may('create', files)) {
      const url = { type: new GraphQLNonNull(GraphQLString) };
      const args = () => ({ url, data: { type: this.#inputs.payload(files, 'create') } });
      this.#addMutation('import_file', { verb: 'importFile', collection: files }, args);
    }
    const users = systemName('users');
    if (!this.#shapes.isReadable(users)) return;
    this.#addQuery('users_me', { verb: 'self', collection: users }, () => ({
      type: this.#outputs.item(users),
    }));
    if (!this.#shapes.may('update', users)) return;
    const data = () => ({ type: new GraphQLNonNull(this.#inputs.payload(users, 'update')) });
    const field = { verb: 'updateSelf', collection: users } as const;
    const args = () => ({ data: data(), [CURRENT_PASSWORD]: { type: GraphQLString } });
    this.#addMutation('update_users_me', field, args);
  }

  #addQuery(
    name: string,
    field: RootField,
    make: () => GraphQLFieldConfig<unknown, unknown>,
  ): void {
    if (!this.#wants(name)) return;
    this.#query[name] = make();
    this.#queries.set(name, field);
  }

  /** @param lists the names of all collections, which no other field may have */
  #reads(name: string, collection: string, lists: ReadonlySet<string>): void {
    const outputs = this.#outputs;
    if (this.#shapes.collection(collection)?.singleton) {
      this.#addQuery(name, { verb: 'singleton', collection }, () => ({
        type: outputs.item(collection),
        args: { version: VERSION },
      }));
      return;
    }
    this.#addQuery(name, { verb: 'list', collection }, () => ({
      type: outputs.list(collection),
      args: outputs.listArguments(collection),
    }));
    const hasKey = (this.#shapes.collection(collection)?.primaryKey.length ?? 0) > 0;
    if (hasKey && !lists.has(`${name}_by_id`)) {
      this.#addQuery(`${name}_by_id`, { verb: 'one', collection }, () => ({
        type: outputs.item(collection),
        args: { id: ID, version: VERSION },
      }));
    }
    if (lists.has(`${name}_aggregated`)) return;
    this.#addQuery(`${name}_aggregated`, { verb: 'aggregate', collection }, () => ({
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(outputs.aggregated(collection)))),
      args: {
        groupBy: { type: new GraphQLList(GraphQLString) },
        ...outputs.listArguments(collection),
      },
    }));
  }

  /** The subscription field for changes of items. */
  #changes(name: string, collection: string): void {
    const field = changesField(name);
    const hasKey = (this.#shapes.collection(collection)?.primaryKey.length ?? 0) > 0;
    if (!this.#wants(field) || !hasKey || !this.#shapes.isReadable(collection)) return;
    const type = new GraphQLObjectType({
      name: this.#shapes.names.changes(collection),
      fields: () => ({
        key: ID,
        event: { type: EVENT },
        data: { type: this.#outputs.item(collection) },
      }),
    });
    this.#subscription[field] = { type, args: { event: { type: EVENT } } };
    this.#subscriptions.set(field, collection);
  }

  #addMutation(name: string, field: RootField, args: () => Arguments, isList = false): void {
    // A singleton `a_item` and a collection `a` have a mutation of the same name; the first one
    // gets it.
    if (!this.#wants(name) || this.#mutations.has(name)) return;
    const { collection } = field;
    const isReadable = this.#shapes.isReadable(collection);
    const item = () => (isList ? this.#outputs.list(collection) : this.#outputs.item(collection));
    this.#mutation[name] = { type: isReadable ? item() : GraphQLBoolean, args: args() };
    this.#mutations.set(name, field);
  }

  #writes(name: string, collection: string): void {
    const found = this.#shapes.collection(collection);
    if (found === null || found.primaryKey.length === 0) return;
    const payload = (action: 'create' | 'update') => ({
      type: new GraphQLNonNull(this.#inputs.payload(collection, action)),
    });
    const payloads = (action: 'create' | 'update') => ({
      type: new GraphQLList(new GraphQLNonNull(this.#inputs.payload(collection, action))),
    });
    const canWrite = (action: 'create' | 'update') =>
      this.#shapes.may(action, collection) && this.#shapes.isWritable(collection, action);
    const listed = () =>
      this.#shapes.isReadable(collection) ? this.#outputs.listArguments(collection) : {};
    if (found.singleton) {
      if (!canWrite('update')) return;
      const field = { verb: 'updateSingleton', collection } as const;
      this.#addMutation(`update_${name}`, field, () => ({ data: payload('update') }));
      return;
    }
    if (canWrite('create')) {
      const many = { verb: 'createMany', collection } as const;
      const args = () => ({ data: payloads('create'), ...listed() });
      this.#addMutation(`create_${name}_items`, many, args, true);
      const one = { verb: 'createOne', collection } as const;
      this.#addMutation(`create_${name}_item`, one, () => ({ data: payload('create') }));
    }
    if (canWrite('update')) {
      const many = { verb: 'updateMany', collection } as const;
      const args = () => ({ ids: IDS, data: payload('update'), ...listed() });
      this.#addMutation(`update_${name}_items`, many, args, true);
      const each = { verb: 'updateEach', collection } as const;
      const batch = () => ({ data: payloads('update'), ...listed() });
      this.#addMutation(`update_${name}_batch`, each, batch, true);
      const one = { verb: 'updateOne', collection } as const;
      this.#addMutation(`update_${name}_item`, one, () => ({ id: ID, data: payload('update') }));
    }
    if (this.#shapes.may('delete', collection)) this.#deletes(name, collection);
  }

  #deletes(name: string, collection: string): void {
    const [many, one] = [`delete_${name}_items`, `delete_${name}_item`];
    if (this.#wants(many) && !this.#mutations.has(many)) {
      this.#mutation[many] = { type: DELETED_MANY, args: { ids: IDS } };
      this.#mutations.set(many, { verb: 'deleteMany', collection });
    }
    if (this.#wants(one) && !this.#mutations.has(one)) {
      this.#mutation[one] = { type: DELETED_ONE, args: { id: ID } };
      this.#mutations.set(one, { verb: 'deleteOne', collection });
    }
  }
}

/** Builds the schema. */
export function buildSchema(
  shapes: SchemaShapes,
  scope: Scope,
  wants: UsedNames,
  reaches: CollectionFilter,
): EndpointSchema {
  return new SchemaBuilder(shapes, wants, reaches).build(scope);
}

const VERBS = /^(?:create|update|delete)_(.*?)(?:_items|_item|_batch)?$/;

/** The collections that root fields with these names may concern. */
export function rootCollections(scope: Scope, names: Iterable<string>): Set<string> {
  const found = new Set<string>(scope === 'system' ? [systemName('users')] : []);
  for (const name of names) {
    const [, written = name] = VERBS.exec(name) ?? [];
    for (const one of [name, written, name.replace(/_(?:by_id|aggregated|mutated)$/, '')]) {
      found.add(scope === 'system' ? systemName(one) : one);
    }
  }
  return found;
}
