/** Edits of a row: what its drawer shows, and the change that comes of it. */
import { type Fault, faultsBelow } from '../data/faults.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import type { DrawerPart } from './item-drawer.tsx';
import {
  type KeyValue,
  keyMembers,
  keyValueOf,
  type ListChange,
  type Row,
  withoutUpdate,
  withUpdate,
} from './list-change.ts';
import { hasOwnFields, type Many, memberOf, targetOf } from './many.ts';
import { keyOfParts } from './to-one.tsx';

const NOTHING: Item = {};
const NO_NAMES: ReadonlySet<string> = new Set();

function without(item: Item, names: Iterable<string>): Item {
  const left = new Set(names);
  return Object.fromEntries(Object.entries(item).filter(([name]) => !left.has(name)));
}

/** The key of what a row leads to; null while it is being created. */
export function targetKey(many: Many, row: Row): KeyValue | null {
  const target = targetOf(many, row.item);
  const member = memberOf(many, row.item);
  if (typeof member === 'string' || typeof member === 'number') return member;
  if (target === null || !isItem(member)) return null;
  return keyValueOf(many.targetFields.get(target) ?? [], member);
}

/** What is wrong with a row, with paths from the row on. */
export function rowFaults(faults: readonly Fault[], row: Row): readonly Fault[] {
  if (row.kind === 'new') return faultsBelow(faults, 'create', row.index);
  return row.index < 0 ? [] : faultsBelow(faults, 'update', row.index);
}

/** The parts that the drawer of a row shows; none when what it leads to is not known. */
export function partsOf(many: Many, row: Row, faults: readonly Fault[]): readonly DrawerPart[] {
  const { kind, rows, fields, implied } = many;
  const target = targetOf(many, row.item);
  if (target === null) return [];
  const written = row.kind === 'new' ? row.item : (row.change ?? NOTHING);
  const ownKeys = Object.keys(keyMembers(fields, NOTHING));
  if (kind.kind === 'o2m') {
    const key = row.kind === 'new' ? null : row.key;
    const changes = row.kind === 'new' ? written : without(written, ownKeys);
    return [{ collection: rows, key, changes, omit: implied, faults }];
  }
  const member = written[kind.junctionField];
  const key = targetKey(many, row);
  const targetFields = many.targetFields.get(target) ?? [];
  const keyNames = key === null ? [] : Object.keys(keyMembers(targetFields, NOTHING));
  const main: DrawerPart = {
    collection: target,
    key,
    changes: isItem(member) ? without(member, keyNames) : NOTHING,
    omit: NO_NAMES,
    faults: faultsBelow(faults, kind.junctionField),
  };
  if (!hasOwnFields(many)) return [main];
  const own = {
    collection: rows,
    key: row.kind === 'new' ? null : row.key,
    changes: without(written, [kind.junctionField, ...ownKeys]),
    omit: new Set([...implied, ...ownKeys]),
    faults,
  };
  return [main, own];
}

/** What stands for the target in a row. */
function memberWith(many: Many, target: string, key: KeyValue | null, changes: Item): unknown {
  if (key === null) return changes;
  if (Object.keys(changes).length === 0) return key;
  return { ...keyOfParts(many.targetFields.get(target) ?? [], key), ...changes };
}

/** The change after the drawer of a row was applied. */
export function withEdit(
  many: Many,
  change: ListChange,
  row: Row,
  [changes = NOTHING, own = NOTHING]: readonly Item[],
): ListChange {
  const { kind, fields } = many;
  const target = targetOf(many, row.item) ?? '';
  const kept = row.kind === 'new' ? row.item : (row.change ?? NOTHING);
  const key = targetKey(many, row);
  const implied = Object.fromEntries(
    Object.entries(kept).filter(([name]) => many.implied.has(name)),
  );
  const members: Item =
    kind.kind === 'o2m'
      ? { ...implied, ...changes }
      : { ...implied, ...own, [kind.junctionField]: memberWith(many, target, key, changes) };
  if (row.kind === 'new') {
    const create = change.create.map((one, index) => (index === row.index ? members : one));
    return { ...change, create };
  }
  // The target itself stays; only what is changed in it is said.
  const { [kind.kind === 'o2m' ? '' : kind.junctionField]: member, ...others } = members;
  const said =
    isItem(member) && kind.kind !== 'o2m' ? { ...others, [kind.junctionField]: member } : others;
  const rest = withoutUpdate(change, fields, row.key);
  if (Object.keys(said).length === 0 && !row.linked) return rest;
  return withUpdate(rest, fields, keyOfParts(fields, row.key), said);
}

/** The change after a row was taken out, or put back. */
export function withRemoval(many: Many, change: ListChange, row: Row): ListChange {
  if (row.kind === 'new') {
    return { ...change, create: change.create.filter((_, index) => index !== row.index) };
  }
  const rest = withoutUpdate(change, many.fields, row.key);
  if (row.linked) return rest;
  const id = JSON.stringify(row.key);
  if (row.removed) {
    return { ...change, delete: change.delete.filter((key) => JSON.stringify(key) !== id) };
  }
  return { ...rest, delete: [...change.delete, row.key] };
}
