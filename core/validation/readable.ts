/**
 * Whether a stored rule can be read: its grammar, and for validations the names in it. One that
 * cannot is refused where it is stored, and lets nothing pass where it is met.
 */
import type { Catalog, Collection, ColumnField } from '#core/catalog/catalog.ts';
import type { Relation } from '#core/catalog/relation.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { callOf } from '#core/query/call.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Filter } from '#core/query/query.ts';
import { columnOf } from './column.ts';
import { operandFault } from './operand.ts';
import { isPattern } from './regex.ts';

type Operation = Extract<Filter, { kind: 'operation' }>;

const FLAGS: ReadonlySet<unknown> = new Set([true, false]);

/** What is wrong with the grammar of a filter; null when nothing is. */
export function filterFault(value: unknown, place: string): string | null {
  try {
    parseFilter(value, place);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return String(error.details.reason ?? error.message);
  }
}

/** What an operator that only payloads know lacks; undefined for other names. */
function payloadFault(key: string, { value }: Operation, place: string): string | null | undefined {
  if (key === '_submitted') return FLAGS.has(value) ? null : `"${place}" must be true or false.`;
  if (key !== '_regex') return undefined;
  return typeof value === 'string' && isPattern(value)
    ? null
    : `"${place}" is no regular expression that can be read.`;
}

/** A part of a payload that names are looked up in; null where anything may stand. */
type Part = { readonly collection: Collection } | null;

/** What operators stand on. */
interface Stand {
  /** What lies below; undefined where nothing does. */
  readonly below: Part | undefined;
  /** Null for the result of a function, undefined for what has no type. */
  readonly field?: ColumnField | null;
  /** It is a field of the item itself, of which PostgreSQL can be asked. */
  readonly isOwn: boolean;
}

class Reading {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** A filter whose names are members of an item. */
  level(filter: Filter, part: Part, isOwn = false): string | null {
    if (filter.kind === 'group') {
      return first(filter.filters, (inner) => this.level(inner, part, isOwn));
    }
    if (filter.kind !== 'field') return `"${filter.place}" stands where a field is expected.`;
    const { key, place } = filter;
    if (part === null) {
      return key.startsWith('_')
        ? noOperator(place)
        : this.value(filter.filter, { below: null, isOwn });
    }
    const name = callOf(key)?.field ?? key;
    const field = part.collection.fields.get(name);
    const relation = this.#catalog.relations.get(part.collection.name)?.get(name);
    if (field === undefined && relation === undefined) {
      return `"${place}": "${part.collection.name}" has no field "${name}".`;
    }
    const below = this.#below(relation, field?.type === 'json');
    if (callOf(key) !== null) return this.value(filter.filter, { below, field: null, isOwn });
    const column = columnOf(part.collection, name);
    return this.value(
      filter.filter,
      column === null ? { below, isOwn } : { below, field: column, isOwn },
    );
  }

  /** What lies below a value; undefined where nothing does. */
  #below(relation: Relation | undefined, isDocument: boolean): Part | undefined {
    if (relation === undefined) return isDocument ? null : undefined;
    if (relation.kind === 'a2o') return null;
    const name = relation.kind === 'm2o' ? relation.one.collection : relation.many.collection;
    const collection = this.#catalog.collections.get(name);
    return collection === undefined ? null : { collection };
  }

  /** A filter that stands on one value. */
  value(filter: Filter, stand: Stand): string | null {
    switch (filter.kind) {
      case 'group':
        return first(filter.filters, (inner) => this.value(inner, stand));
      case 'quantifier':
      case 'document':
        return stand.isOwn && stand.field?.type === 'json'
          ? null
          : `"${filter.place}": a validation looks into lists and documents of the item itself, not into related items.`;
      case 'operation':
        return stand.field === undefined ? null : operandFault(stand.field, filter, stand.isOwn);
      case 'field': {
        const { key, place, filter: inner } = filter;
        const fault = inner.kind === 'operation' ? payloadFault(key, inner, place) : undefined;
        if (fault !== undefined) return fault;
        return stand.below === undefined ? noOperator(place) : this.level(filter, stand.below);
      }
    }
  }
}

function noOperator(place: string): string {
  return `"${place}" is neither an operator nor a field.`;
}

function first(filters: readonly Filter[], look: (filter: Filter) => string | null): string | null {
  for (const filter of filters) {
    const found = look(filter);
    if (found !== null) return found;
  }
  return null;
}

const known = new WeakMap<Filter, { readonly catalog: Catalog; readonly fault: string | null }>();

/**
 * What keeps a validation of the items of a collection from being judged; null when nothing does.
 * Remembered for the catalog that it was last looked at with.
 */
export function validationFault(
  catalog: Catalog,
  collection: Collection,
  filter: Filter,
): string | null {
  const found = known.get(filter);
  if (found?.catalog === catalog) return found.fault;
  const fault = new Reading(catalog).level(filter, { collection }, true);
  known.set(filter, { catalog, fault });
  return fault;
}
