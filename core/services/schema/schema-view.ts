/** Shows the schema as JSON: the collections, fields and relations that a caller may see. */
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Collection, Field } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import {
  type RelationObject,
  relationObjects,
  reverseObject,
} from '#core/schema/relation-object.ts';
import { collectionObject, type FieldObject, fieldObject } from '#core/schema/schema-object.ts';
import type { RightsSource } from '../request-context.ts';
import type { IndexBuilds } from './index-build.ts';
import { type MetaTable, VisibleSchema } from './visible-schema.ts';

export interface SchemaViewOptions {
  readonly catalog: CatalogSource;
  readonly access: RightsSource;
  /** The indexes that are being built. */
  readonly builds: () => Promise<IndexBuilds>;
}

/** `{"data":…}`, built in slices so that a large schema does not block other requests. */
async function listText(objects: Iterable<object>): Promise<string> {
  const slice = new TimeSlice();
  const texts: string[] = [];
  for (const object of objects) {
    texts.push(JSON.stringify(object));
    await slice.rest();
  }
  return `{"data":[${texts.join(',')}]}`;
}

function text(object: object): string {
  return JSON.stringify({ data: object });
}

const NO_FOREIGN_KEY = {
  foreign_key_schema: null,
  foreign_key_table: null,
  foreign_key_column: null,
} as const;

/** The type of a collection that is not a plain table. */
function kindOf({ table }: Collection) {
  return table?.kind === 'view' || table?.kind === 'materialized view' ? { type: 'view' } : {};
}

/** A multi-field key is empty for callers that may not see all its fields. */
function shownCollection(sight: VisibleSchema, collection: Collection) {
  const { meta, schema, ...object } = collectionObject(collection);
  const key = schema?.primary_key ?? [];
  const isHidden = key.some((field) => !sight.seesField(collection.name, field));
  const shown = schema === null ? null : { ...schema, ...kindOf(collection) };
  return {
    ...object,
    meta: sight.meta('collections', meta),
    schema: isHidden ? { ...shown, primary_key: [] } : shown,
  };
}

/** A column names other tables and columns only to callers that may see them. */
function shownSchema(sight: VisibleSchema, collection: Collection, { schema }: FieldObject) {
  if (schema === null) return null;
  const target = schema.foreign_key_table;
  return {
    ...schema,
    ...(sight.seesAllFields(collection.name) ? {} : { generation_expression: null }),
    ...(target === null || sight.sees(target) ? {} : NO_FOREIGN_KEY),
  };
}

function shownField(
  sight: VisibleSchema,
  collection: Collection,
  field: Field,
  builds: IndexBuilds,
) {
  const object = fieldObject(collection, field, builds.has(collection.name, field.name));
  const schema = shownSchema(sight, collection, object);
  return { ...object, meta: sight.meta('fields', object.meta), schema };
}

function* fieldsOf(sight: VisibleSchema, collection: Collection, builds: IndexBuilds) {
  for (const field of collection.fields.values()) {
    if (sight.seesField(collection.name, field.name)) {
      yield shownField(sight, collection, field, builds);
    }
  }
}

function* allFields(sight: VisibleSchema, builds: IndexBuilds) {
  for (const collection of sight.catalog.collections.values()) {
    if (sight.sees(collection.name)) yield* fieldsOf(sight, collection, builds);
  }
}

/** Whether both sides may be seen; a relation to several collections shows the visible ones. */
function seesRelation(
  sight: VisibleSchema,
  { collection, field, related_collection }: RelationObject,
) {
  const relation = sight.catalog.relations.get(collection)?.get(field);
  const columns = relation?.kind === 'm2o' ? relation.many.columns : [field];
  return (
    columns.every((column) => sight.seesField(collection, column)) &&
    (related_collection === null || sight.sees(related_collection))
  );
}

/** A row of metadata in which names that the caller may not see are null. */
function visibleNames(
  sight: VisibleSchema,
  { collection, related_collection, meta }: RelationObject,
) {
  if (meta === null) return null;
  const { one_field, one_allowed_collections: allowed, junction_field, sort_field } = meta;
  const known = (owner: string | null, field: unknown) =>
    typeof field === 'string' && owner !== null && sight.seesField(owner, field) ? field : null;
  return {
    ...meta,
    one_field: known(related_collection, one_field),
    one_allowed_collections: Array.isArray(allowed)
      ? allowed.filter((name) => sight.sees(String(name)))
      : null,
    junction_field: known(collection, junction_field),
    sort_field: known(collection, sort_field),
  };
}

/** The list on the other side, unless the caller may not read it. */
function visibleReverse(sight: VisibleSchema, collection: Collection, relation: RelationObject) {
  const { field, related_collection: related } = relation;
  const reverse = reverseObject(sight.catalog, collection, field);
  if (reverse === null || related === null || !sight.seesField(related, reverse.field)) return null;
  const { junction_field: onward } = reverse;
  const knowsOnward = onward !== null && sight.seesField(collection.name, onward);
  return { ...reverse, junction_field: knowsOnward ? onward : null };
}

function* relationsOf(sight: VisibleSchema, collection: Collection, { reverse }: ListedRelations) {
  if (!sight.sees(collection.name)) return;
  for (const object of relationObjects(sight.catalog, collection)) {
    if (!seesRelation(sight, object)) continue;
    const meta = sight.meta('relations', visibleNames(sight, object));
    yield {
      ...{ ...object, meta },
      ...(reverse && { reverse: visibleReverse(sight, collection, object) }),
    };
  }
}

function* allRelations(sight: VisibleSchema, listed: ListedRelations) {
  for (const collection of sight.catalog.collections.values())
    yield* relationsOf(sight, collection, listed);
}

/** What lists of relations contain beside the relations themselves. */
export interface ListedRelations {
  /** The field of the other side that lists the referring items. */
  readonly reverse: boolean;
}

const PLAIN: ListedRelations = { reverse: false };

/**
 * Every method yields the text `{"data":…}`. It throws FORBIDDEN when the caller may not read the
 * metadata, and for objects that do not exist or are not visible.
 */
export class SchemaView {
  readonly #options: SchemaViewOptions;

  constructor(options: SchemaViewOptions) {
    this.#options = options;
  }

  /** The collections that the caller may read, and the folders that contain them. */
  async collections(caller: Caller): Promise<string> {
    const sight = await this.#sight(caller, 'collections');
    const shown = [...sight.catalog.collections.values()].filter(({ name }) => sight.shows(name));
    return listText(shown.map((collection) => shownCollection(sight, collection)));
  }

  /** Some collections by name, in the given order. @throws ServiceError also INVALID_PAYLOAD */
  async someCollections(caller: Caller, names: readonly unknown[]): Promise<string> {
    const sight = await this.#sight(caller, 'collections');
    const shown = names.map((name) => {
      if (typeof name !== 'string') throw invalidPayload(reason('keys_of_collections_expected'));
      return this.#collection(sight, name);
    });
    return listText(shown);
  }

  async collection(caller: Caller, name: string): Promise<string> {
    return text(this.#collection(await this.#sight(caller, 'collections'), name));
  }

  async fields(caller: Caller): Promise<string> {
    const sight = await this.#sight(caller, 'fields');
    return listText(allFields(sight, await this.#options.builds()));
  }

  async fieldsOf(caller: Caller, collection: string): Promise<string> {
    const sight = await this.#sight(caller, 'fields');
    const owner = sight.collection(collection);
    return listText(fieldsOf(sight, owner, await this.#options.builds()));
  }

  /** Some fields of a collection by name, in the given order. */
  async someFields(caller: Caller, collection: string, names: readonly string[]): Promise<string> {
    const sight = await this.#sight(caller, 'fields');
    const builds = await this.#options.builds();
    return listText(names.map((name) => this.#field(sight, collection, name, builds)));
  }

  async field(caller: Caller, collection: string, name: string): Promise<string> {
    const sight = await this.#sight(caller, 'fields');
    return text(this.#field(sight, collection, name, await this.#options.builds()));
  }

  async relations(caller: Caller, listed: ListedRelations): Promise<string> {
    return listText(allRelations(await this.#sight(caller, 'relations'), listed));
  }

  /** The relations of a collection to other collections. */
  async relationsOf(caller: Caller, collection: string, listed: ListedRelations): Promise<string> {
    const sight = await this.#sight(caller, 'relations');
    return listText(relationsOf(sight, sight.collection(collection), listed));
  }

  async relation(caller: Caller, collection: string, field: string): Promise<string> {
    const sight = await this.#sight(caller, 'relations');
    const relations = relationsOf(sight, sight.collection(collection), PLAIN);
    const found = relations.find((relation) => relation.field === field);
    if (found === undefined) throw refusal({ collection, relation: field });
    return text(found);
  }

  async #sight(caller: Caller, table: MetaTable): Promise<VisibleSchema> {
    const { access, catalog } = this.#options;
    const rights = await access.rightsOf(caller);
    const sight = new VisibleSchema(catalog.current(), rights, caller);
    sight.require(table);
    return sight;
  }

  #collection(sight: VisibleSchema, name: string) {
    const found = sight.catalog.collections.get(name);
    if (found === undefined || !sight.shows(name)) throw refusal({ collection: name });
    return shownCollection(sight, found);
  }

  #field(sight: VisibleSchema, collection: string, name: string, builds: IndexBuilds) {
    const owner = sight.collection(collection);
    const field = owner.fields.get(name);
    if (field === undefined || !sight.seesField(collection, name))
      throw refusal({ collection, field: name });
    return shownField(sight, owner, field, builds);
  }
}
