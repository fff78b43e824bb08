/** Parses snapshots from clients, and refuses invalid ones. */
import * as v from 'valibot';
import { invalidPayload } from '#core/errors/service-error.ts';
import { RELEASE } from '#core/system/release.ts';
import { SYSTEM_PREFIX } from '#core/system-collections/name.ts';
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
 * @throws ServiceError INVALID_PAYLOAD naming what is wrong
 */
export function parseSnapshot(value: unknown, force: boolean): SnapshotInput {
  const result = v.safeParse(snapshotInput, value, { abortEarly: true });
  if (!result.success) {
    const [issue] = result.issues;
    const path = v.getDotPath(issue);
    throw invalidPayload(
      path === null
        ? 'This is not a snapshot.'
        : `This is not a snapshot: "${path}" is not as expected.`,
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
    `The snapshot comes from elsewhere: ${wrong.join(', ')} differ from version ` +
      `${known.join(' or ')}, sluice ${RELEASE}, vendor ${VENDOR}. "force" compares it nevertheless.`,
  );
}

function refuseDuplicates({ collections, fields, relations }: SnapshotInput): void {
  const names = new Set<string>();
  for (const { collection } of collections) {
    if (collection.startsWith(SYSTEM_PREFIX)) {
      throw invalidPayload(`A snapshot contains no system collections, but ${collection} is one.`);
    }
    if (names.has(collection))
      throw invalidPayload(`The collection ${collection} is listed twice.`);
    names.add(collection);
  }
  for (const list of [fields, relations]) {
    const places = new Set<string>();
    for (const { collection, field } of list) {
      const place = JSON.stringify([collection, field]);
      if (!names.has(collection)) {
        throw invalidPayload(`${collection}.${field} belongs to no collection of the snapshot.`);
      }
      if (places.has(place)) throw invalidPayload(`${collection}.${field} is listed twice.`);
      places.add(place);
    }
  }
}
