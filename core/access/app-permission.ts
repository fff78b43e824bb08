/**
 * What every policy with app access grants beside its own permissions: the least that the Admin
 * App needs of the system collections.
 */
import { strict as assert } from 'node:assert';
import { parseRow } from './permission-row.ts';
import type { Action, PermissionRow } from './right.ts';

interface MinimalPermission {
  readonly collection: string;
  readonly action: Action;
  readonly permissions?: object;
  readonly validation?: object;
  readonly fields?: readonly string[];
}

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

const OWN = (field: string) => ({ [field]: { _eq: '$CURRENT_USER' } });

const SETTINGS_FIELDS = [
  'id',
  'project_name',
  'project_descriptor',
  'project_url',
  'project_color',
  'project_logo',
  'public_foreground',
  'public_background',
  'public_favicon',
  'public_note',
  'default_language',
  'default_appearance',
  'default_theme_light',
  'theme_light_overrides',
  'default_theme_dark',
  'theme_dark_overrides',
  'custom_css',
  'module_bar',
  'storage_asset_transform',
  'storage_asset_presets',
  'custom_aspect_ratios',
  'basemaps',
  'mapbox_key',
  'report_error_url',
  'report_bug_url',
  'report_feature_url',
  'visual_editor_urls',
  'collaborative_editing_enabled',
];

/** `password` and `tfa_secret` tell no more than whether they are set. */
const SELF_FIELDS = [
  'id',
  'first_name',
  'last_name',
  'last_page',
  'email',
  'password',
  'location',
  'title',
  'description',
  'tags',
  'provider',
  'avatar',
  'language',
  'text_direction',
  'appearance',
  'theme_light',
  'theme_dark',
  'theme_light_overrides',
  'theme_dark_overrides',
  'tfa_secret',
  'status',
  'role',
];

const PRESETS_READ = {
  _or: [
    OWN('user'),
    { _and: [{ user: { _null: true } }, { role: { _eq: '$CURRENT_ROLE' } }] },
    { _and: [{ user: { _null: true } }, { role: { _null: true } }] },
  ],
};

const MINIMAL: readonly MinimalPermission[] = [
  { collection: 'collections', action: 'read' },
  { collection: 'fields', action: 'read' },
  { collection: 'relations', action: 'read' },
  { collection: 'translations', action: 'read' },
  { collection: 'activity', action: 'read', permissions: OWN('user') },
  { collection: 'comments', action: 'read', permissions: OWN('user_created') },
  { collection: 'comments', action: 'create', validation: { comment: { _nnull: true } } },
  {
    collection: 'comments',
    action: 'update',
    permissions: OWN('user_created'),
    fields: ['comment'],
  },
  { collection: 'comments', action: 'delete', permissions: OWN('user_created') },
  { collection: 'presets', action: 'read', permissions: PRESETS_READ },
  // Without a user a preset would be everybody's, so leaving the user out is no way around.
  {
    collection: 'presets',
    action: 'create',
    validation: { user: { _submitted: true, _eq: '$CURRENT_USER' } },
  },
  {
    collection: 'presets',
    action: 'update',
    permissions: OWN('user'),
    validation: OWN('user'),
  },
  { collection: 'presets', action: 'delete', permissions: OWN('user') },
  { collection: 'roles', action: 'read', permissions: { id: { _in: '$CURRENT_ROLES' } } },
  { collection: 'settings', action: 'read', fields: SETTINGS_FIELDS },
  { collection: 'notifications', action: 'read', permissions: OWN('recipient') },
  {
    collection: 'notifications',
    action: 'update',
    permissions: OWN('recipient'),
    fields: ['status'],
  },
  { collection: 'shares', action: 'read', permissions: OWN('user_created') },
  { collection: 'users', action: 'read', permissions: OWN('id'), fields: SELF_FIELDS },
];

/** What is shown of it among the permissions of those who have it. */
export const APP_PERMISSIONS: readonly AppPermission[] = MINIMAL.map((row) => ({
  collection: `system_${row.collection}`,
  action: row.action,
  permissions: row.permissions ?? {},
  validation: row.validation ?? null,
  presets: null,
  fields: row.fields ?? ['*'],
  system: true,
}));

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
