/**
 * Checks whether all values of a column differ, in bounded memory: ascending integers in one pass,
 * other values by 64-bit hashes, some millions of rows at a time.
 */

/** The number of hashes to compare at once; 32 MiB of them. */
const HASHES_MAX = 4_000_000;

/** Two 32-bit hashes of a text (murmur-like mixing of its units). */
function hash(text: string, into: Uint32Array, at: number): void {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x27d4eb2d);
    high = Math.imul(high ^ unit, 0x165667b1);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  into[at] = low;
  into[at + 1] = high;
}

/** Whether integers ascend; NaN never does. */
export class AscendingCheck {
  #last = Number.NEGATIVE_INFINITY;
  ascends = true;

  add(value: number): void {
    this.ascends &&= value > this.#last;
    this.#last = value;
  }
}

/**
 * Whether all of `count` values differ.
 * @param read passes the values to its argument; it is called again for each part of them
 */
export async function areUnique(
  count: number,
  read: (take: (value: string) => void) => Promise<void>,
): Promise<boolean> {
  const parts = Math.ceil(count / HASHES_MAX);
  for (let part = 0; part < parts; part += 1) {
    // The sizes of parts vary randomly.
    const capacity = parts === 1 ? count : Math.ceil((count / parts) * 1.1);
    const buffer = new ArrayBuffer(capacity * 8);
    const halves = new Uint32Array(buffer);
    const one = new Uint32Array(2);
    let found = 0;
    await read((value) => {
      hash(value, one, 0);
      if ((one[0] ?? 0) % parts !== part || found >= capacity) return;
      halves.set(one, found * 2);
      found += 1;
    });
    const hashes = new BigUint64Array(buffer, 0, found).sort();
    for (let index = 1; index < found; index += 1) {
      if (hashes[index] === hashes[index - 1]) return false;
    }
  }
  return true;
}
