/**
 * Checks the addresses of the server's outgoing requests: they must belong to the public Internet.
 */
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** A range as in `10.0.0.0/8`, or one address. */
type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Additional refused and allowed addresses. */
export interface AddressRules {
  /** IMPORT_IP_DENY_LIST: ranges; `0.0.0.0` also stands for all addresses of this host. */
  readonly denied: readonly string[];
  /**
   * IMPORT_IP_ALLOW_LIST: ranges allowed although not public, unless the deny list contains them.
   */
  readonly allowed: readonly string[];
}

function rangeOf(text: string): Range {
  if (!text.includes('/')) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  const [base, bits] = ipaddr.parseCIDR(text);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly string[]): boolean {
  return ranges.some((text) => {
    const [base, bits] = rangeOf(text);
    return base.kind() === address.kind() && address.match(base, bits);
  });
}

/** The addresses of this host, on all of its networks. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return all.map(({ address }) => address.replace(/%.*$/, ''));
}

/**
 * Whether a request may go to an address. IPv6 addresses that represent an IPv4 address are checked
 * as that address. Tunnels (6to4, Teredo, NAT64) are refused, because their destination is unknown.
 */
export function isReachable(text: string, { denied, allowed }: AddressRules): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (isWithin(address, denied)) return false;
  if (isWithin(address, allowed)) return true;
  if (denied.includes('0.0.0.0') && isWithin(address, ownAddresses())) return false;
  const isGlobal = address.kind() === 'ipv4' || isWithin(address, ['2000::/3']);
  return isGlobal && address.range() === 'unicast';
}
