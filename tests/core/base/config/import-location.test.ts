// @quick @newest
/** Locations of imports hold no files of Sluice. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { ConfigError, loadConfig } from '#core/base/config/config.ts';

function faultsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    loadConfig({ DATA_DIR: '/data', ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

t.test('folders', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-location-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  symlinkSync(folder, `${folder}-link`);
  t.teardown(() => rmSync(`${folder}-link`));
  const inbox = (root: string, env = {}) =>
    faultsOf({ IMPORT_LOCATIONS: 'inbox', STORAGE_INBOX_ROOT: root, ...env });
  t.strictSame(inbox('/inbox'), []);
  t.strictSame(inbox('/data-inbox'), []);
  const local = { STORAGE_LOCAL_ROOT: folder };
  const overlaps = ['IMPORT_LOCATIONS: inbox overlaps local, which holds files of Sluice'];
  for (const root of [folder, join(folder, 'in'), '/', `${folder}-link`]) {
    t.strictSame(inbox(root, local), overlaps, root);
  }
  t.strictSame(inbox('/data/inbox', local), [
    'IMPORT_LOCATIONS: inbox overlaps DATA_DIR; STORAGE_INBOX_ROOT must be another folder',
  ]);
  t.strictSame(faultsOf({ IMPORT_LOCATIONS: 'inbox' }).length, 1);
  t.strictSame(faultsOf({ IMPORT_LOCATIONS: 'LOCAL' }), [
    'IMPORT_LOCATIONS: LOCAL is in STORAGE_LOCATIONS, which hold files of Sluice',
  ]);
  t.strictSame(faultsOf({ IMPORT_LOCATIONS: 'a b', STORAGE_A_B_ROOT: '/x' }).length, 2);
});

t.test('buckets', async (t) => {
  const bucket = (name: string, root: string, more: Readonly<Record<string, string>> = {}) => ({
    [`STORAGE_${name}_DRIVER`]: 's3',
    [`STORAGE_${name}_BUCKET`]: 'shared',
    [`STORAGE_${name}_ROOT`]: root,
    ...Object.fromEntries(
      Object.entries(more).map(([key, value]) => [`STORAGE_${name}_${key}`, value]),
    ),
  });
  const both = (files: string, imports: string, more = {}) =>
    faultsOf({
      ...{ STORAGE_LOCATIONS: 'files', IMPORT_LOCATIONS: 'inbox' },
      ...bucket('FILES', files),
      ...bucket('INBOX', imports, more),
    });
  const overlaps = ['IMPORT_LOCATIONS: inbox overlaps files, which holds files of Sluice'];
  t.strictSame(both('sluice', 'inbox'), []);
  t.strictSame(both('sluice', 'sluice-inbox'), []);
  t.strictSame(both('sluice', 'inbox', { BUCKET: 'other' }), []);
  t.strictSame(both('', '', { ENDPOINT: 'http://minio:9000' }), []);
  t.strictSame(both('', 'inbox'), overlaps);
  t.strictSame(both('sluice/', '/sluice/in'), overlaps);
  t.strictSame(both('sluice', ''), overlaps);
  t.strictSame(both('a', 'a', { ENDPOINT: 'https://s3.eu-central-1.amazonaws.com' }), overlaps);
});
