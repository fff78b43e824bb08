/** System collections of jobs. Their route is `/jobs`, not that of items. */
import type { Entries } from './entry.ts';

export const JOB = {
  jobs: {
    service: null,
    audited: false,
    fields: {
      id: { type: 'uuid', required: true, default: 'gen_random_uuid()' },
      kind: { type: 'varchar(64)', required: true },
      queue: { type: 'varchar(64)', required: true },
      mailbox: { type: 'varchar(255)' },
      sequence: { type: 'bigint', required: true, default: 'identity always' },
      state: { type: 'varchar(16)', required: true, default: "'waiting'" },
      attempt: { type: 'integer', required: true, default: '0' },
      message: { type: 'jsonb', required: true },
      message_version: { type: 'integer', required: true },
      progress: { type: 'jsonb' },
      result: { type: 'jsonb' },
      error: { type: 'jsonb' },
      user: { type: 'uuid' },
      collection: { type: 'varchar(255)' },
      fingerprint: { type: 'varchar(255)' },
      cancel_requested: { type: 'boolean', required: true, default: 'false' },
      backend_pid: { type: 'integer' },
      backend_start: { type: 'timestamptz' },
      created_on: { type: 'timestamptz', required: true, default: 'now()' },
      started_on: { type: 'timestamptz' },
      finished_on: { type: 'timestamptz' },
      catalog: { type: 'bigint', required: true, default: '0' },
      holder: { type: 'varchar(64)' },
    },
  },
  job_errors: {
    service: null,
    audited: false,
    fields: {
      job: {
        type: 'uuid',
        required: true,
        references: { collection: 'jobs', onDelete: 'CASCADE' },
      },
      position: { type: 'integer', required: true },
      row: { type: 'bigint' },
      field: { type: 'text' },
      value: { type: 'text' },
      reason: { type: 'text', required: true },
      code: { type: 'varchar(64)', required: true },
    },
  },
} as const satisfies Entries;
