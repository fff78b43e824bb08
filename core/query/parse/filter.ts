/**
 * The grammar of filters: objects of fields, operators, the connectives `_and` and `_or`, the
 * quantifiers `_some` and `_none`, and `_json` for conditions inside documents.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { isOperator, type Operator } from '../operator.ts';
import type { Filter } from '../query.ts';
import { ElementCounter } from './counter.ts';
import { listEntries, RESERVED_NAME, requireShortName } from './list.ts';
import { checkOperand, isNumbered } from './operand.ts';

const QUANTIFIERS: Readonly<Record<string, 'some' | 'none'>> = { _some: 'some', _none: 'none' };

/** The context of one filter. */
interface Manner {
  readonly counter: ElementCounter;
  readonly spelled: boolean;
  /** It is below a field, a relation or a quantifier, where each part must be a condition. */
  readonly below: boolean;
  /** The field whose related items the filter tests. */
  readonly owner?: Owner | null | undefined;
}

/** A field in a filter; with fields below it is a relation, and is counted once. */
interface Owner {
  isCounted: boolean;
}

/** Whether a filter has no condition: `{}`, `_and: []`, or only these. */
export function isUnconditional(filter: Filter): boolean {
  return (
    filter.kind === 'group' && filter.connective === 'and' && filter.filters.every(isUnconditional)
  );
}

/** Parses a filter that must not be empty, because an empty one would widen the result. */
function parseCondition(value: unknown, place: string, manner: Manner): Filter {
  const filter = parseLevel(value, place, manner);
  if (isUnconditional(filter)) throw invalidQuery(reason('condition_missing', { place }));
  return filter;
}

type Connective = 'and' | 'or';

function parseGroup(connective: Connective, value: unknown, place: string, manner: Manner): Filter {
  if (!Array.isArray(value) && !isNumbered(value))
    throw invalidQuery(reason('list_expected', { place }));
  const { counter, below } = manner;
  const entries = listEntries(value, place);
  if (entries.length === 0) counter.add('conditions');
  const isDemanded = connective === 'or' || below;
  if (isDemanded && entries.length === 0)
    throw invalidQuery(reason('condition_missing', { place }));
  const parse = isDemanded ? parseCondition : parseLevel;
  const filters = entries.map((entry, index) =>
    counter.nested(() => parse(entry, `${place}[${index}]`, manner)),
  );
  return { kind: 'group', connective, filters };
}

function parseMember(key: string, value: unknown, path: string, manner: Manner): Filter {
  const place = `${path}.${key}`;
  const below = (owner = manner.owner) =>
    manner.counter.nested(() => parseCondition(value, place, { ...manner, below: true, owner }));
  requireShortName(key, path);
  if (key === RESERVED_NAME) throw invalidQuery(reason('field_name_impossible', { place }));
  if (key === '_and') return parseGroup('and', value, place, manner);
  if (key === '_or') return parseGroup('or', value, place, manner);
  const quantifier = Object.hasOwn(QUANTIFIERS, key) ? QUANTIFIERS[key] : undefined;
  if (quantifier !== undefined) return { kind: 'quantifier', quantifier, filter: below(), place };
  if (key === '_json') return { kind: 'document', filter: below(null), place };
  if (isOperator(key)) return parseOperation(key, value, place, manner);
  countJoin(manner);
  const own = { isCounted: false };
  const filter = isJsonObject(value) ? below(own) : parseOperation('_eq', value, place, manner);
  return { kind: 'field', key, filter, place };
}

/** Counts the relation of the tested fields, once for all of them. */
function countJoin({ owner, counter }: Manner): void {
  if (!owner || owner.isCounted) return;
  owner.isCounted = true;
  counter.add('joins');
}

function parseOperation(operator: Operator, value: unknown, place: string, manner: Manner): Filter {
  manner.counter.condition(operator, value);
  checkOperand(operator, value, place, manner.spelled);
  return { kind: 'operation', operator, value, place, spelled: manner.spelled };
}

function parseLevel(value: unknown, place: string, manner: Manner): Filter {
  if (!isJsonObject(value)) throw invalidQuery(reason('query_object_expected', { place }));
  const filters = Object.entries(value).map(([key, member]) =>
    parseMember(key, member, place, manner),
  );
  if (filters.length === 0) manner.counter.add('conditions');
  const [only] = filters;
  return filters.length === 1 && only !== undefined
    ? only
    : { kind: 'group', connective: 'and', filters };
}

/**
 * Parses a filter object. A condition is either complete or rejected: only `{}` and `_and: []` mean
 * no condition, and only outside of fields.
 * @param place the parameter that contains it, for errors
 * @param counter counts its parts; by default only the nesting is limited, as for stored filters
 * @param spelled it comes from a URL, where texts such as `true` and `5` represent other values
 * @throws ServiceError INVALID_QUERY naming the place, such as `filter.author.name._eq`
 */
export function parseFilter(
  value: unknown,
  place: string,
  counter: ElementCounter = ElementCounter.ofStored(),
  spelled = false,
): Filter {
  return parseLevel(value, place, { counter, spelled, below: false });
}
