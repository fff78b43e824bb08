/** The rules of policies: `ip_access` contains valid addresses. */
import { BlockList, isIP } from 'node:net';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { Action, Item } from '#core/write/payload.ts';
import type { WriteContext } from '#core/write/write-context.ts';

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

/**
 * An address, a range `a-b` or a block `a/bits`. An unreadable entry would exclude every client.
 */
function isEntry(entry: string): boolean {
  const [from = '', to, ...more] = entry.split('-').map((part) => part.trim());
  if (more.length > 0) return false;
  if (to !== undefined) return isRange(from, to);
  const [network = '', prefix, ...rest] = from.split('/');
  if (rest.length > 0) return false;
  return prefix === undefined ? isIP(network) !== 0 : isBlock(network, prefix);
}

/** Null means any address; an empty list would have to mean no address. */
const NO_ADDRESS = reason('ip_access_empty');

/**
 * Why a list of addresses, given as a list or as comma-separated texts, is invalid; null: it is
 * valid.
 */
export function addressFault(given: unknown): Reason | null {
  if (given === null) return null;
  const list = Array.isArray(given) ? given : String(given).split(',');
  const entries = list.map((entry) => String(entry).trim());
  if (entries.every((entry) => entry === '')) return NO_ADDRESS;
  const wrong = entries.find((entry) => !isEntry(entry));
  if (wrong === undefined) return null;
  return reason('ip_access_invalid', { wrong });
}

/** @throws ServiceError INVALID_PAYLOAD when `ip_access` has no address or an invalid entry */
export async function refinePolicy(_: WriteContext, __: Action, item: Item): Promise<Item> {
  const { ip_access: given = null } = item;
  const fault = addressFault(given);
  if (fault === null) return item;
  throw invalidPayload(fault, { field: 'ip_access' });
}
