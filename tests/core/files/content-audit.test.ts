import { randomUUID } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { auditContent } from '#core/services/files/content-audit.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { openServices } from '#workers/open-services.ts';

t.test('what does not fit is told, and nothing is removed', async (t) => {
  const url = await createSystemDatabase(t);
  const lines: { readonly msg: string; readonly names: readonly string[] }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
  const config = loadConfig({ DATA_DIR: t.testdir() });
  const services = await openServices(config, url, log);
  t.teardown(() => services[Symbol.asyncDispose]());
  const { pool, schema, files } = services;
  const storage = files.at('local');
  const [known, unknown] = [`${randomUUID()}.png`, `${randomUUID()}.txt`];
  const [variant, arriving, resumable] = [randomUUID(), randomUUID(), randomUUID()];
  const [young, gone] = [randomUUID(), randomUUID()];
  const content = async function* () {
    yield Buffer.from('x');
  };
  const old = new Date(Date.now() - 86_400_000);
  const age = (name: string) => utimes(join(config.DATA_DIR, 'files', name), old, old);
  for (const name of [known, variant, arriving, unknown, young]) {
    await storage.write(name, content(), undefined);
    if (name !== young) await age(name);
  }
  await storage.append(resumable, null, { offset: 0, content: Buffer.from('x') });
  await age(`${resumable}.pieces`);
  const file = async (name: string | null) => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO system_files (storage, filename_disk, filename_download)
       VALUES ('local', $1, 'x') RETURNING id`,
      [name],
    );
    return rows[0]?.id;
  };
  const owner = await file(known);
  await file(gone);
  await file(null);
  await pool.query(
    `INSERT INTO system_file_variants (file, key, storage, name) VALUES ($1, 'k', 'local', $2)`,
    [owner, variant],
  );
  await pool.query(
    `INSERT INTO system_unclaimed_content (storage, name, state) VALUES ('local', $1, 'arriving')`,
    [arriving],
  );
  await pool.query(
    `INSERT INTO system_resumable_uploads (id, metadata, storage, name, expires_on)
     VALUES ($1, '{}', 'local', $2, now() + interval '1 day')`,
    [randomUUID(), resumable],
  );
  const audit = () =>
    auditContent({ pool, schema, store: files, log }, new AbortController().signal);
  t.strictSame(await audit(), { unknown: 1, missing: 1 });
  t.match(
    lines.map(({ msg, names }) => [msg, names]),
    [
      ['stored content belongs to no file', [unknown]],
      ['files have no stored content', [gone]],
    ],
  );
  t.equal(await files.isThere({ storage: 'local', name: unknown }), true, 'it is still there');
});
