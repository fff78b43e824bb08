/**
 * Computes and applies differences between two JSON values, as lists of changes in the format of
 * the library deep-diff.
 */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';

type Path = readonly (string | number)[];

/** A new value, or a deleted one. Without a path it is the whole value. */
interface Coming {
  readonly kind: 'N';
  readonly path?: Path;
  readonly rhs: unknown;
}

interface Going {
  readonly kind: 'D';
  readonly path?: Path;
  readonly lhs: unknown;
}

/** A changed value. */
interface Edit {
  readonly kind: 'E';
  readonly path?: Path;
  readonly lhs: unknown;
  readonly rhs: unknown;
}

/** A list became longer or shorter at its end. */
interface Resizing {
  readonly kind: 'A';
  readonly path?: Path;
  readonly index: number;
  readonly item: Coming | Going;
}

export type Difference = Coming | Going | Edit | Resizing;

const path = v.optional(v.array(v.union([v.string(), v.pipe(v.number(), v.safeInteger())])));
const coming = v.strictObject({ kind: v.literal('N'), path, rhs: v.unknown() });
const going = v.strictObject({ kind: v.literal('D'), path, lhs: v.optional(v.unknown()) });

/** A difference as clients send it back. */
export const difference = v.variant('kind', [
  coming,
  going,
  v.strictObject({
    kind: v.literal('E'),
    path,
    lhs: v.optional(v.unknown()),
    rhs: v.optional(v.unknown()),
  }),
  v.strictObject({
    kind: v.literal('A'),
    path,
    index: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    item: v.variant('kind', [coming, going]),
  }),
]);
export type DifferenceInput = v.InferOutput<typeof difference>;

function at(path: Path): { path?: Path } {
  return path.length === 0 ? {} : { path };
}

function compareMembers(lhs: JsonObject, rhs: JsonObject, path: Path): Difference[] {
  const changed = Object.entries(lhs).flatMap(([name, value]): Difference[] => {
    const below = [...path, name];
    return Object.hasOwn(rhs, name)
      ? differences(value, rhs[name], below)
      : [{ kind: 'D', ...at(below), lhs: value }];
  });
  const added = Object.entries(rhs).flatMap(([name, value]): Difference[] =>
    Object.hasOwn(lhs, name) ? [] : [{ kind: 'N', ...at([...path, name]), rhs: value }],
  );
  return [...changed, ...added];
}

function compareLists(lhs: readonly unknown[], rhs: readonly unknown[], path: Path) {
  const found: Difference[] = [];
  for (let index = Math.max(lhs.length, rhs.length) - 1; index >= 0; index -= 1) {
    if (index >= rhs.length) {
      found.push({ kind: 'A', ...at(path), index, item: { kind: 'D', lhs: lhs[index] } });
    } else if (index >= lhs.length) {
      found.push({ kind: 'A', ...at(path), index, item: { kind: 'N', rhs: rhs[index] } });
    } else {
      found.push(...differences(lhs[index], rhs[index], [...path, index]));
    }
  }
  return found;
}

/** The changes that turn one JSON value into the other; empty when they are equal. */
export function differences(lhs: unknown, rhs: unknown, path: Path = []): Difference[] {
  if (Object.is(lhs, rhs)) return [];
  if (Array.isArray(lhs) && Array.isArray(rhs)) return compareLists(lhs, rhs, path);
  if (isJsonObject(lhs) && isJsonObject(rhs)) return compareMembers(lhs, rhs, path);
  return [{ kind: 'E', ...at(path), lhs, rhs }];
}

/** Changes the value at a path; `undefined` deletes it. */
type Change = (value: unknown) => unknown;

function nowhere(path: Path): Error {
  return invalidPayload(reason('diff_path_unknown', { path: path.join('.') }));
}

/** A copy with a new value at one path, whose parents must exist. */
function changed(value: unknown, [step, ...rest]: Path, change: Change, whole: Path): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value) && typeof step === 'number' && step >= 0 && step < value.length) {
    return value.with(step, changed(value[step], rest, change, whole));
  }
  if (!isJsonObject(value) || typeof step !== 'string' || step === '__proto__')
    throw nowhere(whole);
  // Object.entries and fromEntries use own members only, whatever their names.
  const members = new Map(Object.entries(value));
  if (rest.length > 0 && !members.has(step)) throw nowhere(whole);
  const member = changed(members.get(step), rest, change, whole);
  if (member === undefined) members.delete(step);
  else members.set(step, member);
  return Object.fromEntries(members);
}

function resized(value: unknown, { index, item, path = [] }: DifferenceInput & { kind: 'A' }) {
  if (!Array.isArray(value)) throw nowhere(path);
  if (item.kind === 'D') return value.filter((_, position) => position !== index);
  return index < value.length ? value.with(index, item.rhs) : [...value, item.rhs];
}

function put(current: unknown, entry: DifferenceInput): unknown {
  const { path = [] } = entry;
  switch (entry.kind) {
    case 'D':
      return changed(current, path, () => undefined, path);
    case 'A':
      return changed(current, path, (list) => resized(list, entry), path);
    default:
      return changed(current, path, () => entry.rhs ?? null, path);
  }
}

/**
 * Applies differences to a value. New entries of a list come with the last one first.
 * @throws ServiceError INVALID_PAYLOAD for a difference about something that does not exist
 */
export function applyDifferences(value: unknown, list: readonly DifferenceInput[]): unknown {
  // New entries are listed with falling indexes, so they are added in reverse order.
  const gains = list.filter((entry) => entry.kind === 'A' && entry.item.kind === 'N').reverse();
  const others = list.filter((entry) => !gains.includes(entry));
  return [...others, ...gains].reduce(put, value);
}
