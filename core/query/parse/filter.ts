/** The grammar of filters: objects of fields, operators and the connectives `_and` and `_or`. */
import { invalidQuery } from '#core/errors/service-error.ts';
import { isOperator } from '../operator.ts';
import type { Filter } from '../query.ts';

/** Deepest nesting of objects in a filter; deeper ones are refused before anything recurses. */
const MAX_DEPTH = 64;

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list behind `_and` and `_or`: an array, or an object with numbered members. */
function listOf(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isMembers(value)) return Object.values(value);
  throw invalidQuery(`"${place}" must be a list of filters.`);
}

function parseMember(key: string, value: unknown, path: string, depth: number): Filter {
  const place = `${path}.${key}`;
  if (key === '_and' || key === '_or') {
    const filters = listOf(value, place).map((entry, index) =>
      parseLevel(entry, `${place}[${index}]`, depth + 1),
    );
    return { kind: 'group', connective: key === '_and' ? 'and' : 'or', filters };
  }
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
  return filters.length === 1 && filters[0] !== undefined
    ? filters[0]
    : { kind: 'group', connective: 'and', filters };
}

/**
 * Parses a filter object.
 * @throws ServiceError INVALID_QUERY naming the place, such as `filter.author.name._eq`
 */
export function parseFilter(value: unknown): Filter {
  return parseLevel(value, 'filter', 0);
}
