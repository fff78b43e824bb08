// @newest

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { lockFolder } from '#ops/run/supervisor/data-dir-lock.ts';
import { temporaryFolder } from './stand-in/run.ts';

const LOCK = join(import.meta.dirname, '../../../../ops/run/supervisor/data-dir-lock.ts');

for (const platform of ['linux', 'darwin'] as const) {
  t.test(`a folder is one process's, and free when that is gone: ${platform}`, async (t) => {
    const folder = temporaryFolder(t);
    const first = await lockFolder(folder, platform);
    await t.rejects(lockFolder(folder, platform), { message: /another Sluice \(process \d+\)/ });
    first.release();

    const script = `import { lockFolder } from ${JSON.stringify(LOCK)};
      await lockFolder(${JSON.stringify(folder)}, ${JSON.stringify(platform)});
      console.log('held'); setInterval(() => undefined, 1_000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    await t.rejects(lockFolder(folder, platform), { name: 'SetupError' });
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    (await lockFolder(folder, platform)).release();
  });
}
