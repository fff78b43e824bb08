// @newest
/** Whatever schema there is, a snapshot of another one makes it like that, in every member. */
import t from 'tap';
import * as v from 'valibot';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { applyDiff } from '#core/schema/operation/apply-snapshot.ts';
import { type Snapshot, snapshotHash, takeSnapshot } from '#core/schema/snapshot.ts';
import { type DiffMode, diffSnapshot, schemaDiff } from '#core/schema/snapshot-diff.ts';
import { parseSnapshot } from '#core/schema/snapshot-input.ts';
import { Dice } from '#tests/harness/dice.ts';
import { randomSchema } from './fixture/random-schema.ts';
import { openWorkshop, type Workshop } from './operation/workshop.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 6);
const seed = Number(process.env.SEED ?? 1);
t.comment(`SEED=${seed}`);
const dice = new Dice(seed);

async function diffTo(workshop: Workshop, wanted: unknown, mode: DiffMode) {
  const current = await takeSnapshot(await workshop.catalog());
  const found = await diffSnapshot(current, parseSnapshot(wanted, false), { mode, force: false });
  return { hash: await snapshotHash(current), found };
}

/** Makes the database like a snapshot. @returns what still differs */
async function become(workshop: Workshop, wanted: unknown, mode: DiffMode = 'mirror') {
  const { hash, found } = await diffTo(workshop, wanted, mode);
  if (found === null) return null;
  const diff = v.parse(schemaDiff, JSON.parse(JSON.stringify(found)));
  await workshop.change((alteration) => applyDiff(alteration, { hash, diff, force: false }));
  return (await diffTo(workshop, wanted, mode)).found;
}

function byName({ version: _, ...content }: Snapshot) {
  const sorted = <T>(list: readonly T[]) => list.map((entry) => JSON.stringify(entry)).sort();
  return [content.collections, content.fields, content.relations].map(sorted);
}

const [first, second] = [await openWorkshop(t, ''), await openWorkshop(t, '')];
const head = {
  ...(await takeSnapshot(await first.catalog())),
  collections: [],
  fields: [],
  relations: [],
};

t.test('from any schema to any other', async (t) => {
  let refused = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const wanted = { ...head, ...randomSchema(dice) };
    try {
      t.strictSame(await become(first, wanted), null, `round ${round}`);
    } catch (error) {
      // Some types do not become some others; what is refused has changed nothing.
      if (!(error instanceof ServiceError) || !/cannot be changed to/.test(error.message))
        throw error;
      refused += 1;
      await become(first, head);
      t.strictSame(await become(first, wanted), null, `round ${round}, from nothing`);
    }
    const snapshot = await takeSnapshot(await first.catalog());
    await become(second, head);
    t.strictSame(await become(second, JSON.parse(JSON.stringify(snapshot))), null);
    t.strictSame(byName(await takeSnapshot(await second.catalog())), byName(snapshot));
  }
  t.comment(`${refused} of ${ROUNDS} refused`);
});

t.test('merging keeps what there was', async (t) => {
  for (let round = 0; round < ROUNDS / 2; round += 1) {
    await become(first, head);
    await become(first, { ...head, ...randomSchema(dice) });
    const before = await takeSnapshot(await first.catalog());
    const wanted = { ...head, ...randomSchema(dice) };
    try {
      t.strictSame(await become(first, wanted, 'merge'), null, `round ${round}`);
    } catch (error) {
      if (!(error instanceof ServiceError) || !/cannot be changed to|is gone/.test(error.message))
        throw error;
    }
    const after = await takeSnapshot(await first.catalog());
    for (const part of ['collections', 'fields', 'relations'] as const) {
      const places = new Set(
        after[part].map((entry) =>
          JSON.stringify([entry.collection, 'field' in entry ? entry.field : null]),
        ),
      );
      t.ok(
        before[part].every((entry) =>
          places.has(JSON.stringify([entry.collection, 'field' in entry ? entry.field : null])),
        ),
        part,
      );
    }
  }
});
