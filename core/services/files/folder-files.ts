/** The files of a folder and of its subfolders, if the caller may read them. */
import type { Caller } from '#core/access/grants.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { join, render, type Sql, sql } from '#core/database/sql.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import { readableRows } from '#core/read/sql/table-rows.ts';
import type { ContextSource, ItemContext } from '../request-context.ts';

const FOLDERS = systemName('folders');
/** The maximum nesting depth. */
const DEPTH = 100;

/** A folder and its path below the requested folder. */
export interface FoundFolder {
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

/**
 * A folder and all its subfolders.
 * @param id a UUID
 * @throws ServiceError FORBIDDEN when the folder does not exist or the caller may not read it
 */
export async function foldersBelow(
  contexts: ContextSource,
  pool: Pool,
  caller: Caller,
  id: string,
): Promise<readonly FoundFolder[]> {
  return await contexts.with({ caller, collection: FOLDERS }, async (context) => {
    const read = (isWanted: (column: (name: string) => Sql) => Sql) =>
      readFolders(pool, context, isWanted);
    const [top] = await read((column) => sql`${column('id')} = ${id}::uuid`);
    if (top === undefined) throw forbidden();
    const found: FoundFolder[] = [{ ...top, path: '' }];
    let level: readonly FoundFolder[] = found;
    for (let depth = 0; level.length > 0 && depth < DEPTH; depth += 1) {
      const paths = new Map(level.map((folder) => [folder.id, folder.path]));
      const below = await read(
        (column) => sql`${column('parent')} = ANY(${[...paths.keys()]}::uuid[])`,
      );
      level = below.map(({ id: key, name, parent }) => {
        // A name must remain a single part of the path.
        const path = `${paths.get(parent ?? '') ?? ''}${name.replaceAll('/', '_')}/`;
        return { id: key, name, path };
      });
      found.push(...level);
    }
    return found;
  });
}

async function readFolders(
  pool: Pool,
  context: ItemContext,
  isWanted: (column: (name: string) => Sql) => Sql,
): Promise<readonly { id: string; name: string; parent: string | null }[]> {
  const rows = readableRows(context);
  const columns = join(['id', 'name', 'parent'].map((name) => rows.column(name)));
  const where = rows.where([isWanted((name) => rows.column(name))]);
  const { rows: found } = await pool.query<{ id: string; name: string; parent: string | null }>(
    render(sql`SELECT ${columns} FROM ${rows.from}${where} ORDER BY ${rows.column('name')}`),
  );
  return found;
}
