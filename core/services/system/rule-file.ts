/**
 * The rules of files: what is known of their bytes comes from the server, and the bytes of a new file
 * are claimed in the transaction that writes its row.
 */

import { render, sql } from '#core/database/sql.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';
import { titleOf } from '#core/files/title.ts';
import { claimContent } from '#core/files/unclaimed-content.ts';
import type { Action, Item } from '#core/mutation/payload.ts';
import type { CollectionRule, Done, Write } from '#core/mutation/target.ts';
import { systemTable } from '#core/system/system-table.ts';
import { schemaOf, singleKeys } from './system-schema.ts';

/** What the rules need to know of the configuration. */
export interface FileRuleOptions {
  /** STORAGE_LOCATIONS: the first one is for files that name none. */
  readonly locations: readonly string[];
}

/** @throws ServiceError SERVICE_UNAVAILABLE when the bytes were given up meanwhile */
async function begin(write: Write): Promise<void> {
  const stored = (write.given ?? []).flatMap(({ storage, filename_disk: name }) =>
    typeof storage === 'string' && typeof name === 'string' ? [{ storage, name }] : [],
  );
  if (stored.length > 0) await claimContent(write.client, schemaOf(write), stored);
}

/** The folder of files that name none. */
async function defaultFolder(write: Write): Promise<string | null> {
  const { rows } = await write.client.query<{ folder: string | null }>(
    render(sql`SELECT storage_default_folder AS folder
      FROM ${systemTable(schemaOf(write), 'settings')} LIMIT 1`),
  );
  return rows[0]?.folder ?? null;
}

async function newFile(write: Write, item: Item, locations: readonly string[]): Promise<Item> {
  const { filename_disk: content, filename_download: name, storage = locations[0], type } = item;
  if (content === undefined && (type === undefined || type === null || type === '')) {
    throw invalidPayload('"type" must be given for a file without content.', { field: 'type' });
  }
  if (typeof storage !== 'string' || !locations.includes(storage)) {
    throw invalidPayload(`"storage" must be one of ${locations.join(', ')}.`, { field: 'storage' });
  }
  const { title = typeof name === 'string' ? titleOf(name) : null } = item;
  const { folder = await defaultFolder(write) } = item;
  return { ...item, storage, title, folder };
}

function changedFile(write: Write, item: Item): Item {
  if (write.given === undefined && item.storage !== undefined) {
    throw forbidden('Field "storage" of "system_files" can only be given to new files.');
  }
  return item;
}

/** @throws ServiceError FORBIDDEN when somebody changes the type of bytes that are there */
async function after(write: Write, { action, keys, items }: Done): Promise<void> {
  if (action !== 'update' || write.given !== undefined) return;
  const typed = keys.filter((_, place) => items[place]?.type !== undefined);
  if (typed.length === 0) return;
  const { rows } = await write.client.query(
    render(sql`SELECT FROM ${systemTable(schemaOf(write), 'files')}
      WHERE id = ANY(${singleKeys(typed)}::uuid[]) AND filename_disk IS NOT NULL LIMIT 1`),
  );
  if (rows.length > 0) throw forbidden('The type of a file is that of its content.');
}

/** The stages of writing files. */
export function fileStage({ locations }: FileRuleOptions): Omit<CollectionRule, 'writable'> {
  return {
    begin,
    refine: async (write: Write, action: Action, item: Item) =>
      action === 'create' ? await newFile(write, item, locations) : changedFile(write, item),
    after,
  };
}
