/** The edge process: answers requests until it is told to drain. */
import { createLog } from '#core/log/log.ts';
import {
  drainOnDemand,
  readConfiguration,
  tellSupervisor,
} from '#core/process/supervised-process.ts';
import { logUncaughtErrors } from '#core/process/uncaught-errors.ts';
import { mannersOf } from './http/manners.ts';
import { Router } from './http/router.ts';
import { createServer, type Server } from './http/server.ts';
import { guarded } from './limit/guard.ts';
import { addAuthRoutes } from './rest/auth.ts';
import { addCollectionRoutes } from './rest/collection.ts';
import { addFieldRoutes } from './rest/field.ts';
import { addImportRoutes } from './rest/import.ts';
import { addInvitationRoutes } from './rest/invitation.ts';
import { addItemRoutes } from './rest/item.ts';
import { addJobRoutes } from './rest/job.ts';
import { addPasswordResetRoutes } from './rest/password-reset.ts';
import { addPermissionRoutes } from './rest/permission.ts';
import { addRegistrationRoutes } from './rest/registration.ts';
import { addRelationRoutes } from './rest/relation.ts';
import { addSchemaRoutes } from './rest/schema.ts';
import { addServerRoutes } from './rest/server.ts';
import { addSystemRoutes } from './rest/system.ts';
import { addTwoFactorRoutes } from './rest/two-factor.ts';
import { addUtilityRoutes } from './rest/utility.ts';
import { type EdgeServices, openEdgeServices } from './services.ts';

const { config, url } = readConfiguration('an edge');
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
addAuthRoutes(router, services);
addTwoFactorRoutes(router, services);
addItemRoutes(router, services);
addSystemRoutes(router, services);
addCollectionRoutes(router, services);
addFieldRoutes(router, services);
addSchemaRoutes(router, services);
addRelationRoutes(router, services);
addJobRoutes(router, services);
addPermissionRoutes(router, services);
addImportRoutes(router, services);
addInvitationRoutes(router, services);
addPasswordResetRoutes(router, services);
addRegistrationRoutes(router, services);
addUtilityRoutes(router, services);
server = createServer({
  handler: guarded(router.handle, services.limits),
  log,
  ...mannersOf(config),
});
await server.listen(config.HOST, config.PORT, config.EDGE_PROCESSES > 1);
logUncaughtErrors(log);
tellSupervisor({ type: 'ready' });
