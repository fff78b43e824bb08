/**
 * `npm run bench`: measures Sluice against its goals, prints a table and writes JSON. The exit code
 * does not depend on the goals, because timings depend on the machine.
 */
import { join } from 'node:path';
import { SetupError } from '#core/model/system/setup-error.ts';
import { checkNode } from '#ops/run/supervisor/check-node.ts';
import { listenForInterrupt } from '#ops/run/supervisor/stop-signal.ts';
import { measureAccess } from './access/measure.ts';
import { measureCompile } from './compile.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { measureFiles } from './files/measure.ts';
import { measureImports } from './import/measure.ts';
import { type Part, parseOptions } from './options.ts';
import { measureReads } from './read/measure.ts';
import { table, writeJson } from './report.ts';
import type { Row } from './result-row.ts';
import { measureSchema } from './schema/measure.ts';
import { measureWrites } from './write/measure.ts';

/** The exit code of a process that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;

const MEASURES: Readonly<Record<Part, (environment: Environment) => Promise<Row[]>>> = {
  read: measureReads,
  write: measureWrites,
  access: measureAccess,
  import: measureImports,
  files: measureFiles,
  compile: measureCompile,
  schema: measureSchema,
};

async function main(): Promise<number> {
  const { stop } = listenForInterrupt();
  const started = new Date();
  let environment: Environment | undefined;
  try {
    checkNode(process.versions.node);
    const options = parseOptions(process.argv.slice(2));
    environment = await openEnvironment({ options, stop, say: (line) => console.error(line) });
    const rows: Row[] = [];
    for (const part of options.parts) rows.push(...(await MEASURES[part](environment)));
    const name = `${started.toISOString().replaceAll(':', '-').slice(0, 19)}.json`;
    const file = join(options.folder, name);
    writeJson(file, options, started, rows);
    console.log(`\n${table(rows)}\n\nWritten to ${file}`);
    return 0;
  } catch (error) {
    if (stop.aborted) return EXIT_INTERRUPTED;
    console.error(error instanceof SetupError ? error.message : error);
    return 1;
  } finally {
    await environment?.close();
  }
}

process.exit(await main());
