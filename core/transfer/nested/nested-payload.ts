/**
 * Converts the rows of a file to payloads of the API, with their related items. Also returns the
 * items that a payload names, and its number of secrets.
 */

import type { Rights } from '#core/access/rights.ts';
import { knownEnd, knownRelation } from '#core/access/schema-visibility.ts';
import { reason } from '#core/base/errors/reason.ts';
import { JsonNumber } from '#core/base/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import type { Catalog, Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { CONCEALED, isColumn, isConcealed } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { hasSecrets } from '#core/write/special-flags.ts';
import type { WriteTarget } from '#core/write/write-context.ts';
import { MisplacedValue } from '../file/cell-text.ts';
import { keyValue, type NestedValues } from './nested-value.ts';

/** The maximum nesting of lists and objects, as in a JSON body. */
const DEPTH_MAX = 256;
const TOO_DEEP = reason('related_items_nested_too_deep', { limit: DEPTH_MAX });

/** A row as a payload of the API. */
export interface RowPayload {
  readonly value: JsonObject;
  /** The items that it names, and whether it may change them. */
  readonly named: ReadonlyMap<string, boolean>;
  /** The number of values to hash. */
  readonly secrets: number;
}

/** The collected data of a row. */
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
  readonly #rights: Rights;
  /** The relations that are visible to the sender, by collection and field. */
  readonly #relations = new Map<Collection, Map<string, Relation | undefined>>();

  constructor({ catalog, rights }: WriteTarget, collection: Collection, values: NestedValues) {
    this.#catalog = catalog;
    this.#rights = rights;
    this.#collection = collection;
    this.#values = values;
  }

  /** @throws {MisplacedValue} */
  of(item: JsonObject): RowPayload {
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
    const members: [string, unknown][] = [];
    for (const [name, given] of Object.entries(item)) {
      const relation = this.#relation(collection, name);
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

  #relation(collection: Collection, name: string): Relation | undefined {
    const known = this.#relations.get(collection) ?? new Map<string, Relation | undefined>();
    this.#relations.set(collection, known);
    if (!known.has(name)) {
      known.set(name, knownRelation(this.#catalog, this.#rights, collection.name, name));
    }
    return known.get(name);
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
      const end =
        relation.kind === 'm2o'
          ? relation.one
          : knownEnd(this.#rights, relation, item[relation.discriminator]);
      if (end === undefined) return value;
      if (isScalar(value)) this.#name(draft, end.collection, value, false);
      const target = this.#catalog.collections.get(end.collection);
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
