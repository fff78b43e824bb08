/** The worker process: carries out jobs until it is told to drain. */
import { ConfigError, loadConfig } from '#core/config/config.ts';
import { createLog } from '#core/log/log.ts';
import { actors } from './actors/index.ts';
import { runWorker } from './worker.ts';

/** EX_CONFIG of sysexits.h: starting again would not help. */
const EXIT_CONFIGURATION = 78;

function readConfiguration() {
  try {
    const config = loadConfig();
    const url = config.DATABASE_URL;
    if (url === undefined) throw new ConfigError(['DATABASE_URL: must be set for a worker']);
    return { config, url };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIGURATION);
  }
}

const { config, url } = readConfiguration();
await runWorker(config, url, createLog(config, 'worker'), actors);
