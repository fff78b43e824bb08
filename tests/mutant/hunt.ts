/**
 * Looks for an answer that gives away a fault in the sources that this copy stands beside. Prints
 * the seed of the world that showed it, or `none`. Arguments: the property, and how many worlds.
 */
import type { Pool } from 'pg';
import { checkSocieties } from '../property/access/check.ts';
import { checkAllWrites } from '../property/access/write.ts';
import { isCaught, type Outcome, outcomes, withWorld } from '../property/check.ts';
import { openPool } from '../property/install.ts';

const LANGUAGE_QUESTIONS = 50;
const ACCESS_QUESTIONS = 12;
const DEEDS = 16;

function hunt(property: string, pool: Pool, seeds: readonly number[]): AsyncGenerator<Outcome> {
  const run = { pool, cover: () => {} };
  if (property === 'access') return checkSocieties({ ...run, questions: ACCESS_QUESTIONS }, seeds);
  if (property === 'write') return checkAllWrites({ ...run, deeds: DEEDS }, seeds);
  const language = { ...run, questions: LANGUAGE_QUESTIONS };
  return outcomes(seeds, (seed) =>
    withWorld(pool, seed, async (setting) =>
      (await isCaught(language, setting)) ? 'caught' : null,
    ),
  );
}

async function search(property: string, worlds: number): Promise<void> {
  const endings: (() => unknown)[] = [];
  const pool = await openPool({ teardown: (handler) => endings.unshift(handler) });
  const seeds = Array.from({ length: worlds }, (_, index) => index + 1);
  let found: number | null = null;
  for await (const { seed, failure } of hunt(property, pool, seeds)) {
    if (failure === null) continue;
    found = seed;
    break;
  }
  process.stdout.write(found === null ? 'none\n' : `world ${found}\n`);
  for (const end of endings) await end();
}

const [property = '', worlds = '0'] = process.argv.slice(2);
await search(property, Number(worlds));
process.exit();
