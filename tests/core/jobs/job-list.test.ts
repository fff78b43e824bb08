/**
 * Pages of jobs are found in several ways; whichever is taken, a page has the same jobs in the same
 * order as the whole list.
 */
import pg from 'pg';
import t from 'tap';
import { ANONYMOUS, type Caller } from '#core/access/grants.ts';
import { JobList, type JobQuery } from '#core/jobs/job-list.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { Dice } from '#tests/harness/dice.ts';

const JOBS = 600;
const PAGES = Number(process.env.PROPERTY_PAGES ?? 250);
const SEED = Number(process.env.PROPERTY_SEED ?? Math.floor(Math.random() * 1e9));
const MEMBER = '00000000-0000-4000-8000-000000000001';

const pool = new pg.Pool({ connectionString: await createSystemDatabase(t), max: 2 });
t.teardown(() => pool.end());
await pool.query('SELECT setseed($1)', [(SEED % 1_000) / 1_000]);

const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString();

async function fill(): Promise<void> {
  await pool.query(
    `INSERT INTO system_jobs (kind, queue, message, message_version, "user", collection, file_name,
        file_size, file_format, state, attempt, created_on, started_on, finished_on)
      SELECT kind, 'transfer', '{}', 1, ('00000000-0000-4000-8000-00000000000' || floor(random() * 4))::uuid,
        (ARRAY['orders', 'Orders_2', 'parts', NULL])[1 + floor(random() * 4)::int],
        CASE kind WHEN 'import' THEN (ARRAY['orders', 'ORD', 'data', 'Ärger'])[1 + floor(random() * 4)::int]
          || '-' || floor(random() * 30) END,
        CASE WHEN kind = 'import' AND random() < 0.97 THEN floor(random() * 20) END, 'csv', state, floor(random() * 3),
        on_, CASE WHEN state = 'completed' THEN on_ + interval '1 minute' * floor(random() * 40) END,
        CASE WHEN state IN ('completed', 'cancelled') THEN on_ + CASE WHEN random() < 0.9 THEN interval '1 hour' ELSE interval '50 hours' END END
      FROM (SELECT (ARRAY['import', 'export'])[1 + floor(random() * 1.5)::int] AS kind,
          (ARRAY['completed', 'cancelled', 'waiting', 'running'])[1 + floor(power(random(), 2) * 4)::int] AS state,
          timestamptz '2026-01-01Z' + interval '2 hours' * n AS on_
        FROM generate_series(1, $1) AS n) AS made`,
    [JOBS],
  );
}

const FILTERS: readonly [object, ...object[]] = [
  { state: { _eq: 'completed' } },
  { state: { _in: ['waiting', 'cancelled'] } },
  { kind: { _neq: 'import' } },
  { kind: { _eq: 'import' } },
  { user: { _eq: MEMBER } },
  { collection: { _null: true } },
  { collection: { _nnull: true } },
  { collection: { _null: false } },
  { collection: { _eq: 'orders' } },
  { file_name: { _starts_with: 'orders-1' } },
  { file_name: { _istarts_with: 'ÄRG' } },
  { file_name: { _istarts_with: 'ord' } },
  { file_name: { _contains: '7' } },
  { file_size: { _gt: 15 } },
  { file_size: { _between: [3, 5] } },
  { attempts: { _lt: 1 } },
  { created_on: { _gte: day(10), _lt: day(20) } },
  { created_on: { _gt: day(45) } },
  { started_on: { _lt: day(12) } },
  { finished_on: { _between: [day(20), day(26)] } },
  { _or: [{ state: { _eq: 'running' } }, { file_size: { _eq: 4 } }] },
];
const SORTS = [
  ...['kind', 'state', 'user', 'collection', 'file_name', 'file_size', 'created_on', 'started_on'],
  ...['finished_on', 'attempts', 'queue', 'id'],
];
const SEARCHES = ['ord', 'ORDERS', 'parts', 'data-2', 'ä', 'nothing', '0', 'a'];

/** Something that is asked, as a client sends it. */
function asked(dice: Dice) {
  const filters = Array.from({ length: dice.below(4) }, () => dice.pick(FILTERS));
  const sorted = new Set(Array.from({ length: dice.below(4) }, () => dice.below(SORTS.length)));
  const sort = [...sorted].map((n) => `${dice.below(2) === 0 ? '' : '-'}${SORTS[n]}`);
  const search = dice.below(3) === 0 ? (SEARCHES[dice.below(SEARCHES.length)] ?? null) : null;
  return { filters, sort, search, limit: 1 + dice.below(30), offset: dice.pick([0, 0, 1, 7, 40]) };
}

function queryOf({ filters, sort, search, limit, offset }: ReturnType<typeof asked>): JobQuery {
  const terms = sort.map((name) => ({
    path: [name.replace('-', '')],
    descending: name.startsWith('-'),
  }));
  const filter = filters.length === 0 ? null : parseFilter({ _and: filters }, 'filter');
  return { filter, sort: terms, search, limit, offset };
}

const admin: Caller = { ...ANONYMOUS, admin: true };
const member: Caller = { ...ANONYMOUS, user: MEMBER };

t.test('a page of jobs is a part of the whole list', async (t) => {
  await fill();
  const steps = [
    { few: 5_000, walked: 8_000, values: 12 },
    { few: 4, walked: 60, values: 3 },
    { few: 50, walked: 60, values: 12 },
    { few: 350, walked: 100, values: 12 },
    { few: 0, walked: 200, values: 12 },
    { few: 0, walked: 0, values: 0 },
  ];
  const lists = steps.map((each) => ({ each, list: new JobList(pool, 'public', each) }));
  const whole = new JobList(pool, 'public');
  const dice = new Dice(SEED);
  let filled = 0;
  for (let n = 0; n < PAGES; n += 1) {
    const question = asked(dice);
    const query = queryOf(question);
    const caller = dice.below(3) === 0 ? member : admin;
    const all = await whole.list(caller, { ...query, limit: null, offset: 0 });
    const ids = all.map(({ id }) => id);
    const { limit, offset } = question;
    const wanted = ids.slice(offset, offset + limit);
    if (wanted.length === limit) filled += 1;
    const name = `PROPERTY_SEED=${SEED} ${caller.admin ? 'admin' : 'member'} ${JSON.stringify(question)}`;
    for (const { each, list } of lists) {
      const page = await list.list(caller, query);
      const got = page.map(({ id }) => id);
      if (String(got) !== String(wanted))
        t.strictSame(got, wanted, `${name} ${JSON.stringify(each)}`);
      const after = ids[offset];
      if (after === undefined || question.sort.length > 1) continue;
      const next = await list.list(caller, { ...query, offset: 0, after });
      const rest = ids.slice(offset + 1, offset + 1 + limit);
      const given = next.map(({ id }) => id);
      if (String(given) !== String(rest))
        t.strictSame(given, rest, `after: ${name} ${JSON.stringify(each)}`);
    }
  }
  t.ok(filled > PAGES / 4, `${filled} full pages`);
});
