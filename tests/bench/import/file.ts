/** The file of the import bench, and its target table. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Rows at scale 1. */
const ROWS = 1_000_000;
/** Lines that are written at once. */
const BATCH = 1_000;

export const IMPORT_TABLE = `
  CREATE TABLE people (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    city text NOT NULL,
    status text NOT NULL,
    score double precision NOT NULL,
    active boolean NOT NULL,
    created_on timestamptz NOT NULL
  )`;

const HEADER = 'id,name,email,city,status,score,active,created_on\n';

const CITIES = ['Berlin', 'Lyon', 'São Paulo', 'Osaka', 'Portland', 'Kraków'];
const STATUSES = ['active', 'invited', 'suspended'];

/**
 * Fills the table with as many rows as the file has; the second half of the file has the same keys.
 */
export const FILL_FOR_MERGE = `
  INSERT INTO people
  SELECT n + $1::int / 2, 'before ' || n, 'before' || n || '@example.com', 'nowhere', 'old', -n,
    false, timestamptz '2000-01-01 00:00:00Z'
  FROM generate_series(1, $1::int) n`;

export function rowsAt(scale: number): number {
  return Math.max(1_000, Math.round(ROWS * scale));
}

/** How a file is written: RFC 4180, with semicolons, or as JSON. */
export type FileForm = 'csv' | 'semicolons' | 'json' | 'ndjson';

function valuesOf(id: number) {
  const city = CITIES[id % CITIES.length];
  const status = STATUSES[id % STATUSES.length];
  const score = ((id * 7_919) % 100_000) / 100;
  const created = new Date(1_577_836_800_000 + id * 61_000).toISOString().replace('.000', '');
  const active = id % 3 === 0;
  const [name, email] = [`Person ${id}`, `person${id}@example.com`];
  return { id, name, email, city, status, score, active, created_on: created };
}

function line(id: number, form: FileForm): string {
  const values = valuesOf(id);
  if (form === 'csv') return `${Object.values(values).join(',')}\n`;
  if (form === 'semicolons') return `${Object.values(values).join(';')}\n`;
  const text = JSON.stringify(values);
  return form === 'ndjson' ? `${text}\n` : `${id === 1 ? '[' : ','}\n${text}`;
}

function* lines(rows: number, form: FileForm): Generator<string> {
  if (form === 'csv') yield HEADER;
  if (form === 'semicolons') yield HEADER.replaceAll(',', ';');
  for (let first = 1; first <= rows; first += BATCH) {
    const count = Math.min(BATCH, rows - first + 1);
    yield Array.from({ length: count }, (_, index) => line(first + index, form)).join('');
  }
  if (form === 'json') yield '\n]\n';
}

/** Writes the file: keys from 1, in order. */
export async function writeImportFile(
  path: string,
  rows: number,
  form: FileForm = 'csv',
): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await pipeline(Readable.from(lines(rows, form)), createWriteStream(path));
}
