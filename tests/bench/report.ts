/** Prints the rows of a bench as a table and stores them as JSON. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { styleText } from 'node:util';
import type { Options } from './options.ts';
import type { Goal, Row, Unit } from './result-row.ts';

const DIGITS: Readonly<Record<Unit, number>> = {
  'requests/s': 0,
  'rows/s': 0,
  ms: 3,
  MiB: 1,
  'MiB/s': 0,
  times: 2,
};

function figure(value: number | null, unit: Unit): string {
  if (value === null) return '';
  const digits = DIGITS[unit];
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString('en', options);
}

function goalText(goal: Goal | null): string {
  if (goal === null) return '';
  const { kind, value } = goal;
  return kind === 'ratio at least' ? `≥ ${value}` : `< ${value}`;
}

function cells(row: Row): string[] {
  return [
    row.title,
    row.unit,
    figure(row.value, row.unit),
    figure(row.baseline, row.unit),
    row.ratio === null ? '' : row.ratio.toFixed(2),
    goalText(row.goal),
  ];
}

const HEAD = ['', 'unit', 'Sluice', 'baseline', 'ratio', 'goal'];

function verdict({ met }: Row): string {
  if (met === null) return '';
  return met ? styleText('green', 'met') : styleText('yellow', 'not met');
}

/** The rows as a table; numbers are right-aligned. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(cells);
  const widths = HEAD.map((_, column) =>
    Math.max(...[HEAD, ...lines].map((line) => (line[column] ?? '').length)),
  );
  const write = (line: readonly string[]) =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < 2 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ');
  return [
    styleText('dim', write(HEAD)),
    ...rows.map((row) => `${write(cells(row))}  ${verdict(row)}`.trimEnd()),
  ].join('\n');
}

/** What the results depend on besides the code. */
function machine() {
  const all = cpus();
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${process.platform} ${release()} ${arch()}`,
    node: process.version,
  };
}

/** Writes the rows to the file, with the circumstances of the run. */
export function writeJson(
  file: string,
  options: Options,
  started: Date,
  rows: readonly Row[],
): void {
  mkdirSync(dirname(file), { recursive: true });
  const content = { started: started.toISOString(), machine: machine(), options, rows };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
