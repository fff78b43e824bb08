/** Chooses and opens the message bus of a process. */
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import type { MessageBus } from './bus.ts';
import { PostgresBus } from './postgres-bus.ts';

/** The channel of an installation. It separates installations that share a server. */
export function channelOf(clusterId: string): string {
  return `sluice_${clusterId.replaceAll('-', '')}`;
}

/**
 * Opens the bus: on Redis when `REDIS_URL` is set, otherwise on one connection to the database that
 * bypasses a pooler. Resolves when connected, however long that takes.
 * @param clusterId separates installations that share a server
 */
export async function openBus(
  config: Pick<Config, 'REDIS_URL' | 'DATABASE_DIRECT_URL'>,
  url: string,
  clusterId: string,
  log: Log,
): Promise<MessageBus> {
  const channel = channelOf(clusterId);
  if (config.REDIS_URL !== undefined) {
    const { RedisBus } = await import('./redis-bus.ts');
    const bus = new RedisBus(config.REDIS_URL, channel, log);
    await bus.open();
    return bus;
  }
  const bus = new PostgresBus(config.DATABASE_DIRECT_URL ?? url, channel, log);
  await bus.open();
  return bus;
}
