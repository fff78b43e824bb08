/**
 * The grammar of filters: objects of fields, operators, the connectives `_and` and `_or`, the
 * quantifiers `_some` and `_none`, and `_json` for conditions inside documents.
 */
import { invalidQuery } from '#core/errors/service-error.ts';
import { isOperator } from '../operator.ts';
import type { Filter } from '../query.ts';
import { entriesOf, isMembers } from './list.ts';

/** Deepest nesting of objects in a filter; deeper ones are refused before anything recurses. */
const MAX_DEPTH = 64;

const QUANTIFIERS: Readonly<Record<string, 'some' | 'none'>> = { _some: 'some', _none: 'none' };

function parseMember(key: string, value: unknown, path: string, depth: number): Filter {
  const place = `${path}.${key}`;
  if (key === '_and' || key === '_or') {
    const filters = entriesOf(value, place).map((entry, index) =>
      parseLevel(entry, `${place}[${index}]`, depth + 1),
    );
    return { kind: 'group', connective: key === '_and' ? 'and' : 'or', filters };
  }
  const quantifier = Object.hasOwn(QUANTIFIERS, key) ? QUANTIFIERS[key] : undefined;
  if (quantifier !== undefined) {
    return { kind: 'quantifier', quantifier, filter: parseLevel(value, place, depth + 1), place };
  }
  if (key === '_json')
    return { kind: 'document', filter: parseLevel(value, place, depth + 1), place };
  if (isOperator(key)) return { kind: 'operation', operator: key, value, place };
  const filter: Filter = isMembers(value)
    ? parseLevel(value, place, depth + 1)
    : { kind: 'operation', operator: '_eq', value, place };
  return { kind: 'field', key, filter, place };
}

function parseLevel(value: unknown, place: string, depth: number): Filter {
  if (depth > MAX_DEPTH) throw invalidQuery(`"filter" is nested deeper than ${MAX_DEPTH} levels.`);
  if (!isMembers(value)) throw invalidQuery(`"${place}" must be an object.`);
  const filters = Object.entries(value).map(([key, member]) =>
    parseMember(key, member, place, depth),
  );
  const [only] = filters;
  return filters.length === 1 && only !== undefined
    ? only
    : { kind: 'group', connective: 'and', filters };
}

/**
 * Parses a filter object.
 * @param place the parameter it stands in, for errors
 * @throws ServiceError INVALID_QUERY naming the place, such as `filter.author.name._eq`
 */
export function parseFilter(value: unknown, place: string): Filter {
  return parseLevel(value, place, 0);
}
