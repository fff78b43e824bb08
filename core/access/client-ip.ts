/**
 * Finds the client's address. Only verifiable data is used: the address of the peer, and headers of
 * a trusted proxy.
 */
import ipaddr from 'ipaddr.js';
import type { Proxies } from '#core/base/config/variable.ts';

/** The part of a request that identifies its origin. */
export interface RequestOrigin {
  /** The address of the peer; empty when the connection is closed. */
  readonly ip: string;
  /** @param name in lower case */
  header(name: string): string | undefined;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** An address, in IPv4 form when it is one mapped into IPv6; null for anything else. */
function addressOf(text: string): Address | null {
  // Some proxies add a port: 192.0.2.1:4711, [2001:db8::1]:4711.
  const [, bare = text] = /^\[(.+)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return null;
  return ipaddr.process(bare);
}

function rangeOf(entry: string): Range {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry);
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function contains([network, bits]: Range, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/**
 * Creates the function that returns the client's address of a request; null when the connection is
 * closed. Proxies append to X-Forwarded-For, so it is read from its end: the client is the first
 * address that is not a trusted proxy. The first entry that is not an address ends the search.
 * @param proxies IP_TRUST_PROXY
 */
export function clientIpResolver(proxies: Proxies): (request: RequestOrigin) => string | null {
  if (proxies === 'none') return ({ ip }) => (ip === '' ? null : ip);
  const ranges = proxies === 'all' ? null : proxies.map(rangeOf);
  const isTrusted = (address: Address) =>
    ranges === null || ranges.some((range) => contains(range, address));
  return (request) => {
    let client = addressOf(request.ip);
    if (client === null) return null;
    const forwarded = (request.header('x-forwarded-for') ?? '').split(',').reverse();
    for (const entry of forwarded) {
      if (!isTrusted(client)) break;
      const before = addressOf(entry.trim());
      if (before === null) break;
      client = before;
    }
    return client.toString();
  };
}
