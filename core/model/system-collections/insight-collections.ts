/** System collections of Insights: dashboards and their panels. */
import { type Entries, type SystemField, UUID_KEY } from './entry.ts';

const DATE_CREATED = {
  type: 'timestamptz',
  default: 'now()',
  special: 'date-created',
} as const satisfies SystemField;

const USER_CREATED = {
  type: 'uuid',
  special: 'user-created',
  references: { collection: 'users', onDelete: 'SET NULL' },
} as const satisfies SystemField;

export const INSIGHT = {
  dashboards: {
    service: 'all',
    audited: true,
    app: [{ action: 'read' }],
    fields: {
      id: UUID_KEY,
      name: { type: 'varchar(255)', required: true, writable: true },
      icon: { type: 'varchar(64)', required: true, default: "'dashboard'", writable: true },
      note: { type: 'text', writable: true },
      color: { type: 'varchar(255)', writable: true },
      date_created: DATE_CREATED,
      user_created: USER_CREATED,
      panels: { type: null, special: 'o2m' },
    },
  },
  panels: {
    service: 'all',
    audited: true,
    app: [{ action: 'read' }],
    fields: {
      id: UUID_KEY,
      dashboard: {
        type: 'uuid',
        required: true,
        writable: true,
        references: { collection: 'dashboards', onDelete: 'CASCADE', back: [{ field: 'panels' }] },
      },
      name: { type: 'varchar(255)', writable: true },
      icon: { type: 'varchar(64)', writable: true },
      color: { type: 'varchar(10)', writable: true },
      show_header: { type: 'boolean', required: true, default: 'false', writable: true },
      note: { type: 'text', writable: true },
      type: { type: 'varchar(255)', required: true, writable: true },
      position_x: { type: 'integer', required: true, writable: true },
      position_y: { type: 'integer', required: true, writable: true },
      width: { type: 'integer', required: true, writable: true },
      height: { type: 'integer', required: true, writable: true },
      options: { type: 'json', writable: true },
      date_created: DATE_CREATED,
      user_created: USER_CREATED,
    },
  },
} as const satisfies Entries;
