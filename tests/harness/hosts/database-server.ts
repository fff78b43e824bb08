/** Runs a PostgreSQL for other hosts. Arguments: its folder, its address, its port. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '#ops/run/embedded/postgres.ts';

const [folder = '', address = '', port = ''] = process.argv.slice(2);
const rules = join(folder, 'pg_hba.conf');
mkdirSync(folder, { recursive: true });
writeFileSync(rules, 'host all all all scram-sha-256\n');
await startPostgres({
  dataDir: join(folder, 'postgres'),
  password: 'test',
  port: Number(port),
  settings: {
    ...{ listen_addresses: `127.0.0.1,${address}`, hba_file: rules, max_connections: '200' },
    ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  },
});
process.stdout.write('PostgreSQL is ready\n');
