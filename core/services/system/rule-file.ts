/**
 * The rules of files: the server sets the description of their bytes, and claims the bytes of a new
 * file in the transaction that writes its row.
 */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { claimContent } from '#core/files/unclaimed-content.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Action, Item } from '#core/write/payload.ts';
import type { CollectionRule, CompletedChange, WriteContext } from '#core/write/write-context.ts';
import { singleKeys, systemSchemaOf } from './system-schema.ts';

/** The rules' configuration. */
export interface FileRuleOptions {
  /** STORAGE_LOCATIONS; the first one is the default. */
  readonly locations: readonly string[];
}

/** @throws ServiceError SERVICE_UNAVAILABLE when the bytes were removed meanwhile */
async function begin(write: WriteContext): Promise<void> {
  const stored = (write.given ?? []).flatMap(({ storage, filename_disk: name }) =>
    typeof storage === 'string' && typeof name === 'string' ? [{ storage, name }] : [],
  );
  if (stored.length > 0) await claimContent(write.client, systemSchemaOf(write), stored);
}

/** The folder of files without a folder. */
async function defaultFolder(write: WriteContext): Promise<string | null> {
  const { rows } = await write.client.query<{ folder: string | null }>(
    render(sql`SELECT storage_default_folder AS folder
      FROM ${systemTable(systemSchemaOf(write), 'settings')} LIMIT 1`),
  );
  return rows[0]?.folder ?? null;
}

async function newFile(
  write: WriteContext,
  item: Item,
  locations: readonly string[],
): Promise<Item> {
  const { filename_disk: content, filename_download: name, storage = locations[0], type } = item;
  if (content === undefined && (type === undefined || type === null || type === '')) {
    throw invalidPayload(reason('file_type_missing'), { field: 'type' });
  }
  if (typeof storage !== 'string' || !locations.includes(storage)) {
    throw invalidPayload(reason('storage_unknown', { locations: locations.join(', ') }), {
      field: 'storage',
    });
  }
  const { title = typeof name === 'string' ? titleOf(name) : null } = item;
  const { folder = await defaultFolder(write) } = item;
  return { ...item, storage, title, folder };
}

function changedFile(write: WriteContext, item: Item): Item {
  if (write.given === undefined && item.storage !== undefined) {
    throw forbidden(reason('storage_of_new_files_only'));
  }
  return item;
}

/** @throws ServiceError FORBIDDEN when the request changes the type of existing bytes */
async function after(write: WriteContext, { action, keys, items }: CompletedChange): Promise<void> {
  if (action !== 'update' || write.given !== undefined) return;
  const typed = keys.filter((_, place) => items[place]?.type !== undefined);
  if (typed.length === 0) return;
  const { rows } = await write.client.query(
    render(sql`SELECT FROM ${systemTable(systemSchemaOf(write), 'files')}
      WHERE id = ANY(${singleKeys(typed)}::uuid[]) AND filename_disk IS NOT NULL LIMIT 1`),
  );
  if (rows.length > 0) throw forbidden(reason('file_type_given_by_content'));
}

/** The stages of writing files. */
export function fileRuleStages({ locations }: FileRuleOptions): Omit<CollectionRule, 'writable'> {
  return {
    begin,
    refine: async (write: WriteContext, action: Action, item: Item) =>
      action === 'create' ? await newFile(write, item, locations) : changedFile(write, item),
    after,
  };
}

/** `holiday_photo-2.final.JPG` becomes `Holiday Photo 2.final`; what is no name stays as it is. */
function titleOf(filename: string): string {
  const bare = filename.replace(/(?<=.)\.[^.]*$/u, '');
  const words = bare.split(/[_\s-]+/u).filter((word) => word !== '');
  const title = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ');
  return title === '' ? filename : title;
}
