/** Describes a diff of the schema line by line, and the data that it would delete. */
import { styleText } from 'node:util';
import * as v from 'valibot';

const change = v.looseObject({
  kind: v.picklist(['N', 'E', 'D', 'A']),
  path: v.optional(v.array(v.union([v.string(), v.number()]))),
  lhs: v.optional(v.unknown()),
  rhs: v.optional(v.unknown()),
  index: v.optional(v.number()),
  item: v.optional(v.looseObject({ lhs: v.optional(v.unknown()), rhs: v.optional(v.unknown()) })),
});
type Change = v.InferOutput<typeof change>;

const entry = v.looseObject({
  collection: v.string(),
  field: v.optional(v.string()),
  related_collection: v.optional(v.nullable(v.string())),
  diff: v.array(change),
});

/** An entry about permissions, identified by its role, policy or collection. */
const right = v.looseObject({
  role: v.optional(v.string()),
  policy: v.optional(v.string()),
  collection: v.optional(v.string()),
  action: v.optional(v.string()),
  diff: v.array(change),
});
type Right = v.InferOutput<typeof right>;
type Entry = v.InferOutput<typeof entry>;

/** The response of `/schema/diff`. */
export const diffAnswer = v.object({
  data: v.object({
    hash: v.string(),
    diff: v.object({
      collections: v.array(entry),
      fields: v.array(entry),
      systemFields: v.array(entry),
      relations: v.array(entry),
      policies: v.optional(v.array(right), []),
      roles: v.optional(v.array(right), []),
      permissions: v.optional(v.array(right), []),
    }),
  }),
});
export type Diff = v.InferOutput<typeof diffAnswer>['data']['diff'];

/** A collection or field whose items or values a diff deletes. */
export interface Loss {
  readonly collection: string;
  readonly field: string | null;
}

/** Removes control characters, so that no name or value can control the terminal. */
function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  const safe = text.replace(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');
  return safe.length > 120 ? `${safe.slice(0, 119)}…` : safe;
}

function nameOf({ collection, field, related_collection: related }: Entry): string {
  const place = field === undefined ? collection : `${collection}.${field}`;
  const text = related === undefined || related === null ? place : `${place} → ${related}`;
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');
}

const typed = v.object({
  type: v.optional(v.string()),
  schema: v.nullish(v.looseObject({ data_type: v.optional(v.nullable(v.string())) })),
});

function typeOf(value: unknown): string {
  const { success, output } = v.safeParse(typed, value);
  if (!success || output.type === undefined) return '';
  return `  ${shown(output.schema?.data_type ?? output.type).slice(1, -1)}`;
}

function detail({ kind, path = [], lhs, rhs, index, item }: Change): string {
  const place = [...path, ...(kind === 'A' ? [index] : [])].join('.');
  const [before, after] = kind === 'A' ? [item?.lhs, item?.rhs] : [lhs, rhs];
  return `      ${place.replace(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}')}: ${shown(before)} → ${shown(after)}`;
}

function nameOfRight({ role, policy, collection, action }: Right): string {
  const text = [role ?? policy, action, collection].filter((part) => part !== undefined).join(' ');
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');
}

function linesOf(name: string, found: Pick<Entry, 'diff'>): string[] {
  const whole = found.diff.find(({ path }) => path === undefined || path.length === 0);
  if (whole?.kind === 'N') return [styleText('green', `  + ${name}${typeOf(whole.rhs)}`)];
  if (whole?.kind === 'D') return [styleText('red', `  - ${name}${typeOf(whole.lhs)}`)];
  return [styleText('yellow', `  ~ ${name}`), ...found.diff.map(detail)];
}

/**
 * One line for each part that is created (+), deleted (-) or changed (~), with the changed members.
 */
export function describe(diff: Diff): string {
  const kinds: readonly (readonly [string, readonly Entry[]])[] = [
    ['collection', diff.collections],
    ['field', diff.fields],
    ['index of', diff.systemFields],
    ['relation', diff.relations],
  ];
  const rights: readonly (readonly [string, readonly Right[]])[] = [
    ['policy', diff.policies],
    ['role', diff.roles],
    ['permission of', diff.permissions],
  ];
  const schema = kinds.flatMap(([kind, list]) =>
    list.flatMap((found) => linesOf(`${kind} ${nameOf(found)}`, found)),
  );
  const others = rights.flatMap(([kind, list]) =>
    list.flatMap((found) => linesOf(`${kind} ${nameOfRight(found)}`, found)),
  );
  return [...schema, ...others].join('\n');
}

function isWhole(wanted: Change['kind']) {
  return ({ kind, path }: Change) => kind === wanted && (path === undefined || path.length === 0);
}

const stored = v.object({ schema: v.record(v.string(), v.unknown()) });

/** Deleted tables and columns, whose content is lost. */
export function lossesOf({ collections, fields }: Diff): Loss[] {
  return [...collections, ...fields].flatMap(({ collection, field = null, diff }): Loss[] => {
    const goes = diff.find(isWhole('D'));
    const isStored = goes !== undefined && v.is(stored, goes.lhs);
    // A table becomes a folder, or a column an alias.
    const empties = diff.some(({ kind, path, rhs }) => {
      return kind === 'E' && path?.join() === 'schema' && rhs === null;
    });
    return isStored || empties ? [{ collection, field }] : [];
  });
}
