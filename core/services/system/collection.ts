/** The system collections that requests reach, and which of their columns requests may write. */
import { type Collection, SYSTEM_PREFIX } from '#core/catalog/catalog.ts';
import { isBuiltIn } from '#core/catalog/system-field.ts';
import type { Serves } from '../context.ts';

/**
 * Columns by collection. What is not here is kept by the server alone, whoever asks: when somebody
 * was last seen, what identity providers told, where files lie, and everything that happened.
 */
const WRITABLE = {
  access: ['id', 'role', 'user', 'policy', 'sort'],
  activity: [],
  comments: ['id', 'collection', 'item', 'comment'],
  permissions: [
    'id',
    'policy',
    'collection',
    'action',
    'permissions',
    'validation',
    'presets',
    'fields',
  ],
  policies: [
    'id',
    'name',
    'icon',
    'description',
    'ip_access',
    'enforce_tfa',
    'admin_access',
    'app_access',
  ],
  presets: [
    'id',
    'bookmark',
    'user',
    'role',
    'collection',
    'search',
    'layout',
    'layout_query',
    'layout_options',
    'refresh_interval',
    'filter',
    'icon',
    'color',
  ],
  revisions: [],
  roles: ['id', 'name', 'icon', 'description', 'parent'],
  settings: [
    'project_name',
    'project_descriptor',
    'project_url',
    'default_language',
    'project_color',
    'project_logo',
    'public_foreground',
    'public_background',
    'public_favicon',
    'public_note',
    'auth_login_attempts',
    'auth_password_policy',
    'storage_asset_transform',
    'storage_asset_presets',
    'custom_css',
    'storage_default_folder',
    'basemaps',
    'mapbox_key',
    'module_bar',
    'custom_aspect_ratios',
    'default_appearance',
    'default_theme_light',
    'theme_light_overrides',
    'default_theme_dark',
    'theme_dark_overrides',
    'report_error_url',
    'report_bug_url',
    'report_feature_url',
    'public_registration',
    'public_registration_verify_email',
    'public_registration_role',
    'public_registration_email_filter',
    'visual_editor_urls',
    'collaborative_editing_enabled',
  ],
  users: [
    'id',
    'first_name',
    'last_name',
    'email',
    'password',
    'location',
    'title',
    'description',
    'tags',
    'avatar',
    'language',
    'text_direction',
    'appearance',
    'theme_light',
    'theme_dark',
    'theme_light_overrides',
    'theme_dark_overrides',
    // Refused by a rule of its own, which says what to do instead.
    'tfa_secret',
    'email_notifications',
    'status',
    'role',
    'token',
    'provider',
    'external_identifier',
    'last_page',
  ],
} as const satisfies Record<string, readonly string[]>;

export type SystemName = keyof typeof WRITABLE;

const COLUMNS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(WRITABLE).map(([name, columns]) => [SYSTEM_PREFIX + name, new Set(columns)]),
);

/** The name by which the catalog knows a system collection. */
export function systemName(name: SystemName): string {
  return SYSTEM_PREFIX + name;
}

/** The columns of a system collection that requests may write: named above, or added to its own. */
export function writableFields(collection: Collection): ReadonlySet<string> {
  const added = [...collection.fields.keys()].filter((field) => !isBuiltIn(collection, field));
  return new Set([...(COLUMNS.get(collection.name) ?? []), ...added]);
}

/** The system collections with routes of their own. */
export const servesSystem: Serves = (collection: Collection) =>
  collection.system && COLUMNS.has(collection.name);
