/**
 * The property: the service answers every person as the evaluator answers who sees that person's
 * view of the world, and no answer tells anything of what the person may not see.
 */
import { asyncProperty, check } from 'fast-check';
import type { Pool } from 'pg';
import { ask, type CallerRights, type Reply } from '../ask.ts';
import { describe, type Outcome, outcomes, type Setting, withWorld } from '../check.ts';
import { difference } from '../difference.ts';
import { type Answer, Approximate } from '../evaluate/aggregate.ts';
import { requireComplete } from '../evaluate/complete.ts';
import { type Envelope, evaluate } from '../evaluate/evaluate.ts';
import { levelOf } from '../evaluate/level.ts';
import { Refusal } from '../evaluate/refusal.ts';
import { pathOf } from '../evaluate/select.ts';
import { drawn } from '../generate/drawn.ts';
import type { Asked } from '../generate/question.ts';
import { tableOf } from '../model.ts';
import { carryOut, type Flip, flipsFor } from './flip.ts';
import { societyOf } from './people.ts';
import { permitLevel, type Witness } from './permit.ts';
import { PersonalQuestion } from './question.ts';
import { callerRightsOf, settle } from './settle.ts';
import type { Person, Society } from './society.ts';
import { omniscient, type View, viewOf } from './view.ts';

export interface Run {
  readonly pool: Pool;
  /** Questions of each person. */
  readonly questions: number;
  /** Hears of every case that an answer met. */
  cover(cell: string): void;
}

/** One person in one world. */
interface Case {
  readonly run: Run;
  readonly setting: Setting;
  readonly society: Society;
  readonly person: Person;
  readonly view: View;
  readonly callerRights: CallerRights;
  readonly flips: readonly Flip[];
}

/** Counts which hidden things a name in a question touches, if they are among what is changed. */
function witnessOf({ flips, run }: Case, asked: Asked): Witness {
  const also = [
    ...(asked.shape === 'stream' ? ['export'] : []),
    ...(asked.keys === null ? [] : ['by key']),
    ...(asked.parameters.meta === undefined ? [] : ['meta']),
  ];
  return (clause, table, field) => {
    for (const name of [clause, ...also]) {
      const kinds = flips.flatMap((flip) => {
        const whole = flip.kind === 'row' || flip.kind === 'collection';
        const named = whole || field === '*' || field === flip.column;
        return flip.table === table && named ? [flip.kind] : [];
      });
      for (const kind of new Set(kinds)) run.cover(`${name} ${kind}`);
    }
  };
}

function expectation(subject: Case, asked: Asked): Envelope | Refusal {
  const { view } = subject;
  const seen = { ...omniscient(view.world, view.asker), sight: view.sight };
  const permitRun = { ...seen, backlink: asked.parameters.backlink !== false };
  const witness = witnessOf(subject, asked);
  try {
    requireComplete(asked.parameters, '');
    witness('fields', asked.table, null);
    const table = view.world.tables.find(({ name }) => name === asked.table);
    if (table === undefined) return new Refusal('no collection');
    const all = levelOf(permitRun, asked.parameters, '');
    // One item has no order.
    const level = asked.shape === 'item' ? { ...all, sort: [] } : all;
    const paths = level.fields.length === 0 ? [['*']] : level.fields.map(pathOf);
    permitLevel({ permit: { run: permitRun, witness }, table, level, paths, via: null });
    return evaluate(view.world, asked, () => {}, view.sight);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** What a list is put in order by: all but averages, whose spelling is not settled. */
function rankOf(entry: Answer): string {
  return JSON.stringify(entry, (key, value) => (key.startsWith('avg') ? null : value));
}

/** Lists in an order of their own, because nothing decides that of the answer. */
function unordered(value: Answer | undefined): Answer | undefined {
  if (value instanceof Approximate || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const entries = value.map((entry: Answer) => unordered(entry) ?? null);
    return entries.sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
  }
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, unordered(entry) ?? null]),
  );
}

interface Disagreement {
  readonly kind: string;
  readonly detail: string;
}

function judge(subject: Case, asked: Asked, reply: Reply): Disagreement | null {
  const expected = expectation(subject, asked);
  if (reply.kind === 'broken') {
    return { kind: 'broken', detail: `the statement failed: ${reply.reason}\n${reply.text}` };
  }
  if (expected instanceof Refusal) {
    if (reply.kind === 'refused') return null;
    const detail = `not refused: ${expected.message}\n${reply.raw}\n${reply.text}`;
    return { kind: 'answered', detail };
  }
  if (reply.kind === 'refused') {
    return { kind: reply.reason, detail: `refused: ${reply.reason}` };
  }
  const { ordered } = subject.view;
  const wanted: Answer = { ...expected };
  const found = ordered
    ? difference(wanted, reply.body)
    : difference(unordered(wanted), unordered(JSON.parse(JSON.stringify(reply.body))));
  return found === null ? null : { kind: 'different', detail: `${found}\n${reply.text}` };
}

/** What of a reply may not depend on anything hidden. */
function tellingOf({ view }: Case, reply: Reply): string {
  if (reply.kind !== 'answer') return `${reply.kind}: ${reply.reason}`;
  if (view.ordered) return reply.raw;
  return JSON.stringify(unordered(JSON.parse(JSON.stringify(reply.body))));
}

function report({ setting, society, person }: Case, asked: Asked, detail: string): string {
  const rows = society.permissions
    .filter(({ action }) => action === 'read')
    .map((row) => `  ${JSON.stringify(row)}`);
  const access = society.access.map((row) => `  ${JSON.stringify(row)}`);
  const who = `  asked by ${JSON.stringify(person)}, roles ${JSON.stringify(society.roles)}`;
  return [detail, describe(setting.world, setting.seed, asked), ...access, ...rows, who].join('\n');
}

/** Asks as one person, then again after what is hidden from that person has changed. */
async function checkPerson(subject: Case): Promise<string | null> {
  const { run, setting, view, callerRights } = subject;
  const said: { asked: Asked; telling: string }[] = [];
  let kind: string | null = null;
  const property = asyncProperty(new PersonalQuestion(setting.world, view), async (asked) => {
    const reply = await ask(run.pool, setting.catalog, asked, callerRights);
    said.push({ asked, telling: tellingOf(subject, reply) });
    const found = judge(subject, asked, reply);
    if (found === null || (kind !== null && found.kind !== kind)) return true;
    kind = found.kind;
    return false;
  });
  const details = await check(property, { seed: setting.seed, numRuns: run.questions });
  const [wrong] = details.counterexample ?? [];
  if (wrong !== undefined) {
    const reply = await ask(run.pool, setting.catalog, wrong, callerRights);
    return report(subject, wrong, judge(subject, wrong, reply)?.detail ?? 'it comes and goes');
  }
  return await askAgain(subject, said);
}

async function askAgain(
  subject: Case,
  said: readonly { readonly asked: Asked; readonly telling: string }[],
): Promise<string | null> {
  const { run, setting, flips, callerRights } = subject;
  const { world } = setting;
  const schema = `world_${setting.seed >>> 0}`;
  await carryOut(run.pool, schema, world, flips);
  try {
    for (const { asked, telling } of said) {
      const again = tellingOf(subject, await ask(run.pool, setting.catalog, asked, callerRights));
      if (again === telling) continue;
      const changes = flips.map((flip) => `  ${JSON.stringify(flip)}`).join('\n');
      const detail = `something hidden shows:\n  ${telling}\n  ${again}\n${changes}`;
      return report(subject, asked, detail);
    }
  } finally {
    const back = flips.map((flip) => {
      const value = tableOf(world, flip.table).rows[flip.index]?.[flip.column] ?? null;
      return { ...flip, value };
    });
    await carryOut(run.pool, schema, world, back);
  }
  return null;
}

/** Asks as every person of a world's society; returns what went wrong first. */
function checkSociety(run: Run, seed: number): Promise<string | null> {
  return withWorld(run.pool, seed, async (setting) => {
    const { world } = setting;
    const society = drawn(seed, (dice) => societyOf(dice, world));
    const source = await settle(run.pool, `world_${seed >>> 0}`, society);
    for (const person of society.persons) {
      const view = viewOf(world, society, person);
      const flips = drawn(seed, (dice) => flipsFor(dice, world, society, person));
      const { caller, rights } = await callerRightsOf(source, person);
      const callerRights = { caller, grants: rights.reading };
      const subject = { run, setting, society, person, view, callerRights, flips };
      const failure = await checkPerson(subject);
      if (failure !== null) return failure;
    }
    return null;
  });
}

/** Checks the societies of some seeds, a few at a time. */
export function checkSocieties(run: Run, seeds: readonly number[]): AsyncGenerator<Outcome> {
  return outcomes(seeds, (seed) => checkSociety(run, seed));
}
