/**
 * Replaces names in stored parts of queries: paths such as `author.name`, filters, rules and
 * templates. Paths are followed from collection to collection, so that only the renamed field
 * changes and not another field of the same name. Unknown names stay as they are.
 */
import { JsonSource } from '#core/base/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import { parseFunctionCall } from '#core/query/function-call.ts';
import { isOperator } from '#core/query/operator.ts';
import { parseScopedName } from '#core/read/plan/scope.ts';
import type { RenamedNames } from './renamed-names.ts';

/** A name and the collection in which the next name of the path is looked up; null: none. */
interface Step {
  readonly name: string;
  readonly next: string | null;
}

/** Filters of the same collection stand below these keys. */
const SAME_LEVEL: ReadonlySet<string> = new Set(['_and', '_or', '_some', '_none']);

/** The collection in which the path of a variable begins: that of `$CURRENT_USER.role` in users. */
const VARIABLE = /^\$CURRENT_(USER|ROLES?|POLICIES)\./;
const RECORDS: Readonly<Record<string, string>> = {
  USER: 'system_users',
  ROLE: 'system_roles',
  ROLES: 'system_roles',
  POLICIES: 'system_policies',
};

function targetOf(
  { catalog }: RenamedNames,
  collection: string,
  field: string,
  scoped: string | null,
): string | null {
  const relation = catalog.relations.get(collection)?.get(field);
  if (relation === undefined) return null;
  if (relation.kind === 'm2o') return relation.one.collection;
  return relation.kind === 'a2o' ? scoped : relation.many.collection;
}

/** One segment of a path: a field, `item:collection` or a function such as `year(created)`. */
function renameSegment(names: RenamedNames, collection: string | null, segment: string): Step {
  if (collection === null) return { name: segment, next: null };
  const call = parseFunctionCall(segment);
  if (call !== null) {
    const field = renamePath(names, collection, call.field);
    const path = call.path === '' ? '' : `, ${call.path}`;
    return { name: field === call.field ? segment : `${call.name}(${field}${path})`, next: null };
  }
  const scoped = parseScopedName(segment);
  const field = names.field(collection, scoped.field);
  const suffix = scoped.collection === null ? '' : `:${names.collection(scoped.collection)}`;
  return {
    name: `${field}${suffix}`,
    next: targetOf(names, collection, scoped.field, scoped.collection),
  };
}

/** The segments of a path; dots within parentheses separate none. */
function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < path.length; at += 1) {
    const char = path[at];
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char !== '.' || depth > 0) continue;
    segments.push(path.slice(from, at));
    from = at + 1;
  }
  return [...segments, path.slice(from)];
}

/** A path of fields from a collection, such as `author.name`, `-year(author.born)` or `item:a.b`. */
export function renamePath(names: RenamedNames, collection: string | null, path: string): string {
  const sign = path.startsWith('-') ? '-' : '';
  let at = collection;
  const renamed = segmentsOf(path.slice(sign.length)).map((segment) => {
    const { name, next } = renameSegment(names, at, segment);
    at = next;
    return name;
  });
  return sign + renamed.join('.');
}

/** An object with members of its own; a number as written is none. */
export function hasMembers(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof JsonSource);
}

/** The values of an operator: variables may have a path. */
function renameValue(names: RenamedNames, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => renameValue(names, one));
  if (typeof value !== 'string') return value;
  const [variable, kind] = VARIABLE.exec(value) ?? [];
  if (variable === undefined || kind === undefined) return value;
  return variable + renamePath(names, RECORDS[kind] ?? null, value.slice(variable.length));
}

/**
 * A filter or a rule on items of a collection.
 * @param collection null where only operators can follow
 */
export function renameFilter(
  names: RenamedNames,
  collection: string | null,
  filter: unknown,
): unknown {
  if (Array.isArray(filter)) return filter.map((one) => renameFilter(names, collection, one));
  if (!hasMembers(filter)) return renameValue(names, filter);
  const members = Object.entries(filter).map(([key, value]): [string, unknown] => {
    if (SAME_LEVEL.has(key)) return [key, renameLevel(names, collection, value)];
    if (key === '_json') return [key, value];
    if (isOperator(key)) return [key, renameValue(names, value)];
    const { name, next } = renameSegment(names, collection, key);
    return [name, renameFilter(names, next, value)];
  });
  return Object.fromEntries(members);
}

/** The filters of a group: a list, or an object with numbers as keys. */
function renameLevel(names: RenamedNames, collection: string | null, group: unknown): unknown {
  if (!hasMembers(group) || !Object.keys(group).every((key) => /^\d+$/.test(key))) {
    return renameFilter(names, collection, group);
  }
  return Object.fromEntries(
    Object.entries(group).map(([key, one]) => [key, renameFilter(names, collection, one)]),
  );
}

/** A template such as `{{ title }} by {{ author.name }}`. */
export function renameTemplate(
  names: RenamedNames,
  collection: string | null,
  template: string,
): string {
  return template.replace(
    /(\{\{\s*)([^{}]*?)(\s*\}\})/g,
    (_, open: string, path: string, close: string) =>
      open + renamePath(names, collection, path) + close,
  );
}
