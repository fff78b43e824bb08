import pg from 'pg';
import t from 'tap';
import { claimJob } from '#core/jobs/claim.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';

const databaseUrl = await createSystemDatabase(t);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
t.teardown(() => pool.end());

async function submit(kind: string, version: number, mailbox: string | null = null) {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO system_jobs (kind, queue, mailbox, message, message_version)
      VALUES ($1, 'transfer', $2, $3, $4) RETURNING id`,
    [kind, mailbox, { version }, version],
  );
  return rows[0]?.id ?? '';
}

const claim = (id: string, readable: Readonly<Record<string, number>>) =>
  claimJob(pool, 'public', id, { readable });

t.test('a job is left to workers that can read its message', async (t) => {
  const id = await submit('work', 3, 'a');
  t.strictSame(await claim(id, { work: 2 }), { outcome: 'aside', mailbox: null });
  t.strictSame(await claim(id, { other: 9 }), { outcome: 'aside', mailbox: null });
  t.match(await claim(id, { work: 3 }), { outcome: 'claimed', job: { id, attempt: 1 } });
});

/** The statement with which workers of 0.1.0 take a job. */
async function takenByFirstRelease(id: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE system_jobs j SET state = 'running', attempt = attempt + 1,
        started_on = coalesce(started_on, now()), backend_pid = NULL, backend_start = NULL
      WHERE id = $1 AND state IN ('waiting', 'running') AND NOT cancel_requested
        AND (mailbox IS NULL OR NOT EXISTS (
          SELECT FROM system_jobs o WHERE o.mailbox = j.mailbox AND o.id <> j.id
            AND (o.state = 'running' OR o.state = 'waiting' AND o.sequence < j.sequence)))`,
    [id],
  );
  return rowCount === 1;
}

t.test('workers of 0.1.0 take the jobs that they can read', async (t) => {
  t.ok(await takenByFirstRelease(await submit('work', 1)));
  const later = await submit('work', 2);
  t.notOk(await takenByFirstRelease(later));
  t.match(await claim(later, { work: 2 }), { outcome: 'claimed' });
  // Its worker was killed.
  t.notOk(await takenByFirstRelease(later));
  await pool.query("UPDATE system_jobs SET state = 'waiting' WHERE id = $1", [later]);
  t.notOk(await takenByFirstRelease(later));
  t.match(await claim(later, { work: 2 }), { outcome: 'claimed', job: { attempt: 2 } });
});
