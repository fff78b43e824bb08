/** What policies demand: addresses that mean something. */
import { BlockList, isIP } from 'node:net';
import { invalidPayload } from '#core/errors/service-error.ts';
import type { Action, Item } from '#core/mutation/payload.ts';
import type { Write } from '#core/mutation/target.ts';

function isBlock(network: string, prefix: string): boolean {
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(network)] ?? -1;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

function isRange(from: string, to: string): boolean {
  const family = isIP(from);
  if (family === 0 || family !== isIP(to)) return false;
  try {
    new BlockList().addRange(from, to, family === 4 ? 'ipv4' : 'ipv6');
    return true;
  } catch {
    return false;
  }
}

/** An address, a range `a-b` or a block `a/bits`. What cannot be read would bar everybody. */
function isEntry(entry: string): boolean {
  const [from = '', to, ...more] = entry.split('-').map((part) => part.trim());
  if (more.length > 0) return false;
  if (to !== undefined) return isRange(from, to);
  const [network = '', prefix, ...rest] = from.split('/');
  if (rest.length > 0) return false;
  return prefix === undefined ? isIP(network) !== 0 : isBlock(network, prefix);
}

function entriesOf(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : String(value).split(',');
  return list.map((entry) => String(entry).trim());
}

/** @throws ServiceError INVALID_PAYLOAD naming the entry of `ip_access` that is no address */
export async function refinePolicy(_: Write, __: Action, item: Item): Promise<Item> {
  const { ip_access: given } = item;
  if (given === undefined || given === null || given === '') return item;
  const wrong = entriesOf(given).find((entry) => !isEntry(entry));
  if (wrong === undefined) return item;
  throw invalidPayload(
    `"ip_access" takes addresses, ranges and CIDR blocks; "${wrong}" is none of them.`,
    { field: 'ip_access' },
  );
}
