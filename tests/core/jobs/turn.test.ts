/** The turn that a new job gets beside jobs that an administrator moved first. */
import t from 'tap';
import { render, sql } from '#core/database/sql.ts';
import { nextTurn } from '#core/jobs/turn.ts';
import { install } from '../model/catalog/installation.ts';

const { pool } = await install(t);

async function place(state: 'running' | 'waiting', holder: string, turn: number) {
  await pool.query(
    `INSERT INTO system_jobs (kind, queue, message, message_version, state, started_on, holder, turn)
     VALUES ('import', 'transfer', '{}', 1, $1::text, CASE $1::text WHEN 'running' THEN now() END, $2, $3)`,
    [state, holder, turn],
  );
}

async function turnOf(holder: string): Promise<number> {
  const { rows } = await pool.query<{ turn: string }>(
    render(sql`SELECT ${nextTurn('public', 'transfer', holder)} AS turn`),
  );
  return Number(rows[0]?.turn);
}

t.test('jobs that were moved first let no later user pass a backlog', async (t) => {
  t.equal(await turnOf('b'), 0, 'an empty queue');
  for (const turn of [200, 201, 202]) await place('waiting', 'a', turn);
  t.equal(await turnOf('b'), 200);
  await place('waiting', 'a', -5);
  t.equal(await turnOf('b'), 200, 'one waits before all');
  await place('running', 'a', -6);
  t.equal(await turnOf('b'), 200, 'one runs');
  await place('running', 'a', 199);
  t.equal(await turnOf('b'), 199, 'the turn that the queue has reached');
  t.equal(await turnOf('a'), 203);
});
