/**
 * Revokes the permissions on deleted fields, so that they do not apply to a later field of the same
 * name.
 */

import { sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { withoutFields } from '#core/model/catalog/revoke-fields.ts';
import type { Alteration } from '../schema-change-context.ts';

export interface FieldAddress {
  readonly collection: string;
  readonly field: string;
}

/**
 * Names that only the relation provides: its own if derived from the constraint, and those of its
 * reverse field if no other field uses them. They end with the relation.
 */
export function derivedFields(catalog: Catalog, { collection, field }: FieldAddress) {
  const derived: FieldAddress[] = [];
  for (const [name, relations] of catalog.relations) {
    const { fields } = catalog.collections.get(name) ?? {};
    const add = (alias: string) => {
      if (fields?.has(alias) === false) derived.push({ collection: name, field: alias });
    };
    for (const relation of relations.values()) {
      if (relation.many.collection !== collection) continue;
      if (relation.kind === 'm2o' && relation.field === field) add(field);
      if (relation.kind === 'm2o' || relation.kind === 'a2o') continue;
      if (relation.manyField !== field) continue;
      add(relation.field);
      // Its name while another relation uses the short one.
      add(`${collection}_by_${field}`);
    }
  }
  return derived;
}

/**
 * The reverse field that is named after its collection; fields that claim that name explicitly take
 * precedence.
 */
export function defaultReverseField(catalog: Catalog, from: string, to: string): FieldAddress[] {
  const relation = catalog.relations.get(from)?.get(to);
  return relation?.derived === true ? [{ collection: from, field: to }] : [];
}

/** Removes fields from the lists of all permissions that contain them. */
export async function revokeFields(
  { run, system }: Alteration,
  gone: readonly FieldAddress[],
): Promise<void> {
  if (gone.length === 0) return;
  const collections = gone.map(({ collection }) => collection);
  const fields = gone.map(({ field }) => field);
  const rows = sql`SELECT collection, field
    FROM unnest(${collections}::text[], ${fields}::text[]) AS g (collection, field)`;
  await run(withoutFields(system, rows));
}
