/**
 * Handles views in a plan. A snapshot does not contain the definition of a view. So a diff can drop
 * a view and change its metadata, but neither create nor alter it. Impossible changes of views are
 * omitted, so that they never prevent the rest from being applied.
 */
import type { SnapshotCollection, SnapshotContent } from './snapshot.ts';
import { byEntryKey, entryKey } from './snapshot-entry.ts';

function isView({ schema }: SnapshotCollection): boolean {
  return schema?.kind === 'view' || schema?.kind === 'materialized view';
}

function namesOf(collections: readonly SnapshotCollection[]): ReadonlySet<string> {
  return new Set(collections.map(({ collection }) => collection));
}

/** The requested content without nonexistent views, and with the current columns of views. */
export function withoutMissingViews(
  current: SnapshotContent,
  wanted: SnapshotContent,
): SnapshotContent {
  const there = namesOf(current.collections);
  const missing = namesOf(
    wanted.collections.filter((entry) => isView(entry) && !there.has(entry.collection)),
  );
  const kept = namesOf(wanted.collections);
  const views = namesOf(
    current.collections.filter((entry) => isView(entry) && kept.has(entry.collection)),
  );
  if (missing.size + views.size === 0) return wanted;
  const known = byEntryKey(current.fields);
  const asked = byEntryKey(wanted.fields);
  const fields = wanted.fields.flatMap((field) => {
    const now = known.get(entryKey(field));
    if (missing.has(field.collection)) return [];
    if (!views.has(field.collection)) return [field];
    if (now === undefined) return field.schema === null ? [field] : [];
    return [now.schema === null ? field : { ...now, meta: field.meta }];
  });
  const own = current.fields.filter(
    (field) => field.schema !== null && views.has(field.collection) && !asked.has(entryKey(field)),
  );
  return {
    ...wanted,
    collections: wanted.collections.filter(({ collection }) => !missing.has(collection)),
    fields: [...fields, ...own],
    relations: wanted.relations.filter(
      ({ collection, related_collection: related }) =>
        !missing.has(collection) && !missing.has(related ?? ''),
    ),
  };
}
