/** Reads the rows of a sheet as frames, without keeping them. */
import { reason } from '#core/base/errors/reason.ts';
import { syntaxFault, UnreadableFile } from '../row-fault.ts';
import {
  ABSENT,
  ERROR,
  FrameWriter,
  LITERAL,
  MOMENT,
  NO_RESULT,
  TEXT,
} from '../table/cell-frames.ts';
import { columnOf, SHEET_COLUMNS, SHEET_ROWS } from './address.ts';
import { momentText } from './number-format.ts';
import type { OpenSheet } from './workbook.ts';
import { type Attributes, requireShort, unescaped, type XmlHandler, xmlSteps } from './xml-part.ts';

/** Frames are delivered from this size on. */
const BATCH = 128 * 1024;
/** Numbers of this length are written with digits that are only rounding. */
const EXACT_LENGTH = 15;

function outOfOrder(row: number): UnreadableFile {
  return new UnreadableFile(syntaxFault(reason('sheet_out_of_order', { row }), null, null));
}

/** A number in its shortest form; digits of whole numbers are kept. */
function numberText(text: string): string {
  if (text.length <= EXACT_LENGTH && !/[eE]/.test(text)) return text;
  if (/^-?\d+$/.test(text)) return text;
  const value = Number(text);
  return Number.isFinite(value) ? String(value) : text;
}

/** Turns the elements of a sheet into frames. */
class SheetHandler implements XmlHandler {
  readonly out = new FrameWriter();
  readonly #sheet: OpenSheet;
  /** The row before the first one that is wanted. */
  readonly #before: number;
  #isData = false;
  #row = 0;
  #column = 0;
  #isWanted = false;
  #type = 'n';
  #style = 0;
  #hasFormula = false;
  #value: string | null = null;
  #inline: string | null = null;
  #isReading: 'value' | 'inline' | null = null;
  #guides = 0;

  constructor(sheet: OpenSheet, before: number) {
    this.#sheet = sheet;
    this.#before = before;
  }

  open(name: string, attributes: Attributes): void {
    if (!this.#isData) {
      this.#isData = name === 'sheetData';
      return;
    }
    if (name === 'c') this.#openCell(attributes);
    else if (name === 'v') {
      this.#isReading = 'value';
      this.#value = '';
    } else if (name === 'row') this.#openRow(attributes);
    else if (name === 't') {
      if (this.#guides === 0) this.#isReading = 'inline';
      this.#inline ??= '';
    } else if (name === 'f') this.#hasFormula = true;
    else if (name === 'rPh') this.#guides += 1;
  }

  text(text: string): void {
    if (this.#isReading === 'value') this.#value += text;
    else if (this.#isReading === 'inline') {
      this.#inline += text;
      requireShort(this.#sheet.part, this.#inline ?? '');
    }
  }

  close(name: string): void {
    if (!this.#isData) return;
    if (name === 'c') this.#closeCell();
    else if (name === 'v' || name === 't') this.#isReading = null;
    else if (name === 'row') {
      if (this.#isWanted) this.out.end();
      this.#isWanted = false;
    } else if (name === 'rPh') this.#guides -= 1;
    else if (name === 'sheetData') this.#isData = false;
  }

  #openRow({ r }: Attributes): void {
    const row = r === undefined ? this.#row + 1 : Number(r);
    if (!Number.isInteger(row) || row <= this.#row || row > SHEET_ROWS) throw outOfOrder(this.#row);
    this.#row = row;
    this.#column = 0;
    this.#isWanted = row > this.#before;
    if (this.#isWanted) this.out.begin(row - this.#before, row);
  }

  #openCell({ r, t, s }: Attributes): void {
    const column = r === undefined ? this.#column : columnOf(r);
    if (column < this.#column || column >= SHEET_COLUMNS) throw outOfOrder(this.#row);
    this.#column = column;
    this.#type = t ?? 'n';
    this.#style = s === undefined ? 0 : Number(s);
    this.#hasFormula = false;
    this.#value = null;
    this.#inline = null;
  }

  #closeCell(): void {
    const column = this.#column;
    this.#column += 1;
    if (!this.#isWanted) return;
    const isEmpty = this.#value === null && this.#inline === null;
    if (isEmpty && !this.#hasFormula) return;
    this.out.pad(column);
    if (isEmpty) this.out.text(ERROR, NO_RESULT);
    else this.#write(this.#value ?? '');
  }

  #write(value: string): void {
    const { out } = this;
    switch (this.#type) {
      case 's':
        this.#shared(value);
        break;
      case 'inlineStr':
        out.text(TEXT, unescaped(this.#inline ?? value));
        break;
      case 'str':
        out.text(TEXT, unescaped(value));
        break;
      case 'b':
        out.text(LITERAL, value.trim() === '1' ? 'true' : 'false');
        break;
      case 'e':
        out.text(ERROR, value === '' ? '#?' : value);
        break;
      case 'd':
        out.text(MOMENT, value.trim());
        break;
      default:
        this.#number(value.trim());
    }
  }

  #shared(value: string): void {
    const found = this.#sheet.strings.get(Number.parseInt(value, 10));
    if (found === undefined) throw outOfOrder(this.#row);
    this.out.bytes(TEXT, found.bytes, found.start, found.end);
  }

  #number(value: string): void {
    if (value === '') {
      this.out.empty(ABSENT);
      return;
    }
    const format = this.#sheet.moments[this.#style] ?? null;
    const moment =
      format === null ? null : momentText(Number(value), format, this.#sheet.since1904);
    if (moment === null) this.out.text(LITERAL, numberText(value));
    else this.out.text(MOMENT, moment);
  }
}

/**
 * The rows of a sheet after a row, which get numbers from 1.
 * @param read is called with the bytes of the sheet as they are read
 */
export async function* sheetFrames(
  sheet: OpenSheet,
  before: number,
  read: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const handler = new SheetHandler(sheet, before);
  const { parts, part } = sheet;
  for await (const bytes of xmlSteps(part, parts.read(part), handler)) {
    read(bytes);
    if (handler.out.length >= BATCH) yield handler.out.take();
  }
  yield handler.out.take();
}
