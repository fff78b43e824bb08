/** Whether an item is found by a search. */
import type { Column, Json, Row, Table } from '../model.ts';
import { exact } from './value.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WHOLE = /^-?(0|[1-9]\d*)$/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

function finds(column: Column, value: Json, term: string): boolean {
  if (value === null || !column.searchable) return false;
  switch (column.type) {
    case 'string':
    case 'text':
    case 'enum':
      return String(value).toLowerCase().includes(term.toLowerCase());
    case 'integer':
    case 'bigInteger':
      return WHOLE.test(term) && exact(value) === exact(term);
    case 'decimal':
    case 'float':
      return NUMBER.test(term) && exact(value) === exact(term);
    case 'uuid':
      return UUID.test(term) && value === term.toLowerCase();
    default:
      return false;
  }
}

export function isFound(table: Table, row: Row, search: string): boolean {
  const term = search.trim();
  return table.columns.some((column) => finds(column, row[column.name] ?? null, term));
}
