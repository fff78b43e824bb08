/**
 * `npm run demo`: imports real airports and flights through the endpoint and the queue into two
 * tables, and shows three requests. It uses a running `npm start`, or starts a separate Sluice. A
 * second run merges the same rows by their keys.
 */
import { styleText } from 'node:util';
import { ConfigError, loadConfig } from '#core/base/config/config.ts';
import type { Config } from '#core/base/config/variables.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { systemSchema } from '#core/model/system/system-table.ts';
import { localUrl } from '#ops/run/supervisor/banner.ts';
import { checkNode } from '#ops/run/supervisor/check-node.ts';
import { announcedUrl } from '#ops/run/supervisor/running-file.ts';
import { listenForInterrupt } from '#ops/run/supervisor/stop-signal.ts';
import { Api, whoListens } from './api.ts';
import { dataFile, findDatabase, findToken } from './credentials.ts';
import { showcase } from './example-requests.ts';
import { importFile } from './import.ts';
import { type OwnServer, startServer } from './own-server.ts';
import { makeTables, untilServed } from './table.ts';

/** The exit code of a process that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;

function print(line: string): void {
  console.log(line);
}

/**
 * The URL at which the demo expects or starts a Sluice: SLUICE_URL, or the running one of this
 * DATA_DIR.
 */
async function findServer(config: Config, signal: AbortSignal): Promise<string> {
  if (config.SLUICE_URL !== undefined) return config.SLUICE_URL.replace(/\/+$/, '');
  const announced = announcedUrl(config);
  const runs = announced !== null && (await whoListens(announced, signal)) === 'sluice';
  return runs ? announced : localUrl(config);
}

/** Starts a Sluice unless one is running. */
async function ensureServer(
  config: Config,
  url: string,
  signal: AbortSignal,
): Promise<OwnServer | null> {
  switch (await whoListens(url, signal)) {
    case 'sluice':
      print(`Using the Sluice that runs at ${url}`);
      return null;
    case 'none':
      if (config.SLUICE_URL !== undefined) {
        throw new SetupError(`SLUICE_URL: nothing answers at ${url}`);
      }
      print(`Starting a Sluice at ${url} for the demo; the first start creates its database`);
      return startServer(url, signal);
    default:
      throw new SetupError(
        config.SLUICE_URL === undefined
          ? `PORT: ${config.PORT} is in use by another program; stop it, or choose another port`
          : `SLUICE_URL: what answers at ${url} is not a Sluice`,
      );
  }
}

async function demonstrate(config: Config, url: string, signal: AbortSignal): Promise<void> {
  const files = { airports: dataFile('airports.csv'), routes: dataFile('flights-airport.csv') };
  const token = findToken(config);
  const api = new Api({ url, token: token.text, signal });
  const tables = await makeTables(findDatabase(config), systemSchema(config));
  await untilServed(api);
  print(
    tables === 'made'
      ? 'Created the tables airports and routes; importing the files of vega-datasets\n'
      : 'The tables airports and routes exist; importing the same files again\n',
  );
  await importFile(api, 'airports', files.airports, print);
  await importFile(api, 'routes', files.routes, print);
  await showcase(api, token, print);
}

/** The possible next steps, ending with the URL of the Admin App. */
function closingLine(own: OwnServer | null, url: string): string {
  const hint =
    own === null
      ? 'Sluice still runs: try them now.'
      : 'Sluice stops now; start it with: npm start';
  return `  ${styleText('dim', hint)}\n\n  See the tables in the Admin App: ${url}/admin\n`;
}

async function main(): Promise<number> {
  const { stop } = listenForInterrupt();
  let own: OwnServer | null = null;
  try {
    checkNode(process.versions.node);
    const config = loadConfig();
    const url = await findServer(config, stop);
    own = await ensureServer(config, url, stop);
    await demonstrate(config, url, stop);
    print(closingLine(own, url));
    return 0;
  } catch (error) {
    if (stop.aborted) return EXIT_INTERRUPTED;
    const expected = error instanceof SetupError || error instanceof ConfigError;
    console.error(expected ? error.message : error);
    return 1;
  } finally {
    await own?.stop();
  }
}

process.exitCode = await main();
