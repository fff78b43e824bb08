/**
 * The life cycle of a supervisor: starts the installation, shows the banner, waits for the signal
 * to stop. An environment problem results in one line on stderr and exit code 1.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError, loadConfig } from '#core/base/config/config.ts';
import { createLog } from '#core/base/log/log.ts';
import { logUncaughtErrors } from '#core/base/process/uncaught-errors.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { banner } from './banner.ts';
import { checkNode } from './check-node.ts';
import { Installation, type Scripts } from './installation.ts';
import { listenForInterrupt } from './stop-signal.ts';

/** After this time the process ends even if others are still running. */
const EXIT_WITHIN_MS = 9_800;
/** Maximum time for a step of the start after a stop signal. */
const STEP_WITHIN_MS = 3_000;

/** The lines to print for an error; an unexpected one with its stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof SetupError) return error.message;
  return error instanceof Error && error.stack !== undefined ? error.stack : String(error);
}

/**
 * Runs an installation until it ends.
 * @param scripts the scripts of edges and workers, relative to the project's root
 * @returns the exit code: 0 after a stop signal
 */
export async function run(scripts: Scripts): Promise<number> {
  const { stop, hasten, stopped } = listenForInterrupt();
  const end = () => setTimeout(() => process.exit(1), EXIT_WITHIN_MS).unref();
  stop.addEventListener('abort', end);
  let installation: Installation | undefined;
  try {
    checkNode(process.versions.node);
    const config = loadConfig();
    const log = createLog(config, 'supervisor');
    installation = new Installation({
      config,
      root: join(import.meta.dirname, '../../..'),
      scripts,
      log,
      report: (line) => console.log(line),
    });
    const starting = installation.start(stop);
    const facts = await Promise.race([starting, stopped]);
    if (facts === undefined) {
      await Promise.race([starting.catch(() => undefined), delay(STEP_WITHIN_MS)]);
    } else {
      console.log(banner(config, facts));
      logUncaughtErrors(log);
      await Promise.race([stopped, installation.failed]);
    }
    await installation.stop(hasten);
    log.info('all processes have stopped');
    return 0;
  } catch (error) {
    const wanted = stop.aborted && error === stop.reason;
    if (!stop.aborted) end();
    if (!wanted) console.error(explain(error));
    await installation?.stop(hasten);
    return wanted ? 0 : 1;
  }
}
