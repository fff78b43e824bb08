/**
 * Finds the differences between the current schema and a snapshot, collection by collection and
 * field by field.
 */
import * as v from 'valibot';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { applyDifferences, type Difference, difference, differences } from './json-difference.ts';
import { type FoundRightsDiff, rightsDiff } from './rights-snapshot.ts';
import {
  SNAPSHOT_VERSION,
  type Snapshot,
  type SnapshotCollection,
  type SnapshotContent,
  type SnapshotField,
  type SnapshotRelation,
  type SnapshotSystemField,
} from './snapshot.ts';
import { completeSnapshot } from './snapshot-completion.ts';
import { byEntryKey, entryKey, type SnapshotEntry } from './snapshot-entry.ts';
import type { SnapshotInput } from './snapshot-input.ts';

/**
 * Whether the schema becomes identical to the snapshot, or the snapshot only adds to and changes
 * it.
 */
export const DIFF_MODES = ['mirror', 'merge'] as const;
export type DiffMode = (typeof DIFF_MODES)[number];

const changes = v.array(difference);
const name = v.string();

/** A diff as clients send it back. */
export const schemaDiff = v.strictObject({
  collections: v.optional(v.array(v.strictObject({ collection: name, diff: changes })), []),
  fields: v.optional(v.array(v.strictObject({ collection: name, field: name, diff: changes })), []),
  systemFields: v.optional(
    v.array(v.strictObject({ collection: name, field: name, diff: changes })),
    [],
  ),
  relations: v.optional(
    v.array(
      v.strictObject({
        collection: name,
        field: name,
        related_collection: v.optional(v.nullable(name)),
        diff: changes,
      }),
    ),
    [],
  ),
  ...rightsDiff,
});
export type SchemaDiff = v.InferOutput<typeof schemaDiff>;

interface Entry {
  readonly collection: string;
  readonly diff: Difference[];
}

interface FieldEntry extends Entry {
  readonly field: string;
}

interface RelationEntry extends FieldEntry {
  readonly related_collection: string | null;
}

export interface FoundDiff extends FoundRightsDiff {
  readonly collections: readonly Entry[];
  readonly fields: readonly FieldEntry[];
  readonly systemFields: readonly FieldEntry[];
  readonly relations: readonly RelationEntry[];
}

/** The diff of equal schemas. */
export const NO_DIFFERENCE: FoundDiff = {
  ...{ collections: [], fields: [], systemFields: [], relations: [] },
};

interface Pair<T extends SnapshotEntry> {
  readonly now: T | undefined;
  readonly next: T | undefined;
}

/** The entries of both lists, each with its counterpart. */
function pairs<T extends SnapshotEntry>(now: readonly T[], next: readonly T[]): Pair<T>[] {
  const [before, after] = [byEntryKey(now), byEntryKey(next)];
  const kept = now.map((entry) => ({ now: entry, next: after.get(entryKey(entry)) }));
  const added = next.filter((entry) => !before.has(entryKey(entry)));
  return [...kept, ...added.map((entry) => ({ now: undefined, next: entry }))];
}

function changesOf<T extends SnapshotEntry>({ now, next }: Pair<T>): Difference[] {
  if (next === undefined) return [{ kind: 'D', lhs: now }];
  return now === undefined ? [{ kind: 'N', rhs: next }] : differences(now, next);
}

interface Described extends SnapshotEntry {
  readonly type?: string;
  readonly meta?: unknown;
  readonly schema: unknown;
}

/**
 * Merging deletes nothing: no collection, field or relation, no table, column or key, and no
 * metadata.
 */
function merged<T extends Described>({ now, next }: Pair<T>): Pair<T> {
  if (now === undefined || next === undefined) return { now, next: next ?? now };
  const kept =
    next.schema === null
      ? { schema: now.schema, ...(now.type === undefined ? {} : { type: now.type }) }
      : {};
  return { now, next: { ...next, ...kept, ...(next.meta === null ? { meta: now.meta } : {}) } };
}

async function compared<T extends Described>(
  now: readonly T[],
  next: readonly T[],
  mode: DiffMode,
): Promise<(Pair<T> & { diff: Difference[] })[]> {
  const slice = new TimeSlice();
  const list: (Pair<T> & { diff: Difference[] })[] = [];
  for (const found of pairs(now, next)) {
    const pair = mode === 'merge' ? merged(found) : found;
    const diff = changesOf(pair);
    if (diff.length > 0) list.push({ ...pair, diff });
    await slice.rest();
  }
  return list;
}

function placed({ now, next }: Pair<SnapshotField | SnapshotSystemField>) {
  const { collection = '', field = '' } = next ?? now ?? {};
  return { collection, field };
}

/**
 * The part of the schema that a snapshot describes. A partial snapshot describes only its own
 * collections.
 */
function scopeOf(current: Snapshot, given: SnapshotInput): SnapshotContent {
  if (given.version !== SNAPSHOT_VERSION.partial) return current;
  const names = new Set(given.collections.map(({ collection }) => collection));
  const within = ({ collection }: SnapshotEntry) => names.has(collection);
  return {
    collections: current.collections.filter(within),
    fields: current.fields.filter(within),
    systemFields: given.systemFields === undefined ? [] : current.systemFields,
    relations: current.relations.filter(within),
  };
}

/**
 * Compares the schema with a snapshot. Parts that are deleted together with a collection are not
 * listed separately.
 * @param force unknown members are ignored
 * @returns null when they are equal
 * @throws ServiceError INVALID_PAYLOAD for unknown members without force
 */
export async function diffSnapshot(
  current: Snapshot,
  given: SnapshotInput,
  { mode, force }: { readonly mode: DiffMode; readonly force: boolean },
): Promise<FoundDiff | null> {
  const now = scopeOf(current, given);
  const next = completeSnapshot(given, current, force);
  const partial = given.version === SNAPSHOT_VERSION.partial;
  const collections = await compared<SnapshotCollection>(now.collections, next.collections, mode);
  const fields = await compared<SnapshotField>(now.fields, next.fields, mode);
  const relations = await compared<SnapshotRelation>(now.relations, next.relations, mode);
  const systemFields = partial
    ? []
    : await compared<SnapshotSystemField>(now.systemFields, next.systemFields, mode);
  const gone = new Set(
    collections.filter(({ next }) => next === undefined).map(({ now }) => now?.collection),
  );
  const stays = ({ now }: Pair<SnapshotEntry>) => !gone.has(now?.collection);
  const found: FoundDiff = {
    collections: collections.map(({ now, next, diff }) => {
      return { collection: (next ?? now)?.collection ?? '', diff };
    }),
    fields: fields.filter(stays).map((pair) => ({ ...placed(pair), diff: pair.diff })),
    systemFields: systemFields.map((pair) => ({ ...placed(pair), diff: pair.diff })),
    relations: relations.filter(stays).map(({ now, next, diff }) => {
      const { collection = '', field = '', related_collection = null } = next ?? now ?? {};
      return { collection, field, related_collection, diff };
    }),
  };
  return isEmptyDiff(found) ? null : found;
}

/** Whether a diff changes nothing. */
export function isEmptyDiff(diff: SchemaDiff | FoundDiff): boolean {
  return Object.values(diff).every((entries) => entries === undefined || entries.length === 0);
}

function applied<T extends SnapshotEntry>(
  now: readonly T[],
  entries: readonly (SnapshotEntry & Pick<SchemaDiff['fields'][number], 'diff'>)[],
): unknown[] {
  const left = new Map<string, unknown>(byEntryKey(now));
  for (const entry of entries) {
    const place = entryKey({
      collection: entry.collection,
      ...(entry.field === undefined ? {} : { field: entry.field }),
    });
    const value = applyDifferences(left.get(place), entry.diff);
    if (value === undefined) left.delete(place);
    else left.set(place, value);
  }
  return [...left.values()];
}

/**
 * The schema after a diff; all contents of a deleted collection are deleted too.
 * @throws ServiceError INVALID_PAYLOAD when it changes nonexistent parts, or the result is invalid
 */
export function schemaAfterDiff(current: SnapshotContent, diff: SchemaDiff): unknown {
  const collections = applied(current.collections, diff.collections);
  const deleted = new Set(
    diff.collections
      .filter((entry) => entry.diff.some(({ kind, path }) => kind === 'D' && path === undefined))
      .map(({ collection }) => collection),
  );
  const stays = ({ collection }: SnapshotEntry) => !deleted.has(collection);
  return {
    collections,
    fields: applied(current.fields.filter(stays), diff.fields),
    systemFields: applied(current.systemFields, diff.systemFields),
    relations: applied(current.relations.filter(stays), diff.relations),
  };
}
