/**
 * Plans the order in which a diff is applied: first it drops relations, then fields, then
 * collections; then it creates them in the reverse order.
 */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';
import { differences } from './json-difference.ts';
import { withoutMissingViews } from './missing-views.ts';
import type {
  SnapshotCollection,
  SnapshotContent,
  SnapshotField,
  SnapshotRelation,
  SnapshotSystemField,
} from './snapshot.ts';
import { type SchemaDiff, schemaAfterDiff } from './snapshot-diff.ts';
import { byEntryKey, entryKey, type SnapshotEntry } from './snapshot-entry.ts';
import { systemFields } from './snapshot-input.ts';
import { NAME_BYTES_MAX } from './validate-name.ts';

const object = v.nullable(v.record(v.string(), v.unknown()));
const content = v.object({
  collections: v.array(v.object({ collection: v.string(), meta: object, schema: object })),
  fields: v.array(
    v.object({
      collection: v.string(),
      field: v.string(),
      type: v.string(),
      meta: object,
      schema: object,
    }),
  ),
  systemFields,
  relations: v.array(
    v.object({
      collection: v.string(),
      field: v.string(),
      related_collection: v.nullable(v.string()),
      meta: object,
      schema: object,
    }),
  ),
});

/** An entry that remains, before and after the change. */
export interface ChangedEntry<T> {
  readonly now: T;
  readonly next: T;
}

/** The created, deleted and changed entries of one kind. */
export interface DiffSteps<T> {
  readonly gone: readonly T[];
  readonly changed: readonly ChangedEntry<T>[];
  readonly made: readonly T[];
}

export interface DiffPlan {
  readonly collections: DiffSteps<SnapshotCollection>;
  /** Including those of new collections. */
  readonly fields: DiffSteps<SnapshotField>;
  readonly relations: DiffSteps<SnapshotRelation>;
  /** System fields whose index is created or dropped. */
  readonly systemFields: readonly SnapshotSystemField[];
}

/**
 * @param replaced whether an entry cannot be altered, so that it is dropped and created again
 * @param gone dropped collections with all their contents
 */
function stepsOf<T extends SnapshotEntry>(
  now: readonly T[],
  next: readonly T[],
  replaced: (change: ChangedEntry<T>) => boolean,
  gone: ReadonlySet<string> = new Set(),
): DiffSteps<T> {
  const [before, after] = [byEntryKey(now), byEntryKey(next)];
  const both = now.flatMap((entry): ChangedEntry<T>[] => {
    const next = after.get(entryKey(entry));
    return next === undefined ? [] : [{ now: entry, next }];
  });
  const anew = both.filter((change) => gone.has(change.now.collection) || replaced(change));
  const kept = both.filter((change) => !anew.includes(change));
  return {
    gone: [
      ...now.filter((entry) => !after.has(entryKey(entry))),
      ...anew.map((change) => change.now),
    ],
    changed: kept.filter((change) => differences(change.now, change.next).length > 0),
    made: next.filter(
      (entry) => !before.has(entryKey(entry)) || anew.some((a) => a.next === entry),
    ),
  };
}

/** A table cannot become a folder, nor a column an alias. */
function changesStuff({ now, next }: ChangedEntry<SnapshotCollection | SnapshotField>): boolean {
  return (now.schema === null) !== (next.schema === null);
}

const KEY_MEMBERS = ['column', 'foreign_key_table', 'foreign_key_column', 'constraint_name'];

/** A different foreign key, as opposed to the same one with other actions. */
function changesKey({ now, next }: ChangedEntry<SnapshotRelation>): boolean {
  if ((now.schema === null) !== (next.schema === null)) return true;
  if (now.related_collection !== next.related_collection) return true;
  return KEY_MEMBERS.some((member) => now.schema?.[member] !== next.schema?.[member]);
}

/** Names that are impossible; PostgreSQL accepts all others. */
function checkName(name: string, what: string): void {
  const bad =
    name === '' ||
    name.includes('\0') ||
    !name.isWellFormed() ||
    Buffer.byteLength(name) > NAME_BYTES_MAX ||
    (what === 'collection' && (name.includes('/') || name.startsWith(SYSTEM_PREFIX)));
  if (bad) throw invalidPayload(reason('name_impossible', { name, kind: what }));
}

/** The kind of a table in words. */
function kindText(kind: unknown): string {
  return kind === 'partitioned' ? 'partitioned table' : String(kind);
}

/** Why a part of the diff cannot be applied. */
function* obstacles({ collections, fields }: DiffPlan): Generator<string> {
  for (const { collection, schema } of collections.made) {
    if (schema?.kind === undefined) continue;
    yield `${collection} is a ${kindText(schema.kind)}; create it yourself or exclude it.`;
  }
  for (const { now, next } of collections.changed) {
    if (now.schema?.kind !== next.schema?.kind) yield `${now.collection} is not of the same kind.`;
    if (differences(now.schema?.primary_key, next.schema?.primary_key).length > 0) {
      yield `The primary key of ${now.collection} is different.`;
    }
  }
  for (const { collection, field, schema } of fields.made) {
    const place = `${collection}.${field}`;
    if (schema?.is_generated)
      yield `${place} is computed by an expression, which cannot be applied.`;
    if (!schema?.default_is_expression) continue;
    yield `The default of ${place} is an expression, which cannot be applied.`;
  }
  for (const { now, next } of fields.changed) {
    const place = `${now.collection}.${now.field}`;
    for (const member of ['is_primary_key', 'has_auto_increment', 'is_generated'] as const) {
      if (now.schema?.[member] !== next.schema?.[member]) yield `"${member}" of ${place} changes.`;
    }
    if (now.schema?.generation_expression !== next.schema?.generation_expression) {
      yield `The expression of ${place} changes.`;
    }
    const { default_value, default_is_expression } = next.schema ?? {};
    if (default_is_expression && differences(now.schema?.default_value, default_value).length > 0) {
      yield `The default of ${place} becomes an expression, which cannot be applied.`;
    }
  }
}

/**
 * Plans how to apply a diff.
 * @param current the current schema
 * @throws ServiceError INVALID_PAYLOAD when the diff does not match the schema,
 *   UNPROCESSABLE_ENTITY with all impossible changes
 */
export function planDiff(current: SnapshotContent, diff: SchemaDiff): DiffPlan {
  const parsed = v.safeParse(content, schemaAfterDiff(current, diff));
  if (!parsed.success) throw invalidPayload(reason('diff_result_no_schema'));
  const wanted = withoutMissingViews(current, parsed.output);
  const collections = stepsOf(current.collections, wanted.collections, changesStuff);
  const gone = new Set(collections.gone.map(({ collection }) => collection));
  const fields = stepsOf(current.fields, wanted.fields, changesStuff, gone);
  const lost = new Set(fields.gone.map(entryKey));
  const replaced = (change: ChangedEntry<SnapshotRelation>) =>
    changesKey(change) ||
    lost.has(entryKey({ collection: change.now.collection, field: change.now.field }));
  const plan: DiffPlan = {
    collections,
    fields: { ...fields, gone: fields.gone.filter(({ collection }) => !gone.has(collection)) },
    relations: stepsOf(current.relations, wanted.relations, replaced, gone),
    systemFields: systemFieldsOf(current, wanted),
  };
  for (const { collection } of collections.made) checkName(collection, 'collection');
  for (const { field } of plan.fields.made) checkName(field, 'field');
  const reasons = [...obstacles(plan)];
  if (reasons.length === 0) return plan;
  const why = reason('diff_not_applicable', { obstacles: reasons.join(' ') });
  throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: why, reasons });
}

function systemFieldsOf(current: SnapshotContent, wanted: SnapshotContent) {
  const steps = stepsOf(current.systemFields, wanted.systemFields, () => false);
  return [
    ...steps.gone.map((entry) => ({ ...entry, schema: { is_indexed: false } })),
    ...steps.changed.map(({ next }) => next),
    ...steps.made,
  ];
}
