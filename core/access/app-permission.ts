/**
 * The permissions that `app_access` of a policy adds: the minimum that the Admin App needs on
 * system collections. The registry of system collections defines them.
 */
import { strict as assert } from 'node:assert';
import { APP_RIGHTS_BY_COLLECTION } from '#core/model/system-collections/registry.ts';
import { parseRow } from './permission-row.ts';
import type { Action, PermissionRow } from './rights.ts';

/** A permission in the form of a row, although it is not stored. */
export interface AppPermission {
  readonly collection: string;
  readonly action: Action;
  readonly permissions: object;
  readonly validation: object | null;
  readonly presets: null;
  readonly fields: readonly string[];
  readonly system: true;
}

/** The permissions as the list of permissions shows them. */
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

/** The permissions that app access adds, as rights that plans use. */
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
