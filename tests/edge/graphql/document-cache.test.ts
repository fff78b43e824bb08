// @quick @newest
/** New documents of GraphQL: what those that are kept take of the heap, and whose turn it is. */
import t from 'tap';
import { FULL_RIGHTS, type Rights } from '#core/access/rights.ts';
import { DocumentCache } from '#edge/graphql/document-cache.ts';

const catalog = {
  ...{ version: 0, collections: new Map(), relations: new Map(), leftOut: [], warnings: [] },
};
const LIMITS = { tokens: 5_000, aliases: 100, fields: 1_000, rootFields: 30, introspection: true };
const MEGABYTE = 1_048_576;

let count = 0;

/** Another one each time, whose tokens take a hundred times the memory of its text. */
function newDocument(fields = 900): string {
  count += 1;
  return `query q${count} { ${'__typename '.repeat(fields)} }`;
}

function check(documents: DocumentCache, rights: Rights, query: string, holder: string) {
  return documents.check(catalog, rights, 'system', { query, variables: null }, holder);
}

t.test('what is kept has a size, whoever sends how many', async (t) => {
  const documents = new DocumentCache(LIMITS, 4 * MEGABYTE);
  const other = { ...FULL_RIGHTS };
  const text = newDocument(1);
  const first = await check(documents, other, text, 'user:other');
  t.ok(first.valid, JSON.stringify(first.errors));
  for (let n = 0; n < 20; n += 1) {
    const rights = n < 10 ? FULL_RIGHTS : { ...FULL_RIGHTS };
    await check(documents, FULL_RIGHTS, newDocument(), 'user:many');
    await check(documents, rights, `{ ${'nowhere '.repeat(900)} }`, 'user:many');
  }
  t.ok(documents.size > 2 * MEGABYTE, 'some are kept');
  t.ok(documents.size <= 4 * MEGABYTE, `${documents.size} bytes are kept`);
  t.equal(await check(documents, other, text, 'user:other'), first, 'those with few stay');
});

t.test('new documents of a holder wait for each other, and not those of others', async (t) => {
  const documents = new DocumentCache(LIMITS, 4 * MEGABYTE);
  const checked: string[] = [];
  const ask = (holder: string) =>
    check(documents, FULL_RIGHTS, newDocument(), holder).then(() => checked.push(holder));
  const many = Array.from({ length: 20 }, () => ask('user:many'));
  await ask('user:other');
  t.ok(checked.length < 5, `it came as number ${checked.length} of 21`);
  await Promise.all(many);
});
