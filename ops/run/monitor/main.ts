/** The monitor process: shows the operator this installation, and manages its queues. */
import { clientIpResolver } from '#core/access/client-ip.ts';
import { createLog } from '#core/base/log/log.ts';
import {
  collectMetrics,
  drainOnDemand,
  readConfiguration,
  reportMetrics,
  tellSupervisor,
} from '#core/base/process/supervised-process.ts';
import { logUncaughtErrors } from '#core/base/process/uncaught-errors.ts';
import { createPool } from '#core/database/pool.ts';
import { whenReachable } from '#core/database/reachable.ts';
import { openStorages } from '#core/files/storage/open-storage.ts';
import { openQueues } from '#core/jobs/open-queues.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { systemSchema } from '#core/model/system/system-table.ts';
import { JobService } from '#core/services/jobs.ts';
import { QueueService } from '#core/services/queues.ts';
import { openMonitorCredentials } from './credentials.ts';
import { QueueActions } from './queue-actions.ts';
import { watchQueues } from './queue-alerts.ts';
import { readinessRoute } from './readiness-route.ts';
import { operatorRoutes } from './routes.ts';
import { serveMonitor } from './server.ts';
import { SignIn } from './sign-in.ts';

/** Maximum connections to the database, and to that of the queues. */
const CONNECTIONS = 2;
const STATEMENT_TIMEOUT_MS = 10_000;

const { config, url } = readConfiguration('the monitor');
const log = createLog(config, 'monitor');
let close = async () => {};
reportMetrics();
drainOnDemand(() => close());
const schema = systemSchema(config);
const pool = createPool(config, url, log, {
  name: 'monitor',
  max: CONNECTIONS,
  statementTimeout: STATEMENT_TIMEOUT_MS,
});
const cluster = await whenReachable(log, () => clusterId(pool, schema));
const bus = await openBus(config, url, cluster, log);
const queues = await openQueues(config, url, cluster, log, { role: 'producer', max: CONNECTIONS });
const { spool } = await openStorages(config);
const jobs = new JobService({
  ...{ pool, schema, queues, bus, spool, log },
  maxPerHolder: config.JOBS_MAX_PER_USER,
  lockDuration: config.JOB_LOCK_DURATION,
});
const { credentials } = await openMonitorCredentials(config, config.DATA_DIR);
const actions = new QueueActions({
  jobs,
  queues: new QueueService({ pool, schema, queues, log }),
  log,
  operator: credentials.user,
});
const signIn = new SignIn(credentials);
const routes = [
  readinessRoute(collectMetrics),
  operatorRoutes({ pool, schema, queues, actions, signIn, collect: collectMetrics, log }),
];
const { MONITOR_HOST: host, MONITOR_PORT: port } = config;
const clientIp = clientIpResolver(config.IP_TRUST_PROXY);
const server = await serveMonitor(routes, { host, port, clientIp, log });
const endAlerts = watchQueues({ pool, schema, config, log });
close = async () => {
  endAlerts();
  server.close();
  server.closeAllConnections();
  jobs.close();
  await Promise.allSettled([queues.close(), bus.close(), pool.end()]);
};
logUncaughtErrors(log);
tellSupervisor({ type: 'ready' });
