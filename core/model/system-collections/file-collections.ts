/** System collections of files and folders. */
import { type Entries, UUID_KEY } from './entry.ts';

export const FILE = {
  files: {
    service: 'own',
    audited: true,
    rule: 'file',
    fields: {
      id: UUID_KEY,
      storage: { type: 'varchar(255)', required: true, writable: true },
      filename_disk: { type: 'varchar(255)' },
      filename_download: { type: 'varchar(255)', required: true, writable: true },
      title: { type: 'varchar(255)', writable: true },
      type: { type: 'varchar(255)', writable: true },
      folder: {
        type: 'uuid',
        special: 'm2o',
        writable: true,
        references: { collection: 'folders', onDelete: 'SET NULL' },
      },
      uploaded_by: {
        type: 'uuid',
        special: 'user-created',
        references: { collection: 'users', onDelete: 'NO ACTION' },
      },
      created_on: {
        type: 'timestamptz',
        required: true,
        default: 'now()',
        special: 'date-created',
      },
      modified_by: {
        type: 'uuid',
        special: 'user-updated',
        references: { collection: 'users', onDelete: 'NO ACTION' },
      },
      modified_on: {
        type: 'timestamptz',
        required: true,
        default: 'now()',
        special: 'date-created,date-updated',
      },
      uploaded_on: { type: 'timestamptz' },
      charset: { type: 'varchar(50)', writable: true },
      filesize: { type: 'bigint' },
      width: { type: 'integer', writable: true },
      height: { type: 'integer', writable: true },
      duration: { type: 'integer', writable: true },
      embed: { type: 'varchar(200)', writable: true },
      description: { type: 'text', writable: true },
      location: { type: 'text', writable: true },
      tags: { type: 'text', special: 'cast-json', writable: true },
      metadata: { type: 'json', writable: true },
      focal_point_x: { type: 'integer', writable: true },
      focal_point_y: { type: 'integer', writable: true },
      tus_id: { type: 'varchar(64)' },
      tus_data: { type: 'json' },
      sha256: { type: 'varchar(64)' },
    },
  },
  folders: {
    service: 'all',
    audited: true,
    rule: 'folder',
    fields: {
      id: UUID_KEY,
      name: { type: 'varchar(255)', required: true, writable: true },
      parent: {
        type: 'uuid',
        special: 'm2o',
        writable: true,
        references: { collection: 'folders', onDelete: 'NO ACTION' },
      },
      type: { type: 'varchar(255)', required: true, default: "'files'", writable: true },
    },
  },
} as const satisfies Entries;
