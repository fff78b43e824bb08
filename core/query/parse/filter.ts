/**
 * The grammar of filters: objects of fields, operators, the connectives `_and` and `_or`, the
 * quantifiers `_some` and `_none`, and `_json` for conditions inside documents.
 */
import { invalidQuery } from '#core/errors/service-error.ts';
import { isOperator } from '../operator.ts';
import type { Filter } from '../query.ts';
import { Counter } from './counter.ts';
import { entriesOf, isMembers } from './list.ts';

const QUANTIFIERS: Readonly<Record<string, 'some' | 'none'>> = { _some: 'some', _none: 'none' };

function parseMember(key: string, value: unknown, path: string, counter: Counter): Filter {
  const place = `${path}.${key}`;
  const below = (inside: unknown, where: string) =>
    counter.nested(() => parseLevel(inside, where, counter));
  if (key === '_and' || key === '_or') {
    const entries = entriesOf(value, place);
    if (entries.length === 0) counter.add('conditions');
    const filters = entries.map((entry, index) => below(entry, `${place}[${index}]`));
    return { kind: 'group', connective: key === '_and' ? 'and' : 'or', filters };
  }
  const quantifier = Object.hasOwn(QUANTIFIERS, key) ? QUANTIFIERS[key] : undefined;
  if (quantifier !== undefined) {
    return { kind: 'quantifier', quantifier, filter: below(value, place), place };
  }
  if (key === '_json') return { kind: 'document', filter: below(value, place), place };
  if (isOperator(key)) {
    counter.condition(key, value);
    return { kind: 'operation', operator: key, value, place };
  }
  if (isMembers(value)) return { kind: 'field', key, filter: below(value, place), place };
  counter.condition('_eq', value);
  const filter: Filter = { kind: 'operation', operator: '_eq', value, place };
  return { kind: 'field', key, filter, place };
}

function parseLevel(value: unknown, place: string, counter: Counter): Filter {
  if (!isMembers(value)) throw invalidQuery(`"${place}" must be an object.`);
  const filters = Object.entries(value).map(([key, member]) =>
    parseMember(key, member, place, counter),
  );
  if (filters.length === 0) counter.add('conditions');
  const [only] = filters;
  return filters.length === 1 && only !== undefined
    ? only
    : { kind: 'group', connective: 'and', filters };
}

/**
 * Parses a filter object.
 * @param place the parameter it stands in, for errors
 * @param counter counts its parts; by default only the nesting is bounded, as of what is stored
 * @throws ServiceError INVALID_QUERY naming the place, such as `filter.author.name._eq`
 */
export function parseFilter(
  value: unknown,
  place: string,
  counter: Counter = Counter.ofStored(),
): Filter {
  return parseLevel(value, place, counter);
}
