/** The description of five hundred tables: how much work it is, and how long others wait for a part of it. */
import t from 'tap';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { buildCatalog } from '#core/model/catalog/build-catalog.ts';
import type { CatalogDescriptor } from '#core/model/catalog/descriptor.ts';
import { DocumentMaker } from '#edge/openapi/document.ts';
import { ROUTES } from '#edge/rest/route-table.ts';
import { tableDescriptor } from '#tests/harness/descriptor.ts';

const TABLES = 500;
const ROUNDS = 5;
/** Milliseconds of the processor that one part may take. */
const BLOCK = 50;

const COLUMNS = {
  id: 'int4',
  a: 'text',
  b: 'int4',
  c: 'date',
  d: 'numeric',
  e: 'json',
  of: 'int4',
};
const ACTIONS = { onDelete: 'NO ACTION', onUpdate: 'NO ACTION' } as const;

const collections = Array.from({ length: TABLES }, (_, index) => {
  const target = { targetSchema: 'public', targetTable: `t${index - 1}`, targetColumns: ['id'] };
  const key = { name: `key${index}`, columns: ['of'], ...target, ...ACTIONS };
  const more = { primaryKey: ['id'], foreignKeys: index === 0 ? [] : [key] };
  const table = tableDescriptor(`t${index}`, COLUMNS, more);
  return { name: `t${index}`, meta: null, fields: [], relations: [], table };
});
const descriptor: CatalogDescriptor = { version: 1, collections, leftOut: [] };

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

t.test('the description of five hundred tables', async (t) => {
  const reader = { catalog: await buildCatalog(descriptor), rights: FULL_RIGHTS, user: true };
  const maker = new DocumentMaker(ROUTES, loadConfig({}));
  const longest: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = process.cpuUsage();
    let [last, most, characters] = [began, 0, 0];
    for (const piece of maker.pieces(reader)) {
      most = Math.max(most, milliseconds(process.cpuUsage(last)));
      last = process.cpuUsage();
      characters += piece.length;
    }
    const all = milliseconds(process.cpuUsage(began));
    t.comment(
      `${characters} characters, ${all.toFixed()} ms, the longest part ${most.toFixed()} ms`,
    );
    longest.push(most);
  }
  const median = longest.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
  t.ok(median < BLOCK, `others wait ${median} ms`);
});
