/** Opens the best kind of network that this machine supports. */
import type { Teardown } from '../database.ts';
import { openNamespaces } from './namespaces.ts';
import type { Network } from './network.ts';
import { openProcessGroups } from './process-groups.ts';

/** It ends with the test, and with this process when it is interrupted. */
export function openNetwork(t: Teardown): Network {
  const network = openNamespaces() ?? openProcessGroups();
  const close = () => network.close();
  const interrupt = () => {
    close();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  process.once('exit', close);
  t.teardown(() => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
    process.off('exit', close);
    close();
  });
  return network;
}
