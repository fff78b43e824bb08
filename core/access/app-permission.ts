/**
 * What every policy with app access grants beside its own permissions: the least that the Admin
 * App needs of the system collections, as their registry says.
 */
import { strict as assert } from 'node:assert';
import { APP_RIGHTS_BY_COLLECTION } from '#core/system-collections/registry.ts';
import { parseRow } from './permission-row.ts';
import type { Action, PermissionRow } from './rights.ts';

/** A permission in the form of the table's rows, of which it is none. */
export interface AppPermission {
  readonly collection: string;
  readonly action: Action;
  readonly permissions: object;
  readonly validation: object | null;
  readonly presets: null;
  readonly fields: readonly string[];
  readonly system: true;
}

/** What is shown of it among the permissions of those who have it. */
export const APP_PERMISSIONS: readonly AppPermission[] = APP_RIGHTS_BY_COLLECTION.flatMap(
  ([collection, rights]) =>
    rights.map((right) => ({
      collection,
      action: right.action,
      permissions: right.permissions ?? {},
      validation: right.validation ?? null,
      presets: null,
      fields: right.fields ?? ['*'],
      system: true,
    })),
);

/** The same as rights. */
export const APP_RIGHTS: readonly PermissionRow[] = APP_PERMISSIONS.map((row) => {
  const parsed = parseRow({
    collection: row.collection,
    action: row.action,
    permissions: JSON.stringify(row.permissions),
    validation: row.validation === null ? null : JSON.stringify(row.validation),
    presets: null,
    fields: row.fields.join(','),
  });
  assert(parsed !== null && parsed.faults.length === 0);
  return parsed.row;
});
