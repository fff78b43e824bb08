// @newest

/**
 * Jobs that another release has submitted. `messages/<release>.json` has messages as each release wrote
 * them, and `messages/shapes.json` what this release's may look like: whoever changes that must raise
 * the version, so that workers of the release before leave these jobs alone. `TEST_RECORD=1 npm test --
 * tests/upgrade/messages.test.ts` records the shapes again.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import * as v from 'valibot';
import { actors } from '#workers/actors/index.ts';

const FOLDER = join(import.meta.dirname, 'messages');
const SHAPES = join(FOLDER, 'shapes.json');

const recorded = v.array(
  v.object({
    kind: v.string(),
    queue: v.string(),
    mailbox: v.nullable(v.string()),
    version: v.number(),
    message: v.unknown(),
  }),
);
const shapes = v.record(v.string(), v.object({ version: v.number(), shape: v.unknown() }));

/** What of a schema says which values it takes; functions are not compared. */
const TOLD = ['type', 'entries', 'wrapped', 'item', 'items', 'options', 'literal', 'key', 'value'];

function shapeOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shapeOf);
  if (typeof schema !== 'object' || schema === null) return schema;
  const isSchema = 'kind' in schema && schema.kind === 'schema';
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !isSchema || TOLD.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, shapeOf(value)]),
  );
}

const releases = readdirSync(FOLDER).filter((name) => name !== 'shapes.json');
for (const release of releases) {
  t.test(`messages of ${release.replace('.json', '')}`, async (t) => {
    const messages = v.parse(recorded, JSON.parse(readFileSync(join(FOLDER, release), 'utf8')));
    t.ok(messages.length > 5);
    for (const { kind, queue, mailbox, version, message } of messages) {
      const actor = actors.find(({ name }) => name === kind);
      if (actor === undefined) throw new Error(`nobody does ${kind} jobs any more`);
      t.ok(version <= actor.version, `version ${version} of ${kind} is taken`);
      const { issues, output } = v.safeParse(actor.message, message);
      t.equal(issues, undefined, `version ${version} of ${kind} can be read`);
      t.equal(actor.queue, queue);
      t.equal(actor.mailbox(output), mailbox, 'the job is in the mailbox of its actor');
    }
  });
}

t.test('a message of another shape has another version', async (t) => {
  const now = Object.fromEntries(
    actors.map(({ name, version, message }) => [name, { version, shape: shapeOf(message) }]),
  );
  if (process.env.TEST_RECORD === '1') {
    writeFileSync(SHAPES, `${JSON.stringify(now, null, 2)}\n`);
  }
  const known = v.parse(shapes, JSON.parse(readFileSync(SHAPES, 'utf8')));
  t.strictSame(Object.keys(now).sort(), Object.keys(known).sort());
  for (const [name, { version, shape }] of Object.entries(now)) {
    t.strictSame(
      shape,
      known[name]?.shape,
      `the message of ${name} jobs is as recorded; one of another shape needs a higher version`,
    );
    t.equal(version, known[name]?.version, `the version of ${name} jobs is as recorded`);
  }
});
