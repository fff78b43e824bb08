/** Detects items that are unchanged table rows, which need no select list. */
import { empty, type Sql } from '#core/database/sql.ts';
import type { Entry, Plan } from '../plan/plan.ts';
import { levelConditions } from './clause.ts';
import { guardSql } from './expression.ts';
import { outputOf } from './output.ts';

/** Whether a value is an unchanged column under its own name. */
function isColumnItself(entry: Entry, key: string): boolean {
  if (entry.kind !== 'value' || entry.form !== undefined) return false;
  if (entry.value.kind !== 'column') return false;
  const { own, field, past, guard } = entry.value.column;
  if (own.column.name !== key || own.codec !== null || past !== null) return false;
  return guardSql(guard) === null && outputOf(field, empty) === empty;
}

/** The row source to use when an item is an unchanged row of it; else null. */
export function unchangedRowSource({ root, rows }: Plan): Sql | null {
  const { content, table, ownNames } = root;
  const { source, collection } = table;
  if (source === null || rows !== null || content.kind === 'groups' || !ownNames) return null;
  const entries = [...content.entries];
  const names = collection.table?.columns.map(({ name }) => name) ?? [];
  const isWhole =
    content.order === null &&
    entries.length === names.length &&
    entries.every(([key, entry], place) => key === names[place] && isColumnItself(entry, key)) &&
    levelConditions(root).every((condition) => condition === null);
  return isWhole ? source : null;
}
