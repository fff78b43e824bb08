/** The cells of one frame, as positions in its bytes. */
import { isUtf8 } from 'node:buffer';
import { ABSENT, CELL_HEAD, FRAME_HEAD, NULL, TEXT } from './cell-frames.ts';

export class Cells {
  bytes: Buffer = Buffer.alloc(0);
  kinds = new Uint8Array(64);
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  count = 0;

  /** Finds the cells of the frame at a position. */
  find(bytes: Buffer, start: number): void {
    this.bytes = bytes;
    this.count = bytes.readUInt32LE(start + 12);
    if (this.count > this.kinds.length) {
      this.kinds = new Uint8Array(this.count * 2);
      this.starts = new Int32Array(this.count * 2);
      this.ends = new Int32Array(this.count * 2);
    }
    let at = start + FRAME_HEAD;
    for (let cell = 0; cell < this.count; cell += 1) {
      const size =
        (bytes[at + 1] ?? 0) |
        ((bytes[at + 2] ?? 0) << 8) |
        ((bytes[at + 3] ?? 0) << 16) |
        ((bytes[at + 4] ?? 0) << 24);
      this.kinds[cell] = bytes[at] ?? ABSENT;
      this.starts[cell] = at + CELL_HEAD;
      at += CELL_HEAD + size;
      this.ends[cell] = at;
    }
  }

  kind(cell: number): number {
    return cell < this.count ? (this.kinds[cell] ?? ABSENT) : ABSENT;
  }

  text(cell: number): string {
    return this.bytes.toString('utf8', this.starts[cell] ?? 0, this.ends[cell] ?? 0);
  }

  /** The bytes as PostgreSQL writes them. */
  hex(cell: number): string {
    return `\\x${this.bytes.toString('hex', this.starts[cell] ?? 0, this.ends[cell] ?? 0)}`;
  }

  isUtf8(cell: number): boolean {
    return isUtf8(this.bytes.subarray(this.starts[cell] ?? 0, this.ends[cell] ?? 0));
  }

  hasValue(cell: number): boolean {
    const kind = this.kinds[cell];
    if (kind === TEXT) return this.starts[cell] !== this.ends[cell];
    return kind !== ABSENT && kind !== NULL;
  }

  hasValues(): boolean {
    for (let cell = 0; cell < this.count; cell += 1) if (this.hasValue(cell)) return true;
    return false;
  }
}
