/** The property: the service answers every question about a world as the evaluator does. */
import { asyncProperty, check, sample } from 'fast-check';
import type { Pool } from 'pg';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { ask } from './ask.ts';
import { difference } from './difference.ts';
import { type Envelope, evaluate } from './evaluate/evaluate.ts';
import { Refusal } from './evaluate/refusal.ts';
import { type Asked, QuestionArbitrary } from './generate/question.ts';
import { worldOf } from './generate/world.ts';
import { install } from './install.ts';
import type { World } from './model.ts';

/** Worlds that are checked side by side: while one waits for PostgreSQL, another compiles. */
const AT_ONCE = 3;

export interface Run {
  readonly pool: Pool;
  /** Questions for each world. */
  readonly questions: number;
  /** Hears of every case that an answer met. */
  cover(cell: string): void;
}

export interface Setting {
  readonly seed: number;
  readonly world: World;
  readonly catalog: Catalog;
}

function expectation(world: World, asked: Asked, cells: string[]): Envelope | Refusal {
  try {
    return evaluate(world, asked, (cell) => cells.push(cell));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

interface Disagreement {
  /** Of refusals, the reason. */
  readonly kind: string;
  readonly detail: string;
}

/** How the answer to one question differs from the evaluator's; null when it does not. */
async function disagreement(
  run: Run,
  setting: Setting,
  asked: Asked,
): Promise<Disagreement | null> {
  const cells: string[] = [];
  const expected = expectation(setting.world, asked, cells);
  const reply = await ask(run.pool, setting.catalog, asked);
  if (reply.kind === 'broken') {
    return { kind: 'broken', detail: `the statement failed: ${reply.reason}\n${reply.text}` };
  }
  if (expected instanceof Refusal) {
    if (reply.kind === 'refused') return null;
    return { kind: 'answered', detail: `not refused: ${expected.message}\n${reply.text}` };
  }
  if (reply.kind === 'refused') {
    return { kind: reply.reason, detail: `refused: ${reply.reason}` };
  }
  const found = difference({ ...expected }, reply.body);
  if (found !== null) return { kind: 'different', detail: `${found}\n${reply.text}` };
  for (const cell of cells) run.cover(cell);
  return null;
}

export function describe(world: World, seed: number, asked: Asked): string {
  const tables = world.tables.map(({ name, columns, key, sortField, rows }) => {
    const list = columns.map((column) => `${column.name} ${column.sqlType}`).join(', ');
    const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join('\n');
    return `  ${name} (${list}) key (${key.join(', ')}) sort ${sortField ?? '-'}\n${lines}`;
  });
  const relations = world.relations.map((relation) => `  ${JSON.stringify(relation)}`);
  return [
    `repeat with PROPERTY_SEED=${seed} PROPERTY_WORLDS=1`,
    ...tables,
    `  indexed: ${world.indexed}`,
    ...relations,
    `  asked of ${asked.table}: ${JSON.stringify(asked.parameters)}`,
    `  spelled as ${asked.spelling}, as a ${asked.shape}, default limit ${asked.limitDefault}, by ${JSON.stringify(asked.asker)}, keys ${JSON.stringify(asked.keys)}`,
  ].join('\n');
}

/** Makes the world of a seed in a schema of its own for as long as the work takes. */
export async function withWorld<T>(
  pool: Pool,
  seed: number,
  work: (setting: Setting) => Promise<T>,
): Promise<T> {
  const world = worldOf(seed);
  const schema = `world_${seed >>> 0}`;
  const catalog = await install(pool, schema, world);
  try {
    return await work({ seed, world, catalog });
  } finally {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  }
}

/**
 * Asks questions about a world.
 * @returns null, or the smallest question found that is answered wrongly, with all it needs
 */
async function checkWorld(run: Run, setting: Setting): Promise<string | null> {
  const { seed, world } = setting;
  // Smaller questions count only when they fail in the way in which the first one did.
  let kind: string | null = null;
  const property = asyncProperty(new QuestionArbitrary(world), async (asked) => {
    const found = await disagreement(run, setting, asked);
    if (found === null || (kind !== null && found.kind !== kind)) return true;
    kind = found.kind;
    return false;
  });
  const details = await check(property, { seed, numRuns: run.questions });
  const [asked] = details.counterexample ?? [];
  if (asked === undefined) return null;
  const found = await disagreement(run, setting, asked);
  return `${found?.detail}\n${describe(world, seed, asked)}`;
}

/** Whether any of the questions about a world is answered wrongly. */
export async function isCaught(run: Run, setting: Setting): Promise<boolean> {
  const questions = sample(new QuestionArbitrary(setting.world), {
    seed: setting.seed,
    numRuns: run.questions,
  });
  for (const asked of questions) {
    if ((await disagreement(run, setting, asked)) !== null) return true;
  }
  return false;
}

/** What checking one world found. */
export interface Outcome {
  readonly seed: number;
  readonly failure: string | null;
}

/** Checks the worlds of some seeds, a few at a time. */
export function checkWorlds(run: Run, seeds: readonly number[]): AsyncGenerator<Outcome> {
  return outcomes(seeds, (seed) =>
    withWorld(run.pool, seed, (setting) => checkWorld(run, setting)),
  );
}

/** The outcomes of some seeds, a few at a time. */
export async function* outcomes(
  seeds: readonly number[],
  check: (seed: number) => Promise<string | null>,
): AsyncGenerator<Outcome> {
  const running = new Map<number, Promise<Outcome>>();
  for (const seed of seeds) {
    running.set(
      seed,
      check(seed).then((failure) => ({ seed, failure })),
    );
    if (running.size < AT_ONCE) continue;
    const outcome = await Promise.race(running.values());
    running.delete(outcome.seed);
    yield outcome;
  }
  for (const pending of running.values()) yield await pending;
}
