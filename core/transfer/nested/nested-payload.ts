/**
 * Turns the rows of a file into payloads as the API takes them, with their related items. Tells which
 * items a payload names, and how many secrets it brings.
 */
import type { Catalog, Collection, ColumnField } from '#core/catalog/catalog.ts';
import { isColumn } from '#core/catalog/catalog.ts';
import { CONCEALED, isConcealed } from '#core/catalog/concealed-field.ts';
import type { Relation } from '#core/catalog/relation.ts';
import { isJsonObject, type JsonObject } from '#core/json/json-object.ts';
import { hasSecrets } from '#core/mutation/special.ts';
import { MisplacedValue } from '../file/cell-text.ts';
import { JsonNumber } from '../file/exact-json.ts';
import { keyValue, type NestedValues } from './nested-value.ts';

/** Lists and objects within each other, as in a JSON body. */
const DEPTH_MAX = 256;
const TOO_DEEP = `Related items may be nested ${DEPTH_MAX} deep.`;

/** A row as it would be sent to the API. */
export interface Payload {
  readonly value: JsonObject;
  /** The items that it names, and whether it may change them. */
  readonly named: ReadonlyMap<string, boolean>;
  /** Values that are to be hashed. */
  readonly secrets: number;
}

/** What is gathered while a row is read. */
interface Draft {
  readonly named: Map<string, boolean>;
  secrets: number;
}

function isRelated(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof JsonNumber);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || value instanceof JsonNumber;
}

export class Payloads {
  readonly #catalog: Catalog;
  readonly #collection: Collection;
  readonly #values: NestedValues;

  constructor(catalog: Catalog, collection: Collection, values: NestedValues) {
    this.#catalog = catalog;
    this.#collection = collection;
    this.#values = values;
  }

  /** @throws {MisplacedValue} */
  of(item: JsonObject): Payload {
    const draft: Draft = { named: new Map(), secrets: 0 };
    const value = this.#item(draft, this.#collection, item, 1);
    return { value, ...draft };
  }

  #name(draft: Draft, collection: string, key: unknown, isWritten: boolean): void {
    const name = JSON.stringify([collection, String(keyValue(key))]);
    draft.named.set(name, isWritten || draft.named.get(name) === true);
  }

  #item(draft: Draft, collection: Collection, item: JsonObject, depth: number): JsonObject {
    if (depth > DEPTH_MAX) throw new MisplacedValue('', TOO_DEEP);
    const relations = this.#catalog.relations.get(collection.name);
    const members: [string, unknown][] = [];
    for (const [name, given] of Object.entries(item)) {
      const relation = relations?.get(name);
      const field = collection.fields.get(name);
      let value: unknown = given;
      if (relation !== undefined) value = this.#related(draft, { relation, item, depth }, given);
      if (isColumn(field) && !(relation !== undefined && isRelated(given))) {
        if (given === CONCEALED && isConcealed(field)) continue;
        value = this.#own(draft, field, value);
      } else if (value instanceof JsonNumber) value = value.source;
      members.push([name, value]);
    }
    const keys = collection.primaryKey.map(({ name }) => item[name]);
    if (keys.length > 0 && keys.every((key) => key !== undefined && key !== null)) {
      this.#name(draft, collection.name, keys.map(keyValue).join(','), true);
    }
    return Object.fromEntries(members);
  }

  #own(draft: Draft, field: ColumnField, value: unknown): unknown {
    if (value === null || value === undefined) return value;
    if (hasSecrets(field) && typeof value === 'string' && value !== '') draft.secrets += 1;
    return this.#values.json(field, value);
  }

  #related(
    draft: Draft,
    from: { readonly relation: Relation; readonly item: JsonObject; readonly depth: number },
    value: unknown,
  ): unknown {
    const { relation, item, depth } = from;
    if (relation.kind === 'm2o' || relation.kind === 'a2o') {
      const name = relation.kind === 'm2o' ? relation.one.collection : item[relation.discriminator];
      if (isScalar(value)) this.#name(draft, String(name), value, false);
      const target = this.#catalog.collections.get(String(name));
      if (!isRelated(value) || target === undefined) return value;
      return this.#item(draft, target, value, depth + 1);
    }
    const child = this.#catalog.collections.get(relation.many.collection);
    if (child === undefined) return value;
    const each = (list: unknown): unknown =>
      Array.isArray(list) ? list.map((one) => this.#entry(draft, child, one, depth + 2)) : list;
    if (!isRelated(value)) return each(value);
    return Object.fromEntries(Object.entries(value).map(([name, list]) => [name, each(list)]));
  }

  /** An entry of a list of related items: a key or an item. */
  #entry(draft: Draft, child: Collection, value: unknown, depth: number): unknown {
    if (isRelated(value)) return this.#item(draft, child, value, depth);
    this.#name(draft, child.name, value, true);
    return keyValue(value);
  }
}
