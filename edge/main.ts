/** The edge process: answers requests until it receives the signal to drain. */
import { ADMIN_APP_BUILD, DOCS_BUILD } from '#core/base/config/build-commands.ts';
import { ProcessMemory } from '#core/base/holders/process-memory.ts';
import { createLog } from '#core/base/log/log.ts';
import {
  drainOnDemand,
  readConfiguration,
  reportMetrics,
  reportReadiness,
  tellSupervisor,
} from '#core/base/process/supervised-process.ts';
import { logUncaughtErrors } from '#core/base/process/uncaught-errors.ts';
import { openTracing } from '#core/base/tracing/open-tracing.ts';
import { RELEASE } from '#core/model/system/release.ts';
import { serverOptionsOf } from './http/answer-options.ts';
import { createServer, type Server } from './http/server.ts';
import { guarded } from './limit/limit-requests.ts';
import { type OpenSockets, openSockets } from './live/open-sockets.ts';
import { isStaticRequest, openRouter } from './rest/route-table.ts';
import { type EdgeServices, openEdgeServices } from './services.ts';

const { config, url } = readConfiguration('an edge');
const log = createLog(config, 'edge');
let server: Server | null = null;
let sockets: OpenSockets | null = null;
let services: EdgeServices | null = null;
reportMetrics();
const endTracing = await openTracing(config, { role: 'edge', release: RELEASE, log });
drainOnDemand(async () => {
  await server?.drain();
  sockets?.close();
  await services?.close();
  await endTracing();
});
services = await openEdgeServices(config, url, log);
sockets = openSockets(services);
const memory = new ProcessMemory();
memory.measure();
server = createServer({
  memory,
  handler: guarded(openRouter(services).handle, services.limits, isStaticRequest),
  log,
  sockets: sockets.routes,
  ...serverOptionsOf(config),
});
await server.listen(config.HOST, config.PORT, config.EDGE_PROCESSES > 1);
logUncaughtErrors(log);
if (config.ADMIN_APP && !(await services.adminApp.exists())) {
  log.info(`The Admin App is not built; ${ADMIN_APP_BUILD} builds it.`);
}
if (config.DOCS_PAGE && !(await services.docs.exists())) {
  log.info(`The documentation is not built; ${DOCS_BUILD} builds it.`);
}
tellSupervisor({ type: 'ready' });
const { readiness } = services;
reportReadiness(() => ({ reason: readiness(), hung: false }));
