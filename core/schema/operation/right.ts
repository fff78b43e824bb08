/**
 * Takes away the rights of fields that go, so that whoever makes something of the same name later
 * does not give it to everybody who had a right on what was there before.
 */
import { sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';
import type { Alteration } from '../alteration.ts';

export interface FieldAddress {
  readonly collection: string;
  readonly field: string;
}

/** Takes fields out of the lists of all permissions that name them. */
export async function revokeFields(
  { run, system }: Alteration,
  gone: readonly FieldAddress[],
): Promise<void> {
  if (gone.length === 0) return;
  const collections = gone.map(({ collection }) => collection);
  const fields = gone.map(({ field }) => field);
  await run(sql`
    WITH gone AS (
      SELECT collection, field
      FROM unnest(${collections}::text[], ${fields}::text[]) AS g (collection, field)
    )
    UPDATE ${systemTable(system, 'permissions')} AS p SET fields = (
      SELECT string_agg(f.name, ',' ORDER BY f.n)
      FROM unnest(string_to_array(p.fields, ',')) WITH ORDINALITY AS f (name, n)
      WHERE (p.collection, btrim(f.name)) NOT IN (SELECT collection, field FROM gone))
    WHERE EXISTS (
      SELECT FROM unnest(string_to_array(p.fields, ',')) AS f (name)
      WHERE (p.collection, btrim(f.name)) IN (SELECT collection, field FROM gone))`);
}
