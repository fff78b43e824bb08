/** The system collection of import profiles. */
import { type Entries, UUID_KEY } from './entry.ts';

export const IMPORT = {
  import_profiles: {
    service: 'all',
    audited: true,
    rule: 'import-profile',
    fields: {
      id: UUID_KEY,
      name: { type: 'varchar(255)', required: true, writable: true },
      collection: { type: 'varchar(255)', required: true, writable: true },
      source: { type: 'json', writable: true },
      mapping: { type: 'json', writable: true },
      options: { type: 'json', writable: true },
      mode: { type: 'varchar(16)', writable: true },
      note: { type: 'text', writable: true },
      date_created: { type: 'timestamptz', default: 'now()', special: 'date-created' },
      user_created: {
        type: 'uuid',
        special: 'user-created',
        references: { collection: 'users', onDelete: 'SET NULL' },
      },
    },
  },
} as const satisfies Entries;
