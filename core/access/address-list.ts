/** Address lists of policies: single addresses, ranges and CIDR blocks. */
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

interface Address {
  readonly text: string;
  readonly family: 'ipv4' | 'ipv6';
}

/** Removes the zone of an address and maps IPv4-mapped IPv6 addresses to IPv4. */
function addressOf(text: string): Address | null {
  if (isIP(text) === 0) return null;
  const address = ipaddr.process(text.replace(/%.*$/s, ''));
  return { text: address.toString(), family: address.kind() };
}

type Lists = Readonly<Record<Address['family'], BlockList>>;

/** A block of mapped addresses means the block of IPv4 addresses. */
function addBlock(lists: Lists, network: string, prefix: string): void {
  const address = addressOf(network);
  if (address === null || !/^\d{1,3}$/.test(prefix)) return;
  const isMapped = address.family === 'ipv4' && isIP(network) === 6;
  const bits = Number(prefix) - (isMapped ? 96 : 0);
  if (bits < 0 || bits > (address.family === 'ipv4' ? 32 : 128)) return;
  lists[address.family].addSubnet(address.text, bits, address.family);
}

function addRange(lists: Lists, from: string, to: string): void {
  const first = addressOf(from);
  const last = addressOf(to);
  if (first === null || last === null || first.family !== last.family) return;
  try {
    lists[first.family].addRange(first.text, last.text, first.family);
  } catch {
    // The first address is after the last one: the range is empty.
  }
}

/** The addresses that a list contains. An invalid entry contains no address. */
export class AddressList {
  // Separate lists, because an IPv6 block would also match mapped IPv4 addresses.
  readonly #lists: Lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  /** @param entries `10.0.0.1`, `10.0.0.1-10.0.0.9`, `10.0.0.0/8`, and the same of IPv6 */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [from = '', to] = entry.split('-').map((part) => part.trim());
      const [network = '', prefix] = from.split('/');
      const single = addressOf(from);
      if (to !== undefined) addRange(this.#lists, from, to);
      else if (prefix !== undefined) addBlock(this.#lists, network, prefix);
      else if (single !== null) this.#lists[single.family].addAddress(single.text, single.family);
    }
  }

  /** The list that a policy stores, its entries separated by commas. */
  static of(text: string): AddressList {
    return new AddressList(text.split(',').map((entry) => entry.trim()));
  }

  /** It contains no address at all. */
  get isEmpty(): boolean {
    return this.#lists.ipv4.rules.length === 0 && this.#lists.ipv6.rules.length === 0;
  }

  /** Whether the list contains an address. An unknown address is never contained. */
  has(ip: string | null): boolean {
    const address = ip === null ? null : addressOf(ip);
    return address !== null && this.#lists[address.family].check(address.text, address.family);
  }
}
