// @newest @slow
/** What the compiler infers of queries, what it refuses, and how much work that is in a large schema. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { writeTypes } from '#ops/client/command/write-types.ts';
import { compile } from '#tests/harness/compiler.ts';

const FIXTURE = join(import.meta.dirname, 'fixture');
const INFERRED = join(FIXTURE, 'inferred.ts');
const REFUSED = join(FIXTURE, 'refused.ts');
const SOURCE = join(import.meta.dirname, '../../../ops/client/source/index.ts');

const folder = mkdtempSync(join(tmpdir(), 'sluice-compiled-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

/** The types of 300 collections, each of which leads to two others and back. */
function ring(): string {
  const size = 300;
  const name = (index: number) => `c${(index + size) % size}`;
  const column = (field: string, index: number) => ({
    ...{ collection: name(index), field, meta: null },
    type: field.startsWith('at') ? 'timestamp' : field.startsWith('text') ? 'text' : 'integer',
    schema: {
      data_type: 'text',
      is_nullable: field !== 'id',
      is_primary_key: field === 'id',
      has_auto_increment: field === 'id',
    },
  });
  const indexes = Array.from({ length: size }, (_, index) => index);
  const names = Array.from({ length: 15 }, (_, index) => [`text${index}`, `at${index}`]).flat();
  return writeTypes(
    {
      collections: indexes.map((index) => ({ collection: name(index), meta: null, schema: {} })),
      fields: indexes.flatMap((index) =>
        ['id', 'next', 'skip', ...names].map((field) => column(field, index)),
      ),
      relations: indexes.flatMap((index) =>
        [
          { field: 'next', to: name(index + 1), back: 'previous' },
          { field: 'skip', to: name(index + 7), back: 'skipped' },
        ].map(({ field, to, back }) => ({
          ...{ collection: name(index), field, related_collection: to, schema: { column: field } },
          meta: { one_field: back },
        })),
      ),
      ...{ rights: null, hasSystem: true },
    },
    { module: SOURCE, name: 'Schema' },
  );
}

/** A query through many collections, with a filter, an order, and parameters of relations. */
const QUERY = `
import type { Client } from '${SOURCE}';
import type { Schema } from './ring.ts';
export async function deepest(client: Client<Schema>): Promise<string | null | undefined> {
  const [item] = await client.items('c0').list({
    fields: ['id', { next: ['*', { next: ['text1', { next: ['id', { next: ['*', 'previous.next.next.text1'] }] }] }] }, 'skip.skip.skip.text3', '*.*.*'],
    filter: { next: { next: { next: { next: { text1: { _eq: 'x' } } } } }, previous: { _some: { skip: { skipped: { _none: { text4: 'x' } } } } } },
    sort: ['next.next.next.text1', '-skip.at1'],
    deep: { next: { previous: { _limit: 3, _filter: { next: { text1: 'x' } } } } },
  });
  await client.items('c5').create({ next: { next: { previous: { create: [{ text1: 'a' }] } } }, skip: 3 });
  return item?.next?.next?.next?.next?.previous[0]?.next?.next?.text1;
}
`;

writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
writeFileSync(join(folder, 'ring.ts'), ring());
writeFileSync(join(folder, 'query.ts'), QUERY);
const { program, errors } = compile(INFERRED, REFUSED, join(folder, 'query.ts'));

/** Where the compiler refuses a file, by its lines. */
function refusals(file: string): Map<number, string> {
  return new Map(
    errors.flatMap((error) => {
      const [, line, reason = ''] = /^:(\d+) (.*)/.exec(error.slice(file.length)) ?? [];
      return error.startsWith(file) && line !== undefined ? [[Number(line), reason] as const] : [];
    }),
  );
}

t.test('queries yield exactly what they ask for', async (t) => {
  t.strictSame([...refusals(INFERRED)], []);
});

t.test('what the server would refuse does not compile', async (t) => {
  const found = refusals(REFUSED);
  const lines = readFileSync(REFUSED, 'utf8').split('\n');
  lines.forEach((line, index) => {
    const mark = / \/\/ refused: /.test(line);
    const reason = found.get(index + 1) ?? null;
    if (mark || reason !== null) t.equal(reason !== null, mark, `${line.trim()} ${reason ?? ''}`);
  });
  t.ok(found.size > 100);
});

t.test('a large schema costs no more than what a query goes through', async (t) => {
  t.strictSame(
    errors.filter((error) => !error.startsWith(REFUSED)),
    [],
  );
  // A measure of the work that is the same on every machine; a second has about 300,000.
  t.ok(program.getInstantiationCount() < 1_000_000, `${program.getInstantiationCount()}`);
});
