/** The edge process: answers requests until it is told to drain. */
import { ConfigError, loadConfig } from '#core/config/config.ts';
import { createLog } from '#core/log/log.ts';
import { drainOnDemand, tellSupervisor } from '#core/process/child.ts';
import { Router } from './http/router.ts';
import { createServer, type Server } from './http/server.ts';
import { addImportRoutes } from './rest/import.ts';
import { addItemRoutes } from './rest/item.ts';
import { addJobRoutes } from './rest/job.ts';
import { addServerRoutes } from './rest/server.ts';
import { type EdgeServices, openEdgeServices } from './services.ts';

/** EX_CONFIG of sysexits.h: starting again would not help. */
const EXIT_CONFIGURATION = 78;

function readConfiguration() {
  try {
    const config = loadConfig();
    const url = config.DATABASE_URL;
    if (url === undefined) throw new ConfigError(['DATABASE_URL: must be set for an edge']);
    return { config, url };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIGURATION);
  }
}

const { config, url } = readConfiguration();
const log = createLog(config, 'edge');
let server: Server | null = null;
let services: EdgeServices | null = null;
drainOnDemand(async () => {
  await server?.drain();
  await services?.close();
});
services = await openEdgeServices(config, url, log);
const router = new Router();
addServerRoutes(router, services);
addItemRoutes(router, services);
addJobRoutes(router, services);
addImportRoutes(router, services);
server = createServer({ handler: router.handle, log, bodyLimit: config.BODY_MAX_SIZE });
await server.listen(config.HOST, config.PORT, config.EDGE_PROCESSES > 1);
tellSupervisor({ type: 'ready' });
