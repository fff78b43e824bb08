/**
 * PostGraphile on the bench's database, as its manual sets it up: lists beside connections, and as
 * many connections as Sluice has.
 */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL, PORT, CONNECTIONS } = process.env;

const handler = postgraphile({
  extends: [PostGraphileAmberPreset],
  schema: { defaultBehavior: '+list' },
  pgServices: [
    makePgService({
      connectionString: DATABASE_URL,
      schemas: ['public'],
      poolConfig: { max: Number(CONNECTIONS) },
    }),
  ],
  grafserv: { graphiql: false, watch: false },
}).createServ(grafserv);

const server = createServer();
await handler.addTo(server);
server.listen(Number(PORT), '127.0.0.1', () => process.send({ type: 'ready' }));
