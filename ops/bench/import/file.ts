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

function line(id: number): string {
  const city = CITIES[id % CITIES.length];
  const status = STATUSES[id % STATUSES.length];
  const score = ((id * 7_919) % 100_000) / 100;
  const created = new Date(1_577_836_800_000 + id * 61_000).toISOString().replace('.000', '');
  return `${id},Person ${id},person${id}@example.com,${city},${status},${score},${id % 3 === 0},${created}\n`;
}

function* lines(rows: number): Generator<string> {
  yield HEADER;
  for (let first = 1; first <= rows; first += BATCH) {
    const count = Math.min(BATCH, rows - first + 1);
    yield Array.from({ length: count }, (_, index) => line(first + index)).join('');
  }
}

/** Writes the file: keys from 1, in order. */
export async function writeImportFile(path: string, rows: number): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await pipeline(Readable.from(lines(rows)), createWriteStream(path));
}
