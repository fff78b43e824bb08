/**
 * The short path of an import: a small file whose rows need no validation becomes one statement
 * with the rows as literals. It creates no staging table, which would cost more than the rows, and
 * would change PostgreSQL's catalogs, so that every process compares them again. After any failure
 * here the staging path runs, which reports all faults.
 */
import { isUtf8 } from 'node:buffer';
import pg from 'pg';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { isTransient } from '#core/database/failure.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { type Staged, stagingColumn } from './copy/staging-table.ts';
import { MisplacedValue } from './file/cell-text.ts';
import { CopyText } from './file/copy-text.ts';
import type { FileColumn } from './file/file-column.ts';
import { rowReader } from './file/import-file.ts';
import { NestedItem } from './file/nested-column.ts';
import { UnreadableFile } from './file/row-fault.ts';
import { type Merge, type MergeCounts, mergeCounts, mergeOf } from './merge/merge-by-key.ts';
import { moveSequences } from './merge/move-sequences.ts';
import type { ImportRun } from './run/import-run.ts';
import type { ImportTarget } from './target/import-target.ts';
import { secretColumns } from './validate/hash-staged.ts';
import { restrictedLinks } from './validate/restricted-links.ts';
import { needsValidation } from './validate/validate-staged.ts';

/** Importing a larger file takes longer than creating a staging table. */
const MOST_BYTES = 64 * 1024;
/** The number of pages that can be scanned completely, regardless of the statistics. */
const SMALL_PAGES = 64;
const ROWS = identifier('sluice_rows');
/** The buffer size in bytes for the rows of most files. */
const READ_SIZE = 16 * 1024;
const NULL = '\\N';
const UNESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };
const ABSENT = '1';
const GIVEN = '0';

/** The file needs another path. */
class NotFew extends Error {}

/** The rows of a file. */
interface FewRows {
  /** Values by column, then by row. */
  readonly values: readonly (string | null)[][];
  /** The columns that each row lacks, as bits; null when it lacks no columns. */
  readonly absent: readonly (string | null)[];
  readonly lacking: ReadonlySet<number>;
  readonly rows: number;
  /** Rows without any value. */
  readonly skipped: number;
}

/** The cells of each row in the text format of COPY. @throws {NotFew} for invalid UTF-8 */
function cellsOf(text: Buffer): (string | null)[][] {
  if (!isUtf8(text)) throw new NotFew();
  const lines = text.toString('utf8').split('\n').slice(0, -1);
  const cellOf = (cell: string) => {
    if (cell === NULL) return null;
    return cell.replace(/\\(.)/g, (_, letter: string) => UNESCAPED[letter] ?? letter);
  };
  return lines.map((line) => line.split('\t').map(cellOf));
}

/** Reads the whole file. @throws {NotFew} {MisplacedValue} {UnreadableFile} when it is not plain */
async function readRows(
  { file, options }: ImportRun,
  columns: readonly FileColumn[],
): Promise<FewRows> {
  const out = new CopyText(READ_SIZE);
  const absent: (string | null)[] = [];
  const lacking = new Set<number>();
  let skipped = 0;
  let bytes = 0;
  const refuse = () => {
    throw new NotFew();
  };
  const reader = rowReader(file, columns, {
    row(row) {
      const bits = columns.map((_, place) => {
        if (place > 0) out.tab();
        if (row.write(place, out)) return GIVEN;
        out.null();
        lacking.add(place);
        return ABSENT;
      });
      out.endRow();
      absent.push(bits.includes(ABSENT) ? bits.join('') : null);
    },
    fault: refuse,
    member: refuse,
    skipped: () => {
      skipped += 1;
    },
  });
  for await (const chunk of file.content()) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) refuse();
    reader.push(chunk);
    await options.failpoint('import.parsing');
  }
  reader.end();
  const cells = cellsOf(out.take());
  const values = columns.map((_, place) => cells.map((row) => row[place] ?? null));
  return { values, absent, lacking, rows: absent.length, skipped };
}

/**
 * Without a staging table statistics are not corrected. For a large table with statistics of few
 * rows, the merge could scan the table for each row of the file.
 */
function isWellKnown({ table, pages, estimate }: ImportTarget): boolean {
  return table.kind === 'table' && (pages <= SMALL_PAGES || estimate >= pages);
}

/**
 * Whether the rows need no validation, no hashing, and no matching except by the keys of new and
 * existing items.
 */
async function isPlain(run: ImportRun, staged: Staged): Promise<boolean> {
  const { target, rejected } = run;
  const { columns } = staged;
  if (rejected !== null || target.mode === 'update' || target.fixed.size > 0) return false;
  if (target.key.some(({ column }) => column.identity === 'always')) return false;
  if (columns.some(({ name }) => !target.casts.has(name))) return false;
  if (!isWellKnown(target)) return false;
  if (restrictedLinks(run, columns).length + secretColumns(columns).length > 0) return false;
  return !(await needsValidation(run, staged));
}

/** The rows as a query with the columns of the staging table. */
function rowsAsQuery({ casts }: ImportTarget, columns: readonly FileColumn[], few: FewRows): Sql {
  const names = columns.map((_, place) => stagingColumn(place));
  const typed = columns.map(
    ({ name }, place) =>
      sql`CAST(u.${stagingColumn(place)} AS ${casts.get(name) ?? raw('text')}) AS ${stagingColumn(place)}`,
  );
  const lists = few.values.map((list) => sql`${list}::text[]`);
  return sql`SELECT u."row", ${join(typed)}, u."absent"::varbit AS "absent"
    FROM unnest(${join(lists)}, ${few.absent}::text[])
      WITH ORDINALITY AS u (${join(names)}, "absent", "row")`;
}

/** The rows without those whose key a later row repeats. Rows with a null in the key all stay. */
function lastOfEachKey(target: ImportTarget, columns: readonly FileColumn[], query: Sql): Sql {
  const names = new Set(target.key.map(({ name }) => name));
  const key = columns.flatMap(({ name }, place) => (names.has(name) ? [place] : []));
  if (target.mode === 'insert' || key.length < names.size) return query;
  const parts = key.map((place) => sql`r.${stagingColumn(place)}`);
  const empty = join(
    parts.map((part) => sql`${part} IS NULL`),
    ' OR ',
  );
  return sql`SELECT * FROM (SELECT r.*, row_number() OVER (
      PARTITION BY ${join(parts)}, CASE WHEN ${empty} THEN r."row" END ORDER BY r."row" DESC) AS "rank"
    FROM (${query}) r) r WHERE r."rank" = 1`;
}

/** The result for the rows of a file. */
interface FewMerged extends MergeCounts {
  readonly duplicates: number;
  readonly staged: Staged;
}

/** @param begin called before the first statement on the connection */
async function merged(
  run: ImportRun,
  columns: readonly FileColumn[],
  begin: () => void,
): Promise<FewMerged> {
  const { connection, target, options } = run;
  const few = await readRows(run, columns);
  const staged = { columns, lacking: few.lacking, rows: few.rows, distinct: few.rows < 2 };
  if (!(await isPlain(run, staged))) throw new NotFew();
  await options.failpoint('import.staged');
  const every = rowsAsQuery(target, columns, few);
  const query = staged.distinct ? every : lastOfEachKey(target, columns, every);
  const source = { name: ROWS, made: sql`${ROWS} AS MATERIALIZED (${query}), ` };
  const work: Merge = { connection, target, staged, rows: few.rows, source };
  // Each row finds its item by an index lookup; the table must never be scanned.
  begin();
  const results = await connection.runAll([
    sql`SAVEPOINT few`,
    sql`SET LOCAL enable_seqscan = off`,
    sql`SET LOCAL enable_hashjoin = off`,
    sql`SET LOCAL enable_mergejoin = off`,
    mergeOf(work, true),
    sql`SET CONSTRAINTS ALL IMMEDIATE`,
  ]);
  const [row] = results.at(-2)?.rows ?? [];
  const rows = Number(row?.total ?? 0);
  const counts = mergeCounts({ ...work, rows }, row);
  await moveSequences(connection, target, columns, sql`(${every})`);
  await options.failpoint('import.merging');
  options.progress({ rows: few.rows, bytes: run.file.bytes, percent: 99 });
  const skipped = counts.skipped + few.skipped;
  return { ...counts, skipped, duplicates: few.rows - rows, staged };
}

/** Whether the staging path can handle the failure, or report it. */
function isForStaging(error: unknown): boolean {
  if (error instanceof NotFew || error instanceof UnreadableFile) return true;
  if (error instanceof MisplacedValue || error instanceof ServiceError) return true;
  if (error instanceof NestedItem) return true;
  return error instanceof pg.DatabaseError && !isTransient(error);
}

/** Merges the rows of a small file; null, and writes nothing, when it needs another path. */
export async function mergeSmallFile(
  run: ImportRun,
  columns: readonly FileColumn[],
): Promise<FewMerged | null> {
  const { connection, file } = run;
  if (file.bytes > MOST_BYTES) return null;
  let isBegun = false;
  try {
    return await merged(run, columns, () => {
      isBegun = true;
    });
  } catch (error) {
    if (!isForStaging(error)) throw error;
    // A statement that could not be built was not sent.
    const isSent = isBegun && error instanceof pg.DatabaseError;
    if (isSent) await connection.run(sql`ROLLBACK TO SAVEPOINT few`);
    return null;
  }
}
