/** Converts the binary address of a peer to text. */

/** The prefix of an IPv4 address on an IPv6 socket, `::ffff:0:0/96`. */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/**
 * Formats four bytes in dotted form. Each request calls it, and `join` takes five times as long.
 */
function dotted(bytes: Uint8Array, at: number): string {
  return `${bytes[at]}.${bytes[at + 1]}.${bytes[at + 2]}.${bytes[at + 3]}`;
}

/**
 * The text of an address of 4 or 16 bytes: dotted for IPv4, even when mapped into IPv6; for IPv6
 * the shortest form of RFC 5952. Empty without an address, such as after the connection has closed.
 */
export function addressText(binary: ArrayBuffer): string {
  const bytes = new Uint8Array(binary);
  if (bytes.length === 4) return dotted(bytes, 0);
  if (bytes.length !== 16) return '';
  if (MAPPED.every((byte, i) => bytes[i] === byte)) return dotted(bytes, MAPPED.length);
  const view = new DataView(binary);
  const groups = Array.from({ length: 8 }, (_, i) => view.getUint16(i * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
