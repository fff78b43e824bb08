/**
 * Takes away the rights of fields that go, so that whoever makes something of the same name later
 * does not give it to everybody who had a right on what was there before.
 */
import type { Catalog } from '#core/catalog/catalog.ts';
import { withoutFields } from '#core/catalog/revoke-fields.ts';
import { sql } from '#core/database/sql.ts';
import type { Alteration } from '../schema-change-context.ts';

export interface FieldAddress {
  readonly collection: string;
  readonly field: string;
}

/**
 * The names that a relation alone gives: its own where that is the constraint's, and those of its
 * way back where no field has them. With the relation they mean nothing any more.
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
      // Its name while another relation claims the short one.
      add(`${collection}_by_${field}`);
    }
  }
  return derived;
}

/**
 * The way back that goes by the name of the collection it leads to, which it loses to whatever
 * claims that name too.
 */
export function shortWayBack(catalog: Catalog, from: string, to: string): FieldAddress[] {
  const relation = catalog.relations.get(from)?.get(to);
  return relation?.derived === true ? [{ collection: from, field: to }] : [];
}

/** Takes fields out of the lists of all permissions that name them. */
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
