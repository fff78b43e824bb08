/** Types of the schema of Sluice. Made by a command; changes are lost. */
import type {
  Collection,
  Column,
  Concealed,
  Json,
  Singleton,
  ToMany,
  ToOne,
} from './index.ts';

export interface SystemAccess {
  id: Column<'uuid', string, 'default'>;
  role: ToOne<'system_roles', 'uuid', string | null>;
  user: ToOne<'system_users', 'uuid', string | null>;
  policy: ToOne<'system_policies', 'uuid', string>;
  sort: Column<'integer', number | null>;
}

export interface SystemActivity {
  id: Column<'integer', number, 'readonly'>;
  action: Column<'string', string, 'readonly'>;
  user: ToOne<'system_users', 'uuid', string | null, 'readonly' | 'partial'>;
  timestamp: Column<'timestamp', string, 'readonly'>;
  ip: Column<'string', string | null, 'readonly'>;
  user_agent: Column<'text', string | null, 'readonly'>;
  collection: Column<'string', string, 'readonly'>;
  item: Column<'string', string, 'readonly'>;
  origin: Column<'string', string | null, 'readonly'>;
  revisions: ToMany<'system_revisions', 'activity'>;
}

export interface SystemComments {
  id: Column<'uuid', string, 'default'>;
  collection: Column<'string', string>;
  item: Column<'string', string>;
  comment: Column<'text', string>;
  date_created: Column<'timestamp', string | null, 'readonly'>;
  date_updated: Column<'timestamp', string | null, 'readonly'>;
  user_created: ToOne<'system_users', 'uuid', string | null, 'readonly'>;
  user_updated: ToOne<'system_users', 'uuid', string | null, 'readonly'>;
}

export interface SystemDashboards {
  id: Column<'uuid', string, 'default'>;
  name: Column<'string', string>;
  icon: Column<'string', string, 'default'>;
  note: Column<'text', string | null>;
  color: Column<'string', string | null>;
  date_created: Column<'timestamp', string | null, 'readonly'>;
  user_created: ToOne<'system_users', 'uuid', string | null, 'readonly'>;
  panels: ToMany<'system_panels', 'dashboard'>;
}

export interface SystemFiles {
  id: Column<'uuid', string, 'default'>;
  storage: Column<'string', string>;
  filename_disk: Column<'string', string | null, 'readonly'>;
  filename_download: Column<'string', string>;
  title: Column<'string', string | null>;
  type: Column<'string', string | null>;
  folder: ToOne<'system_folders', 'uuid', string | null>;
  uploaded_by: ToOne<'system_users', 'uuid', string | null, 'readonly'>;
  created_on: Column<'timestamp', string, 'readonly'>;
  modified_by: ToOne<'system_users', 'uuid', string | null, 'readonly'>;
  modified_on: Column<'timestamp', string, 'readonly'>;
  uploaded_on: Column<'timestamp', string | null, 'readonly'>;
  charset: Column<'string', string | null>;
  filesize: Column<'bigInteger', string | null, 'readonly'>;
  width: Column<'integer', number | null>;
  height: Column<'integer', number | null>;
  duration: Column<'integer', number | null>;
  embed: Column<'string', string | null>;
  description: Column<'text', string | null>;
  location: Column<'text', string | null>;
  tags: Column<'json', Json>;
  metadata: Column<'json', Json>;
  focal_point_x: Column<'integer', number | null>;
  focal_point_y: Column<'integer', number | null>;
  tus_id: Column<'string', string | null, 'readonly'>;
  tus_data: Column<'json', Json, 'readonly'>;
  sha256: Column<'string', string | null, 'readonly'>;
  system_settings_by_project_logo: ToMany<'system_settings', 'project_logo', 'unlisted'>;
  system_settings_by_public_background: ToMany<'system_settings', 'public_background', 'unlisted'>;
  system_settings_by_public_favicon: ToMany<'system_settings', 'public_favicon', 'unlisted'>;
  system_settings_by_public_foreground: ToMany<'system_settings', 'public_foreground', 'unlisted'>;
  system_users: ToMany<'system_users', 'avatar', 'unlisted'>;
}

export interface SystemFolders {
  id: Column<'uuid', string, 'default'>;
  name: Column<'string', string>;
  parent: ToOne<'system_folders', 'uuid', string | null>;
  type: Column<'string', string, 'default'>;
  system_files: ToMany<'system_files', 'folder', 'unlisted'>;
  system_folders: ToMany<'system_folders', 'parent', 'unlisted'>;
  system_settings: ToMany<'system_settings', 'storage_default_folder', 'unlisted'>;
}

export interface SystemImportProfiles {
  id: Column<'uuid', string, 'default'>;
  name: Column<'string', string>;
  collection: Column<'string', string>;
  source: Column<'json', Json>;
  mapping: Column<'json', Json>;
  options: Column<'json', Json>;
  mode: Column<'string', string | null>;
  note: Column<'text', string | null>;
  date_created: Column<'timestamp', string | null, 'readonly'>;
  user_created: ToOne<'system_users', 'uuid', string | null, 'readonly'>;
}

export interface SystemPanels {
  id: Column<'uuid', string, 'default'>;
  dashboard: ToOne<'system_dashboards', 'uuid', string>;
  name: Column<'string', string | null>;
  icon: Column<'string', string | null>;
  color: Column<'string', string | null>;
  show_header: Column<'boolean', boolean, 'default'>;
  note: Column<'text', string | null>;
  type: Column<'string', string>;
  position_x: Column<'integer', number>;
  position_y: Column<'integer', number>;
  width: Column<'integer', number>;
  height: Column<'integer', number>;
  options: Column<'json', Json>;
  date_created: Column<'timestamp', string | null, 'readonly'>;
  user_created: ToOne<'system_users', 'uuid', string | null, 'readonly'>;
}

export interface SystemPermissions {
  id: Column<'integer', number, 'default'>;
  policy: ToOne<'system_policies', 'uuid', string>;
  collection: Column<'string', string>;
  action: Column<'string', string>;
  permissions: Column<'json', Json>;
  validation: Column<'json', Json>;
  presets: Column<'json', Json>;
  fields: Column<'csv', string[] | null>;
}

export interface SystemPolicies {
  id: Column<'uuid', string, 'default'>;
  name: Column<'string', string>;
  icon: Column<'string', string, 'default'>;
  description: Column<'text', string | null>;
  ip_access: Column<'csv', string[] | null>;
  enforce_tfa: Column<'boolean', boolean, 'default'>;
  admin_access: Column<'boolean', boolean, 'default'>;
  app_access: Column<'boolean', boolean, 'default'>;
  permissions: ToMany<'system_permissions', 'policy'>;
  users: ToMany<'system_access', 'policy'>;
  roles: ToMany<'system_access', 'policy'>;
}

export interface SystemPresets {
  id: Column<'integer', number, 'default'>;
  bookmark: Column<'string', string | null>;
  user: ToOne<'system_users', 'uuid', string | null>;
  role: ToOne<'system_roles', 'uuid', string | null>;
  collection: Column<'string', string | null>;
  search: Column<'string', string | null>;
  layout: Column<'string', string | null, 'default'>;
  layout_query: Column<'json', Json>;
  layout_options: Column<'json', Json>;
  refresh_interval: Column<'integer', number | null>;
  filter: Column<'json', Json>;
  icon: Column<'string', string | null, 'default'>;
  color: Column<'string', string | null>;
}

export interface SystemRevisions {
  id: Column<'integer', number, 'readonly'>;
  activity: ToOne<'system_activity', 'integer', number, 'readonly'>;
  collection: Column<'string', string, 'readonly'>;
  item: Column<'string', string, 'readonly'>;
  data: Column<'json', Json, 'readonly'>;
  delta: Column<'json', Json, 'readonly'>;
  parent: ToOne<'system_revisions', 'integer', number | null, 'readonly'>;
  version: Column<'uuid', string | null, 'readonly'>;
  system_revisions: ToMany<'system_revisions', 'parent', 'unlisted'>;
}

export interface SystemRoles {
  id: Column<'uuid', string, 'default'>;
  name: Column<'string', string>;
  icon: Column<'string', string, 'default'>;
  description: Column<'text', string | null>;
  parent: ToOne<'system_roles', 'uuid', string | null>;
  children: ToMany<'system_roles', 'parent'>;
  policies: ToMany<'system_access', 'role'>;
  users: ToMany<'system_users', 'role'>;
  system_presets: ToMany<'system_presets', 'role', 'unlisted'>;
  system_settings: ToMany<'system_settings', 'public_registration_role', 'unlisted'>;
}

export interface SystemSettings {
  id: Column<'integer', number, 'readonly'>;
  project_name: Column<'string', string, 'default'>;
  project_descriptor: Column<'string', string | null>;
  project_url: Column<'string', string | null>;
  default_language: Column<'string', string, 'default'>;
  project_color: Column<'string', string, 'default'>;
  project_logo: ToOne<'system_files', 'uuid', string | null>;
  public_foreground: ToOne<'system_files', 'uuid', string | null>;
  public_background: ToOne<'system_files', 'uuid', string | null>;
  public_favicon: ToOne<'system_files', 'uuid', string | null>;
  public_note: Column<'text', string | null>;
  auth_login_attempts: Column<'integer', number | null, 'default'>;
  auth_password_policy: Column<'string', string | null>;
  storage_asset_transform: Column<'string', string | null, 'default'>;
  storage_asset_presets: Column<'json', Json>;
  custom_css: Column<'text', string | null>;
  storage_default_folder: ToOne<'system_folders', 'uuid', string | null>;
  basemaps: Column<'json', Json>;
  mapbox_key: Column<'string', string | null>;
  module_bar: Column<'json', Json>;
  custom_aspect_ratios: Column<'json', Json>;
  default_appearance: Column<'string', string, 'default'>;
  default_theme_light: Column<'string', string | null>;
  theme_light_overrides: Column<'json', Json>;
  default_theme_dark: Column<'string', string | null>;
  theme_dark_overrides: Column<'json', Json>;
  report_error_url: Column<'string', string | null>;
  report_bug_url: Column<'string', string | null>;
  report_feature_url: Column<'string', string | null>;
  public_registration: Column<'boolean', boolean, 'default'>;
  public_registration_verify_email: Column<'boolean', boolean, 'default'>;
  public_registration_role: ToOne<'system_roles', 'uuid', string | null>;
  public_registration_email_filter: Column<'json', Json>;
  visual_editor_urls: Column<'json', Json>;
  project_id: Column<'uuid', string | null, 'readonly'>;
  collaborative_editing_enabled: Column<'boolean', boolean, 'default'>;
}

export interface SystemUsers {
  id: Column<'uuid', string, 'default'>;
  first_name: Column<'string', string | null>;
  last_name: Column<'string', string | null>;
  email: Column<'string', string | null>;
  password: Column<'hash', Concealed | null, 'concealed'>;
  location: Column<'string', string | null>;
  title: Column<'string', string | null>;
  description: Column<'text', string | null>;
  tags: Column<'json', Json>;
  avatar: ToOne<'system_files', 'uuid', string | null>;
  language: Column<'string', string | null>;
  text_direction: Column<'string', string, 'default'>;
  appearance: Column<'string', string | null>;
  theme_light: Column<'string', string | null>;
  theme_dark: Column<'string', string | null>;
  theme_light_overrides: Column<'json', Json>;
  theme_dark_overrides: Column<'json', Json>;
  tfa_secret: Column<'string', Concealed | null, 'concealed'>;
  email_notifications: Column<'boolean', boolean | null, 'default'>;
  status: Column<'string', string, 'default'>;
  role: ToOne<'system_roles', 'uuid', string | null>;
  token: Column<'string', Concealed | null, 'concealed'>;
  provider: Column<'string', string, 'default'>;
  external_identifier: Column<'string', string | null>;
  auth_data: Column<'json', Concealed | null, 'readonly' | 'concealed'>;
  last_access: Column<'timestamp', string | null, 'readonly'>;
  last_page: Column<'string', string | null>;
  policies: ToMany<'system_access', 'user'>;
  system_activity: ToMany<'system_activity', 'user', 'unlisted'>;
  system_comments_by_user_created: ToMany<'system_comments', 'user_created', 'unlisted'>;
  system_comments_by_user_updated: ToMany<'system_comments', 'user_updated', 'unlisted'>;
  system_dashboards: ToMany<'system_dashboards', 'user_created', 'unlisted'>;
  system_files_by_modified_by: ToMany<'system_files', 'modified_by', 'unlisted'>;
  system_files_by_uploaded_by: ToMany<'system_files', 'uploaded_by', 'unlisted'>;
  system_import_profiles: ToMany<'system_import_profiles', 'user_created', 'unlisted'>;
  system_panels: ToMany<'system_panels', 'user_created', 'unlisted'>;
  system_presets: ToMany<'system_presets', 'user', 'unlisted'>;
}

export interface SystemSchema {
  system_access: Collection<SystemAccess, 'id'>;
  system_activity: Collection<SystemActivity, 'id'>;
  system_comments: Collection<SystemComments, 'id'>;
  system_dashboards: Collection<SystemDashboards, 'id'>;
  system_files: Collection<SystemFiles, 'id'>;
  system_folders: Collection<SystemFolders, 'id'>;
  system_import_profiles: Collection<SystemImportProfiles, 'id'>;
  system_panels: Collection<SystemPanels, 'id'>;
  system_permissions: Collection<SystemPermissions, 'id'>;
  system_policies: Collection<SystemPolicies, 'id'>;
  system_presets: Collection<SystemPresets, 'id'>;
  system_revisions: Collection<SystemRevisions, 'id'>;
  system_roles: Collection<SystemRoles, 'id'>;
  system_settings: Singleton<SystemSettings, 'id'>;
  system_users: Collection<SystemUsers, 'id'>;
}
