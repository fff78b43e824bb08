/** Parses snapshots from clients, and refuses invalid ones. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { RELEASE } from '#core/model/system/release.ts';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';
import { rightsInput } from './rights-snapshot.ts';
import { SNAPSHOT_VERSION, VENDOR } from './snapshot.ts';

const members = v.nullish(v.record(v.string(), v.unknown()), null);

/** Indexes on fields of system collections. */
export const systemFields = v.array(
  v.object({
    collection: v.string(),
    field: v.string(),
    schema: v.object({ is_indexed: v.boolean() }),
  }),
);

const snapshotInput = v.object({
  version: v.number(),
  sluice: v.optional(v.string()),
  vendor: v.optional(v.string()),
  collections: v.array(v.object({ collection: v.string(), meta: members, schema: members })),
  fields: v.array(
    v.object({
      collection: v.string(),
      field: v.string(),
      type: v.nullish(v.string(), 'alias'),
      meta: members,
      schema: members,
    }),
  ),
  systemFields: v.optional(systemFields),
  relations: v.array(
    v.object({
      collection: v.string(),
      field: v.string(),
      related_collection: v.nullish(v.string(), null),
      meta: members,
      schema: members,
    }),
  ),
  ...rightsInput,
});
export type SnapshotInput = v.InferOutput<typeof snapshotInput>;

/**
 * Parses a snapshot.
 * @param force accept a snapshot of another release or database
 * @throws ServiceError INVALID_PAYLOAD naming the invalid part
 */
export function parseSnapshot(value: unknown, force: boolean): SnapshotInput {
  const result = v.safeParse(snapshotInput, value, { abortEarly: true });
  if (!result.success) {
    const [issue] = result.issues;
    const path = v.getDotPath(issue);
    throw invalidPayload(
      path === null ? reason('no_snapshot') : reason('snapshot_member_invalid', { path }),
    );
  }
  const snapshot = result.output;
  if (!force) refuseOther(snapshot);
  refuseDuplicates(snapshot);
  return snapshot;
}

function refuseOther({ version, sluice, vendor }: SnapshotInput): void {
  const known: readonly number[] = Object.values(SNAPSHOT_VERSION);
  const expected = { version: known.includes(version), sluice: sluice === RELEASE };
  const wrong = Object.entries({ ...expected, vendor: vendor === VENDOR })
    .filter(([, right]) => !right)
    .map(([name]) => `"${name}"`);
  if (wrong.length === 0) return;
  throw invalidPayload(
    reason('snapshot_from_elsewhere', {
      wrong: wrong.join(', '),
      known: known.join(' or '),
      release: RELEASE,
      vendor: VENDOR,
    }),
  );
}

function refuseDuplicates({ collections, fields, relations }: SnapshotInput): void {
  const names = new Set<string>();
  for (const { collection } of collections) {
    if (collection.startsWith(SYSTEM_PREFIX)) {
      throw invalidPayload(reason('snapshot_with_system_collection', { collection }));
    }
    if (names.has(collection))
      throw invalidPayload(reason('snapshot_collection_twice', { collection }));
    names.add(collection);
  }
  for (const list of [fields, relations]) {
    const places = new Set<string>();
    for (const { collection, field } of list) {
      const place = JSON.stringify([collection, field]);
      if (!names.has(collection)) {
        throw invalidPayload(reason('snapshot_field_without_collection', { collection, field }));
      }
      if (places.has(place))
        throw invalidPayload(reason('snapshot_field_twice', { collection, field }));
      places.add(place);
    }
  }
}
