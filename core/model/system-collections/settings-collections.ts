/**
 * System collections for the appearance and the settings of a project, for all users or for one.
 */
import { type Entries, own } from './entry.ts';

/** All settings except those about registration and passwords. */
const FOR_THE_APP = [
  ...['id', 'project_name', 'project_descriptor', 'project_url', 'project_color', 'project_logo'],
  ...['public_foreground', 'public_background', 'public_favicon', 'public_note'],
  ...['default_language', 'default_appearance', 'default_theme_light', 'theme_light_overrides'],
  ...['default_theme_dark', 'theme_dark_overrides', 'custom_css', 'module_bar'],
  ...['storage_asset_transform', 'storage_asset_presets', 'custom_aspect_ratios', 'basemaps'],
  ...['mapbox_key', 'report_error_url', 'report_bug_url', 'report_feature_url'],
  ...['visual_editor_urls', 'collaborative_editing_enabled'],
];

/** The user's own presets, those of its role, and the global ones. */
const OWN_PRESETS = {
  _or: [
    own('user'),
    { _and: [{ user: { _null: true } }, { role: { _eq: '$CURRENT_ROLE' } }] },
    { _and: [{ user: { _null: true } }, { role: { _null: true } }] },
  ],
};

/** A column that refers to a file. */
const FILE = {
  type: 'uuid',
  writable: true,
  references: { collection: 'files', onDelete: 'NO ACTION' },
} as const;

export const APPLICATION = {
  presets: {
    service: 'all',
    // They change whenever a list is viewed.
    audited: false,
    rule: 'preset',
    app: [
      { action: 'read', permissions: OWN_PRESETS },
      // A preset without a user is global, so the user must not be omitted.
      { action: 'create', validation: { user: { _submitted: true, _eq: '$CURRENT_USER' } } },
      { action: 'update', permissions: own('user'), validation: own('user') },
      { action: 'delete', permissions: own('user') },
    ],
    fields: {
      id: { type: 'integer', required: true, default: 'identity', writable: true },
      bookmark: { type: 'varchar(255)', writable: true },
      user: {
        type: 'uuid',
        writable: true,
        references: { collection: 'users', onDelete: 'CASCADE' },
      },
      role: {
        type: 'uuid',
        writable: true,
        references: { collection: 'roles', onDelete: 'CASCADE' },
      },
      collection: { type: 'varchar(64)', writable: true },
      search: { type: 'varchar(100)', writable: true },
      layout: { type: 'varchar(100)', default: "'tabular'", writable: true },
      layout_query: { type: 'json', writable: true },
      layout_options: { type: 'json', writable: true },
      refresh_interval: { type: 'integer', writable: true },
      filter: { type: 'json', writable: true },
      icon: { type: 'varchar(64)', default: "'bookmark'", writable: true },
      color: { type: 'varchar(255)', writable: true },
    },
  },
  settings: {
    service: 'single',
    audited: true,
    decidesRights: true,
    rule: 'setting',
    app: [{ action: 'read', fields: FOR_THE_APP }],
    fields: {
      id: { type: 'integer', required: true, default: 'identity' },
      project_name: { type: 'varchar(100)', required: true, default: "'Sluice'", writable: true },
      project_descriptor: { type: 'varchar(100)', writable: true },
      project_url: { type: 'varchar(255)', writable: true },
      default_language: {
        type: 'varchar(255)',
        required: true,
        default: "'en-US'",
        writable: true,
      },
      project_color: { type: 'varchar(255)', required: true, default: "'#6644FF'", writable: true },
      project_logo: FILE,
      public_foreground: FILE,
      public_background: FILE,
      public_favicon: FILE,
      public_note: { type: 'text', writable: true },
      auth_login_attempts: { type: 'integer', default: '25', writable: true },
      auth_password_policy: { type: 'varchar(100)', writable: true },
      storage_asset_transform: { type: 'varchar(7)', default: "'all'", writable: true },
      storage_asset_presets: { type: 'json', writable: true },
      custom_css: { type: 'text', writable: true },
      storage_default_folder: {
        type: 'uuid',
        writable: true,
        references: { collection: 'folders', onDelete: 'SET NULL' },
      },
      basemaps: { type: 'json', writable: true },
      mapbox_key: { type: 'varchar(255)', writable: true },
      module_bar: { type: 'json', writable: true },
      custom_aspect_ratios: { type: 'json', writable: true },
      default_appearance: {
        type: 'varchar(255)',
        required: true,
        default: "'auto'",
        writable: true,
      },
      default_theme_light: { type: 'varchar(255)', writable: true },
      theme_light_overrides: { type: 'json', writable: true },
      default_theme_dark: { type: 'varchar(255)', writable: true },
      theme_dark_overrides: { type: 'json', writable: true },
      report_error_url: { type: 'varchar(255)', writable: true },
      report_bug_url: { type: 'varchar(255)', writable: true },
      report_feature_url: { type: 'varchar(255)', writable: true },
      public_registration: { type: 'boolean', required: true, default: 'false', writable: true },
      public_registration_verify_email: {
        type: 'boolean',
        required: true,
        default: 'true',
        writable: true,
      },
      public_registration_role: {
        type: 'uuid',
        writable: true,
        references: { collection: 'roles', onDelete: 'SET NULL' },
      },
      public_registration_email_filter: { type: 'json', writable: true },
      visual_editor_urls: { type: 'json', writable: true },
      project_id: { type: 'uuid' },
      collaborative_editing_enabled: {
        type: 'boolean',
        required: true,
        default: 'false',
        writable: true,
      },
    },
  },
} as const satisfies Entries;
