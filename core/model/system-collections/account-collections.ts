/** System collections for identity and permissions: users, roles, policies and so on. */
import { type Entries, own, UUID_KEY } from './entry.ts';

/**
 * The readable fields of a user's own account; `password` and `tfa_secret` only show whether they
 * are set.
 */
const OWN_ACCOUNT = [
  ...['id', 'first_name', 'last_name', 'last_page', 'email', 'password', 'location', 'title'],
  ...['description', 'tags', 'provider', 'avatar', 'language', 'text_direction', 'appearance'],
  ...['theme_light', 'theme_dark', 'theme_light_overrides', 'theme_dark_overrides', 'tfa_secret'],
  ...['status', 'role'],
];

/**
 * The fields that users may change in their own account; they do not affect permissions or
 * identity.
 */
const OWN_CHANGES = [
  ...['first_name', 'last_name', 'password', 'avatar', 'language', 'text_direction', 'appearance'],
  ...['theme_light', 'theme_dark', 'theme_light_overrides', 'theme_dark_overrides'],
];

export const ACCOUNT = {
  users: {
    service: 'all',
    audited: true,
    decidesRights: true,
    decidesAdministrators: true,
    extensible: true,
    rule: 'user',
    app: [
      { action: 'read', permissions: own('id'), fields: OWN_ACCOUNT },
      { action: 'update', permissions: own('id'), fields: OWN_CHANGES },
    ],
    fields: {
      id: UUID_KEY,
      first_name: { type: 'varchar(50)', writable: true },
      last_name: { type: 'varchar(50)', writable: true },
      email: { type: 'varchar(128)', writable: true },
      password: { type: 'varchar(255)', special: 'hash', secret: true, writable: true },
      location: { type: 'varchar(255)', writable: true },
      title: { type: 'varchar(50)', writable: true },
      description: { type: 'text', writable: true },
      tags: { type: 'json', special: 'cast-json', writable: true },
      avatar: {
        type: 'uuid',
        writable: true,
        references: { collection: 'files', onDelete: 'NO ACTION' },
      },
      language: { type: 'varchar(255)', writable: true },
      text_direction: { type: 'varchar(255)', required: true, default: "'auto'", writable: true },
      appearance: { type: 'varchar(255)', writable: true },
      theme_light: { type: 'varchar(255)', writable: true },
      theme_dark: { type: 'varchar(255)', writable: true },
      theme_light_overrides: { type: 'json', writable: true },
      theme_dark_overrides: { type: 'json', writable: true },
      // Its rule rejects it and names the correct request.
      tfa_secret: { type: 'varchar(255)', secret: true, writable: true },
      email_notifications: {
        type: 'boolean',
        default: 'true',
        special: 'cast-boolean',
        writable: true,
      },
      status: { type: 'varchar(16)', required: true, default: "'active'", writable: true },
      role: {
        type: 'uuid',
        special: 'm2o',
        writable: true,
        references: { collection: 'roles', onDelete: 'SET NULL', back: [{ field: 'users' }] },
      },
      token: { type: 'varchar(255)', secret: true, writable: true },
      provider: { type: 'varchar(128)', required: true, default: "'default'", writable: true },
      external_identifier: { type: 'varchar(255)', writable: true },
      auth_data: { type: 'json', secret: true },
      last_access: { type: 'timestamptz' },
      last_page: { type: 'varchar(255)', writable: true },
      policies: { type: null, special: 'm2m' },
    },
  },
  roles: {
    service: 'all',
    audited: true,
    decidesRights: true,
    decidesAdministrators: true,
    rule: 'role',
    app: [{ action: 'read', permissions: { id: { _in: '$CURRENT_ROLES' } } }],
    fields: {
      id: UUID_KEY,
      name: { type: 'varchar(100)', required: true, writable: true },
      icon: {
        type: 'varchar(64)',
        required: true,
        default: "'supervised_user_circle'",
        writable: true,
      },
      description: { type: 'text', writable: true },
      parent: {
        type: 'uuid',
        writable: true,
        references: { collection: 'roles', onDelete: 'NO ACTION', back: [{ field: 'children' }] },
      },
      children: { type: null, special: 'o2m' },
      policies: { type: null, special: 'm2m' },
      users: { type: null, special: 'o2m' },
    },
  },
  policies: {
    service: 'all',
    audited: true,
    decidesRights: true,
    decidesAdministrators: true,
    rule: 'policy',
    fields: {
      id: UUID_KEY,
      name: { type: 'varchar(100)', required: true, writable: true },
      icon: { type: 'varchar(64)', required: true, default: "'badge'", writable: true },
      description: { type: 'text', writable: true },
      ip_access: { type: 'text', special: 'cast-csv', writable: true },
      enforce_tfa: { type: 'boolean', required: true, default: 'false', writable: true },
      admin_access: { type: 'boolean', required: true, default: 'false', writable: true },
      app_access: { type: 'boolean', required: true, default: 'false', writable: true },
      permissions: { type: null, special: 'o2m' },
      users: { type: null, special: 'm2m' },
      roles: { type: null, special: 'm2m' },
    },
  },
  access: {
    service: 'all',
    audited: true,
    decidesRights: true,
    decidesAdministrators: true,
    fields: {
      id: UUID_KEY,
      role: {
        type: 'uuid',
        writable: true,
        references: {
          collection: 'roles',
          onDelete: 'CASCADE',
          back: [{ field: 'policies', junction: 'policy', sort: 'sort' }],
        },
      },
      user: {
        type: 'uuid',
        writable: true,
        references: {
          collection: 'users',
          onDelete: 'CASCADE',
          back: [{ field: 'policies', junction: 'policy', sort: 'sort' }],
        },
      },
      policy: {
        type: 'uuid',
        required: true,
        writable: true,
        references: {
          collection: 'policies',
          onDelete: 'CASCADE',
          back: [
            { field: 'users', junction: 'user' },
            { field: 'roles', junction: 'role' },
          ],
        },
      },
      sort: { type: 'integer', writable: true },
    },
  },
  permissions: {
    service: 'all',
    audited: true,
    decidesRights: true,
    rule: 'permission',
    fields: {
      id: { type: 'integer', required: true, default: 'identity', writable: true },
      policy: {
        type: 'uuid',
        required: true,
        writable: true,
        references: {
          collection: 'policies',
          onDelete: 'CASCADE',
          back: [{ field: 'permissions' }],
        },
      },
      collection: { type: 'varchar(64)', required: true, writable: true },
      action: { type: 'varchar(10)', required: true, writable: true },
      permissions: { type: 'json', writable: true },
      validation: { type: 'json', writable: true },
      presets: { type: 'json', writable: true },
      fields: { type: 'text', special: 'cast-csv', writable: true },
    },
  },
} as const satisfies Entries;
