/**
 * Kills workers at the steps of imports, or stops them there until another one has done their job: what
 * they left is finished by the next one, once.
 */
import type { Test } from 'tap';
import type { Backend } from '#tests/harness/backend.ts';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import { type Cluster, QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';
import { type Fate, lostAt } from './lost-worker.ts';

export const FAILPOINTS = [
  'import.parsing',
  'import.staged',
  'import.merging',
  'import.reporting',
  'import.committing',
  'import.committed',
] as const;

/**
 * A file of which half the keys are there already, so that it is merged.
 * @param isFaulty a last row is faulty
 */
function file(rows: number, isFaulty: boolean): string {
  const lines = ['id,word'];
  for (let id = 1; id <= rows; id += 1) lines.push(`${id},word ${id}`);
  if (isFaulty) lines.push('bad,word');
  return `${lines.join('\n')}\n`;
}

/** Where imports with related items stop: they have no staging table. */
const NESTED: ReadonlySet<string> = new Set([
  'import.parsing',
  'import.merging',
  'import.reporting',
  'import.committing',
  'import.committed',
]);

/** Imports of fewer rows are tried without related items. */
const NESTED_FROM = 2_000;

/** Rows with an item that they refer to and two that refer to them; half of the rows are there. */
function nestedFile(rows: number, isFaulty: boolean): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const item = { id: index + 1, word: `word ${index + 1}`, kind: { name: `kind ${index + 1}` } };
    return JSON.stringify({ ...item, notes: [{ text: 'a' }, { text: 'b' }] });
  });
  if (isFaulty) lines.push('{"id":"bad","kind":{"name":"bad"}}');
  return `${lines.join('\n')}\n`;
}

/** The id of the job of an import. */
async function accepted(t: Test, answering: Promise<Response>): Promise<string> {
  const answer = await answering;
  t.equal(answer.status, 202, await answer.clone().text());
  return (await bodyOf<JobBody>(answer)).data.id;
}

async function killNested(
  t: Test,
  cluster: Cluster,
  {
    failpoint,
    rows,
    isSkipping,
    fate,
  }: { failpoint: string; rows: number; isSkipping: boolean; fate: Fate },
): Promise<void> {
  await cluster.db.query(`
    DROP TABLE IF EXISTS notes, entries, kinds;
    DELETE FROM system_relations;
    CREATE TABLE kinds (id serial PRIMARY KEY, name text UNIQUE);
    CREATE TABLE entries (id int PRIMARY KEY, word text, kind int REFERENCES kinds);
    CREATE TABLE notes (id serial PRIMARY KEY, text text, entry int REFERENCES entries);
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
      one_deselect_action) VALUES ('notes', 'entry', 'entries', 'notes', 'delete');
    INSERT INTO entries SELECT i * 2, 'old' FROM generate_series(1, ${rows / 2}) i;
    INSERT INTO notes (text, entry) SELECT 'old', id FROM entries`);
  await until(
    async () => (await cluster.fetch('/items/entries?fields=notes.text')).ok,
    'the tables',
  );
  const send = async () =>
    await accepted(
      t,
      upload(cluster, 'entries', nestedFile(rows, isSkipping), {
        ...{ name: 'entries.ndjson', type: 'application/x-ndjson' },
        headers: { prefer: 'respond-async' },
        query: isSkipping ? '?on_error=skip' : '',
      }),
    );
  const job = await lostAt(t, cluster, { failpoint, fate, send });
  const result = { inserted: rows / 2, updated: rows / 2, failed: isSkipping ? 1 : 0 };
  t.match(job, { state: 'completed', result });
  const { rows: found } = await cluster.db.query(`SELECT
    (SELECT count(*)::int FROM entries WHERE word = 'word ' || id) AS entries,
    (SELECT count(*)::int FROM entries e JOIN kinds k ON k.id = e.kind AND k.name = 'kind ' || e.id)
      AS kinds,
    (SELECT count(*)::int FROM kinds) AS all_kinds,
    (SELECT count(DISTINCT (entry, text))::int FROM notes) AS notes,
    (SELECT count(*)::int FROM notes) AS all_notes`);
  const counts = { entries: rows, kinds: rows, all_kinds: rows };
  t.strictSame(found, [{ ...counts, notes: rows * 2, all_notes: rows * 2 }]);
}

/** Imports a file of some rows for each failpoint, with a worker that is lost there. */
export function killImports(
  t: Test,
  backend: Backend,
  failpoints: readonly (typeof FAILPOINTS)[number][],
  { rows = 200_000, fate = 'killed' }: { readonly rows?: number; readonly fate?: Fate } = {},
) {
  const name = `a ${fate} worker loses nothing of ${rows} rows with the queue on ${backend.name}`;
  return t.test(name, async (t) => {
    const cluster = await startCluster(t, { env: { ...QUICK_TAKEOVER, ...backend.env } });
    // With one queue, a faulty row is left out; with the other there is none.
    const isSkipping = backend.name === 'postgres';
    const content = file(rows, isSkipping);
    for (const [index, failpoint] of failpoints.entries()) {
      if (failpoint === 'import.reporting' && !isSkipping) continue;
      await t.test(`${fate} at ${failpoint}`, async (t) => {
        const table = `words_${index}`;
        await cluster.db.query(`CREATE TABLE ${table} (id int PRIMARY KEY, word text)`);
        await cluster.db.query(
          `INSERT INTO ${table} SELECT i * 2, 'old' FROM generate_series(1, ${rows / 2}) i`,
        );
        await until(async () => (await cluster.fetch(`/items/${table}`)).ok, 'the table is known');
        const send = async () =>
          await accepted(
            t,
            upload(cluster, table, content, {
              headers: { prefer: 'respond-async' },
              query: isSkipping ? '?on_error=skip' : '',
            }),
          );
        const job = await lostAt(t, cluster, { failpoint, fate, send });
        t.match(job, {
          state: 'completed',
          result: {
            inserted: rows / 2,
            updated: rows / 2,
            unchanged: 0,
            duplicates: 0,
            failed: isSkipping ? 1 : 0,
          },
        });
        const report = await (await cluster.fetch(`/jobs/${job.id}/errors`)).text();
        const fault = new RegExp(`^${rows + 1},id,bad,.*,${rows + 2},"bad,word",\\w+,$`);
        t.match(report.split('\n')[1], isSkipping ? fault : /^$/);
        const found = await cluster.db.query(
          `SELECT count(*)::int, count(DISTINCT id)::int AS ids, min(id), max(id),
             count(*) FILTER (WHERE word = 'word ' || id)::int AS right FROM ${table}`,
        );
        t.strictSame(found.rows, [{ count: rows, ids: rows, min: 1, max: rows, right: rows }]);
      });
      if (!NESTED.has(failpoint)) continue;
      if (rows < NESTED_FROM) continue;
      await t.test(`with related items, ${fate} at ${failpoint}`, async (t) => {
        await killNested(t, cluster, { failpoint, rows: rows / 100, isSkipping, fate });
      });
    }
  });
}
