/** The rule of import profiles: an import can use what is stored. */
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { CompletedChange, WriteContext } from '#core/write/write-context.ts';
import { importProfileOf, type StoredProfile } from '../import-profile.ts';
import { singleKeys, systemSchemaOf } from './system-schema.ts';

/**
 * Parses new and changed profiles as they are stored.
 * @throws ServiceError INVALID_PAYLOAD naming the member and the option
 */
export async function afterImportProfiles(
  write: WriteContext,
  { action, keys }: CompletedChange,
): Promise<void> {
  if (action === 'delete') return;
  const { rows } = await write.client.query<Record<keyof StoredProfile, string | null>>(
    render(sql`
      SELECT name, collection, source::text, mapping::text, options::text, mode
      FROM ${systemTable(systemSchemaOf(write), 'import_profiles')}
      WHERE id = ANY(${singleKeys(keys)}::uuid[]) ORDER BY id`),
  );
  const value = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  for (const { name, collection, source, mapping, options, mode } of rows) {
    importProfileOf({
      ...{ name: name ?? '', collection: collection ?? '', mode },
      ...{ source: value(source), mapping: value(mapping), options: value(options) },
    });
  }
}
