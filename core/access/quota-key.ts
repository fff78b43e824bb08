/** Whom counts what a caller uses up: the user, or the address of somebody unknown. */
import ipaddr from 'ipaddr.js';
import type { Caller } from './grants.ts';

/** Who owns an address of IPv6 usually owns all that share its first 64 bits. */
export function addressKey(ip: string): string {
  if (!ip.includes(':')) return ip;
  const [a, b, c, d] = ipaddr.IPv6.parse(ip).parts;
  return [a, b, c, d].map((part) => part?.toString(16)).join(':');
}

/** The key under which quotas count a caller. Nothing that a client may choose makes it another. */
export function quotaKeyOf({ user, ip }: Pick<Caller, 'user' | 'ip'>): string {
  return user === null ? `ip:${addressKey(ip ?? '')}` : `user:${user}`;
}
