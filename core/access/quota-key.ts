/** The key under which quotas count a caller: the user, or the address when anonymous. */
import ipaddr from 'ipaddr.js';
import type { Caller } from './grants.ts';

/** An IPv6 user usually owns all addresses with the same first 64 bits. */
export function addressKey(ip: string): string {
  if (!ip.includes(':')) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const [a, b, c, d] = address.parts;
  return [a, b, c, d].map((part) => part?.toString(16)).join(':');
}

/** The key under which quotas count a caller. A client cannot influence it. */
export function quotaKeyOf({ user, ip }: Pick<Caller, 'user' | 'ip'>): string {
  return user === null ? `ip:${addressKey(ip ?? '')}` : `user:${user}`;
}
