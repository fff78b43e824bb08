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

/** What app access lets users change of themselves, and never of others. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['first_name', 'last_name', 'password', 'avatar', 'language', 'text_direction', 'appearance'],
  ...['theme_light', 'theme_dark', 'theme_light_overrides', 'theme_dark_overrides'],
]);

/** Whether the caller may change other users: a right that only app access gives is about one's own. */
export function mayChangeOthers(rights: Rights): boolean {
  const fields = rights.system_users?.update?.fields ?? [];
  return fields.some((field) => !OWN_FIELDS.has(field));
}
