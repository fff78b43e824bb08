import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Reading } from './ask.ts';
import { isCaught, withWorld } from './check.ts';
import { openPool } from './install.ts';
import { CONTROL, MUTANTS, plant } from './mutant.ts';

/** The first worlds of the property test; every fault has to show itself in one of them. */
const WORLDS = 40;
const QUESTIONS = 50;

t.test('every planted fault is caught', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mutant-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const pool = await openPool(t);
  const loose = new Map<string, Reading>();
  for (const [index, mutant] of [CONTROL, ...MUTANTS].entries()) {
    loose.set(mutant.name, await plant(mutant, join(folder, String(index))));
  }
  for (let seed = 1; seed <= WORLDS && loose.size > 1; seed += 1) {
    await withWorld(pool, seed, async (setting) => {
      for (const [name, reading] of loose) {
        const run = { pool, reading, questions: QUESTIONS, cover: () => {} };
        if (!(await isCaught(run, setting))) continue;
        t.pass(`${name} (world ${seed})`);
        loose.delete(name);
      }
    });
  }
  t.strictSame([...loose.keys()], [CONTROL.name], 'nothing but the copy without a fault is left');
});
