/** Faults that a compiler of queries could have, each planted into a copy of the service. */
import { strict as assert } from 'node:assert';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Reading } from './ask.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One place in the sources and what stands there instead. */
export interface Mutant {
  readonly name: string;
  /** Under core/query/compile. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A copy without a fault, which shows that copies as such are sound. */
export const CONTROL: Mutant = {
  name: 'no fault',
  file: 'read.ts',
  find: 'const single = { ...query, limit: null, offset: 0 };',
  replace: 'const single = { ...query, limit: null, offset: 0 };',
};

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: pieces of source that hold templates
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'none means some',
    file: 'predicate.ts',
    find: 'loosely(sql`NOT ${exists}`)',
    replace: 'loosely(sql`${exists}`)',
  },
  {
    name: 'none widens where a variable has no value',
    file: 'predicate.ts',
    find: 'if (isVoid === true) return VOID',
    replace: 'if (isVoid === true) return loosely(sql`NOT ${exists}`)',
  },
  {
    name: 'the limit of each parent is dropped',
    file: 'level.ts',
    find: '${order.orderBy}${limitSql(level)}',
    replace: '${order.orderBy}${scope.depth > 0 ? sql`` : limitSql(level)}',
  },
  {
    name: 'the limit of lists that are read at once is dropped',
    file: 'batch.ts',
    find: 'limit === null ? null : sql`${position}',
    replace: 'limit !== null ? null : sql`${position}',
  },
  {
    name: 'null is compared instead of tested',
    file: 'comparison.ts',
    find: 'sql`${comparison.subject.sql} IS NOT NULL`',
    replace: 'sql`${comparison.subject.sql} <> NULL`',
  },
  {
    name: 'the sort field of a relation is forgotten',
    file: 'sort.ts',
    find: '(isList ? (through satisfies ToMany).sortField : null)',
    replace: 'null',
  },
  {
    name: 'many-to-any is joined by the key alone',
    file: 'any-to-one.ts',
    find: 'CASE WHEN ${mine} AND ${stored} ~',
    replace: 'CASE WHEN ${stored} ~',
  },
  {
    name: 'nulls of related items come first in descending order',
    file: 'sort.ts',
    find: 'sql`${value} DESC NULLS LAST`',
    replace: 'sql`${value} DESC`',
  },
  {
    name: 'a missing item has no nulls',
    file: 'filter.ts',
    find: 'if (inner.strict) {',
    replace: 'if (inner.strict || inner.sql) {',
  },
  {
    name: 'the key does not decide ties',
    file: 'sort.ts',
    find: 'if (!named.has(field.name)) parts.push',
    replace: 'if (terms.length === 0) parts.push',
  },
  {
    name: 'a search takes wildcards',
    file: 'comparison.ts',
    find: "value.replace(/[\\\\%_]/g, '\\\\$&')",
    replace: 'value',
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

/** Copies the service into the folder, plants the fault and loads what reads with it. */
export async function plant(mutant: Mutant, folder: string): Promise<Reading> {
  mkdirSync(folder);
  cpSync(join(ROOT, 'core'), join(folder, 'core'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const compile = join(folder, 'core/query/compile');
  const path = join(compile, mutant.file);
  const parts = readFileSync(path, 'utf8').split(mutant.find);
  assert.equal(parts.length, 2, `${mutant.name}: ${mutant.file} has to hold the text once`);
  writeFileSync(path, parts.join(mutant.replace));
  const { compilePage, compileStream, compileItems, compileItem } = await import(
    pathToFileURL(join(compile, 'read.ts')).href
  );
  const parse = join(folder, 'core/query/parse/parameter.ts');
  const { parseQuery } = await import(pathToFileURL(parse).href);
  return { compilePage, compileStream, compileItems, compileItem, parseQuery };
}
