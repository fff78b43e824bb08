/**
 * How an edge or a worker lives under its supervisor: it tells when it is ready and drains when
 * told to, when it is sent SIGTERM, or when the supervisor is gone. SIGINT is left to the
 * supervisor, because a terminal sends it to the whole group at once.
 */
import { type Config, ConfigError, loadConfig } from '#core/config/config.ts';

/** EX_CONFIG of sysexits.h: a variable is wrong, and starting again would not help. */
export const EXIT_CONFIGURATION = 78;

/** Messages over the channel between supervisor and child. */
export type ChildMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'failpoint'; readonly name: string };
export type SupervisorMessage = { readonly type: 'drain' };

/**
 * Reads the configuration of a child; a fault is told on stderr and ends the process.
 * @param role named in the fault when the supervisor's DATABASE_URL is missing
 */
export function readConfiguration(role: string): { config: Config; url: string } {
  try {
    const config = loadConfig();
    const url = config.DATABASE_URL;
    if (url === undefined) throw new ConfigError([`DATABASE_URL: must be set for ${role}`]);
    return { config, url };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIGURATION);
  }
}

/** Sends a message to the supervisor; without one (a process started by hand) nothing happens. */
export function tellSupervisor(message: ChildMessage): void {
  if (process.connected) process.send?.(message);
}

/**
 * Calls `drain` once, whichever way the order arrives, and ends the process when it resolves.
 * @param drain stops taking work and resolves when what runs has ended or been given back
 */
export function drainOnDemand(drain: () => Promise<void>): void {
  let draining = false;
  const start = () => {
    if (draining) return;
    draining = true;
    drain().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', start);
  if (process.channel === undefined) {
    process.on('SIGINT', start);
    return;
  }
  process.on('SIGINT', () => undefined);
  process.on('message', (message: SupervisorMessage) => {
    if (message.type === 'drain') start();
  });
  process.on('disconnect', start);
}
