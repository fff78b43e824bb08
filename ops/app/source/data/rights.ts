/** Reads the rights of the caller: what is not allowed is not offered. The server decides again. */
import type { Action, Collection, Rights } from './schema-types.ts';

/** Whether the caller may do something with some items of a collection at least. */
export function may(rights: Rights, collection: string, action: Action): boolean {
  const access = rights[collection]?.[action]?.access;
  return access === 'full' || access === 'partial';
}

/** Whether an action may touch a field. */
export function mayField(
  rights: Rights,
  collection: string,
  action: Action,
  field: string,
): boolean {
  const fields = rights[collection]?.[action]?.fields;
  return fields !== undefined && (fields.includes('*') || fields.includes(field));
}

/** Whether files may fill something of a collection that has this name: none of those of Sluice itself. */
export function mayImport(rights: Rights, name: string): boolean {
  const fills = may(rights, name, 'create') || may(rights, name, 'update');
  return fills && !name.startsWith('system_');
}

/** Whether the caller may import into a collection, which has items. */
export function isImportable({ collection, meta, schema }: Collection, rights: Rights): boolean {
  return schema !== null && meta?.system !== true && mayImport(rights, collection);
}
