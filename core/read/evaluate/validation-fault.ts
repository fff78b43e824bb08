/**
 * Checks whether a stored rule is valid: its grammar, and for validations also its names. An
 * invalid rule is rejected when it is stored; a stored one lets no payload pass.
 */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Catalog, Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { columnOf } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { parseFunctionCall } from '#core/query/function-call.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Filter } from '#core/query/query.ts';
import { operandFault } from './operand.ts';
import { isPattern } from './regex.ts';

type Operation = Extract<Filter, { kind: 'operation' }>;

const FLAGS: ReadonlySet<unknown> = new Set([true, false]);

/** The fault in the grammar of a filter; null without a fault. */
export function filterFault(value: unknown, place: string): Reason | null {
  try {
    parseFilter(value, place);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return reasonOf(error);
  }
}

/** The fault of an operator for payloads only; undefined for other names. */
function payloadFault(key: string, { value }: Operation, place: string): Reason | null | undefined {
  if (key === '_submitted') return FLAGS.has(value) ? null : reason('boolean_expected', { place });
  if (key !== '_regex') return undefined;
  return typeof value === 'string' && isPattern(value)
    ? null
    : reason('regular_expression_invalid', { place });
}

/** The scope in which names are looked up; null where any name is valid. */
type Part = { readonly collection: Collection } | null;

/** The value that operators apply to. */
interface Stand {
  /** The scope of the value's members; undefined when it has no members. */
  readonly below: Part | undefined;
  /** Null for the result of a function, undefined for a value without a type. */
  readonly field?: ColumnField | null;
  /** It is a field of the item itself, which PostgreSQL can evaluate. */
  readonly isOwn: boolean;
}

class Reading {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Checks a filter whose names are members of an item. */
  level(filter: Filter, part: Part, isOwn = false): Reason | null {
    if (filter.kind === 'group') {
      return first(filter.filters, (inner) => this.level(inner, part, isOwn));
    }
    if (filter.kind !== 'field') return reason('field_expected', { place: filter.place });
    const { key, place } = filter;
    if (part === null) {
      return key.startsWith('_')
        ? noOperator(place)
        : this.value(filter.filter, { below: null, isOwn });
    }
    const name = parseFunctionCall(key)?.field ?? key;
    const field = part.collection.fields.get(name);
    const relation = this.#catalog.relations.get(part.collection.name)?.get(name);
    if (field === undefined && relation === undefined) {
      return reason('validation_field_unknown', {
        place,
        collection: part.collection.name,
        field: name,
      });
    }
    const below = this.#below(relation, field?.type === 'json');
    if (parseFunctionCall(key) !== null)
      return this.value(filter.filter, { below, field: null, isOwn });
    const column = columnOf(part.collection, name);
    return this.value(
      filter.filter,
      column === null ? { below, isOwn } : { below, field: column, isOwn },
    );
  }

  /** The scope of a value's members; undefined when it has no members. */
  #below(relation: Relation | undefined, isDocument: boolean): Part | undefined {
    if (relation === undefined) return isDocument ? null : undefined;
    if (relation.kind === 'a2o') return null;
    const name = relation.kind === 'm2o' ? relation.one.collection : relation.many.collection;
    const collection = this.#catalog.collections.get(name);
    return collection === undefined ? null : { collection };
  }

  /** Checks a filter that applies to one value. */
  value(filter: Filter, stand: Stand): Reason | null {
    switch (filter.kind) {
      case 'group':
        return first(filter.filters, (inner) => this.value(inner, stand));
      case 'quantifier':
      case 'document':
        return stand.isOwn && stand.field?.type === 'json'
          ? null
          : reason('validation_of_related_items', { place: filter.place });
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

function noOperator(place: string): Reason {
  return reason('operator_or_field_unknown', { place });
}

function first(filters: readonly Filter[], look: (filter: Filter) => Reason | null): Reason | null {
  for (const filter of filters) {
    const found = look(filter);
    if (found !== null) return found;
  }
  return null;
}

const known = new WeakMap<Filter, { readonly catalog: Catalog; readonly fault: Reason | null }>();

/**
 * The reason why a validation of a collection's items cannot be evaluated; null when it can. Cached
 * for the catalog of the last check.
 */
export function validationFault(
  catalog: Catalog,
  collection: Collection,
  filter: Filter,
): Reason | null {
  const found = known.get(filter);
  if (found?.catalog === catalog) return found.fault;
  const fault = new Reading(catalog).level(filter, { collection }, true);
  known.set(filter, { catalog, fault });
  return fault;
}
