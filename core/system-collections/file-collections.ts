/** System collections of files and folders. They have no routes yet. */
import type { Entries } from './entry.ts';

export const FILE = {
  files: {
    service: null,
    audited: true,
    fields: {
      id: { type: 'uuid', required: true, default: 'gen_random_uuid()', special: 'uuid' },
      storage: { type: 'varchar(255)', required: true },
      filename_disk: { type: 'varchar(255)' },
      filename_download: { type: 'varchar(255)', required: true },
      title: { type: 'varchar(255)' },
      type: { type: 'varchar(255)' },
      folder: {
        type: 'uuid',
        special: 'm2o',
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
      charset: { type: 'varchar(50)' },
      filesize: { type: 'bigint' },
      width: { type: 'integer' },
      height: { type: 'integer' },
      duration: { type: 'integer' },
      embed: { type: 'varchar(200)' },
      description: { type: 'text' },
      location: { type: 'text' },
      tags: { type: 'text', special: 'cast-json' },
      metadata: { type: 'json' },
      focal_point_x: { type: 'integer' },
      focal_point_y: { type: 'integer' },
      tus_id: { type: 'varchar(64)' },
      tus_data: { type: 'json' },
    },
  },
  folders: {
    service: null,
    audited: true,
    fields: {
      id: { type: 'uuid', required: true, default: 'gen_random_uuid()', special: 'uuid' },
      name: { type: 'varchar(255)', required: true },
      parent: { type: 'uuid', references: { collection: 'folders', onDelete: 'NO ACTION' } },
      type: { type: 'varchar(255)', required: true, default: "'files'" },
    },
  },
} as const satisfies Entries;
