/**
 * The property: a write is refused, or leaves the rows, as an oracle in memory says, which knows
 * nothing but the permissions and the rows before.
 */

import type { Pool } from 'pg';
import { type Outcome, outcomes, withWorld } from '../check.ts';
import { difference } from '../difference.ts';
import { drawn } from '../generate/drawn.ts';
import { tableOf, type World } from '../model.ts';
import { societyOf } from './people.ts';
import { type Office, perform, rowsOf } from './perform.ts';
import { keyOfRow, type RandomWrite, randomWriteOf } from './random-write.ts';
import { callerRightsOf, settle } from './settle.ts';
import type { Person, Society } from './society.ts';
import { verdictOf } from './verdict.ts';

export interface WriteRun {
  readonly pool: Pool;
  /** Writes of each person. */
  readonly deeds: number;
  /** Hears of every case that an answer met. */
  cover(cell: string): void;
}

/** The rows in the order of their keys. */
function sortedRows(world: World, name: string, rows: readonly unknown[]): readonly unknown[] {
  const table = tableOf(world, name);
  const keyOf = (row: unknown) => JSON.stringify(keyOfRow(table, Object(row)));
  return [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function report(
  society: Society,
  person: Person,
  randomWrite: RandomWrite,
  detail: string,
): string {
  const rows = society.permissions
    .filter(
      ({ action, collection }) => action === randomWrite.action && collection === randomWrite.table,
    )
    .map((row) => `  ${JSON.stringify(row)}`);
  const access = society.access.map((row) => `  ${JSON.stringify(row)}`);
  const said = [`  ${JSON.stringify(randomWrite)}`, `  by ${JSON.stringify(person)}`];
  return [detail, ...said, `  roles ${JSON.stringify(society.roles)}`, ...access, ...rows].join(
    '\n',
  );
}

/** Checks the writes of one seed, each on what the ones before have left. */
function checkWrites(run: WriteRun, seed: number): Promise<string | null> {
  return withWorld(run.pool, seed, async ({ world: before, catalog }) => {
    const schema = `world_${seed >>> 0}`;
    const society = drawn(seed, (dice) => societyOf(dice, before));
    const source = await settle(run.pool, schema, society);
    for (const name of ['activity', 'revisions']) {
      await run.pool.query(
        `CREATE TABLE ${schema}.system_${name} (LIKE public.system_${name} INCLUDING ALL)`,
      );
    }
    const office: Office = { pool: run.pool, schema, catalog };
    let world = before;
    for (const [place, person] of society.persons.entries()) {
      const callerRights = await callerRightsOf(source, person);
      for (let index = 0; index < run.deeds; index += 1) {
        const number = place * run.deeds + index;
        const current = world;
        const randomWrite = drawn(seed * 1_000 + number, (dice) =>
          randomWriteOf(dice, current, number),
        );
        if (randomWrite === null) continue;
        const expected = verdictOf(world, society, person, randomWrite);
        const code = await perform(office, callerRights, randomWrite);
        const wanted = expected.kind === 'refused' ? expected.code : null;
        if (code !== wanted) {
          return `${report(society, person, randomWrite, `expected ${wanted}, got ${code}`)}\n  PROPERTY_SEED=${seed}`;
        }
        if (expected.kind === 'done') world = expected.world;
        run.cover(
          `${randomWrite.action} ${Math.max(randomWrite.items.length, randomWrite.keys.length) > 1 ? 'many' : 'one'} ${code ?? 'done'}`,
        );
        const table = tableOf(world, randomWrite.table);
        const found = await rowsOf(office, table);
        const rows = Array.isArray(found) ? sortedRows(world, table.name, found) : [];
        const wrong = difference(
          JSON.parse(JSON.stringify(sortedRows(world, table.name, table.rows))),
          rows,
        );
        if (wrong !== null)
          return `${report(society, person, randomWrite, wrong)}\n  PROPERTY_SEED=${seed}`;
      }
    }
    return null;
  });
}

/** Checks the writes of some seeds, a few at a time. */
export function checkAllWrites(run: WriteRun, seeds: readonly number[]): AsyncGenerator<Outcome> {
  return outcomes(seeds, (seed) => checkWrites(run, seed));
}
