/** System collections of history: activities, revisions and comments. */
import { type Entries, own, UUID_KEY } from './entry.ts';

export const HISTORY = {
  activity: {
    service: 'read',
    audited: false,
    app: [{ action: 'read', permissions: own('user') }],
    fields: {
      id: { type: 'integer', required: true, default: 'identity' },
      action: { type: 'varchar(45)', required: true },
      // It remains when its user is deleted.
      user: { type: 'uuid', references: { collection: 'users', onDelete: null } },
      timestamp: {
        type: 'timestamptz',
        required: true,
        default: 'now()',
        special: 'date-created,cast-timestamp',
      },
      ip: { type: 'varchar(50)' },
      user_agent: { type: 'text' },
      collection: { type: 'varchar(64)', required: true },
      item: { type: 'varchar(255)', required: true },
      origin: { type: 'varchar(255)' },
      revisions: { type: null, special: 'o2m' },
    },
  },
  revisions: {
    service: 'read',
    audited: false,
    fields: {
      id: { type: 'integer', required: true, default: 'identity' },
      activity: {
        type: 'integer',
        required: true,
        references: {
          collection: 'activity',
          onDelete: 'CASCADE',
          back: [{ field: 'revisions' }],
        },
      },
      collection: { type: 'varchar(64)', required: true },
      item: { type: 'varchar(255)', required: true },
      data: { type: 'json' },
      delta: { type: 'json' },
      parent: {
        type: 'integer',
        references: { collection: 'revisions', onDelete: 'NO ACTION' },
      },
      version: { type: 'uuid' },
    },
  },
  comments: {
    service: 'all',
    audited: true,
    rule: 'comment',
    app: [
      { action: 'read', permissions: own('user_created') },
      { action: 'create', validation: { comment: { _nnull: true } } },
      { action: 'update', permissions: own('user_created'), fields: ['comment'] },
      { action: 'delete', permissions: own('user_created') },
    ],
    fields: {
      id: UUID_KEY,
      collection: { type: 'varchar(64)', required: true, writable: true },
      item: { type: 'varchar(255)', required: true, writable: true },
      comment: { type: 'text', required: true, writable: true },
      date_created: { type: 'timestamptz', default: 'now()', special: 'date-created' },
      date_updated: { type: 'timestamptz', special: 'date-updated' },
      user_created: {
        type: 'uuid',
        special: 'user-created',
        references: { collection: 'users', onDelete: 'SET NULL' },
      },
      user_updated: {
        type: 'uuid',
        special: 'user-updated',
        references: { collection: 'users', onDelete: 'NO ACTION' },
      },
    },
  },
} as const satisfies Entries;
