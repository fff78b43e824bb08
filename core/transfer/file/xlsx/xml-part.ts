/** Parses a part of a workbook as XML, chunk by chunk and without entities of its own. */
import { SaxesParser } from 'saxes';
import { reason } from '#core/base/errors/reason.ts';
import { syntaxFault, UnreadableFile } from '../row-fault.ts';
import { damagedWorkbook } from './zip-parts.ts';

/** Bytes between two tags, and of one text: a cell has up to 32,767 characters. */
const TEXT_MAX = 8 * 1024 * 1024;
/** Bytes that are parsed at once: a short element can stand for a row of many cells. */
const SLICE = 8 * 1024;
/** Elements inside of each other. */
const DEPTH_MAX = 200;

/** @throws {UnreadableFile} when a text of several elements is too long */
export function requireShort(part: string, text: string): void {
  if (text.length > TEXT_MAX) throw tooLong(part);
}

function tooLong(part: string): UnreadableFile {
  const why = reason('workbook_text_too_long', { part, limit: TEXT_MAX });
  return new UnreadableFile(syntaxFault(why, null, null));
}

export type Attributes = Readonly<Record<string, string>>;

/** Receives the elements of a part by their names without prefixes. */
export interface XmlHandler {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(text: string): void;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Parses a part; a step yields after each slice. @throws {UnreadableFile} when it is malformed */
export async function* xmlSteps(
  part: string,
  content: AsyncIterable<Buffer>,
  handler: XmlHandler,
): AsyncGenerator<number> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let failure: Error | null = null;
  let depth = 0;
  let since = 0;
  parser.on('error', (error) => {
    failure ??= error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    since = 0;
    depth += 1;
    handler.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    since = 0;
    depth -= 1;
    handler.close(localName(name));
  });
  parser.on('text', (text) => handler.text(text));
  parser.on('cdata', (text) => handler.text(text));
  const step = (write: () => void) => {
    try {
      write();
    } catch (error) {
      const isEncoding = error instanceof TypeError && 'code' in error;
      throw isEncoding ? damagedWorkbook(`${part} is not UTF-8`) : error;
    }
    if (failure !== null) throw damagedWorkbook(`${part}: ${failure.message}`);
    if (since > TEXT_MAX || depth > DEPTH_MAX) throw tooLong(part);
  };
  for await (const chunk of content) {
    for (let from = 0; from < chunk.length; from += SLICE) {
      const slice = chunk.subarray(from, from + SLICE);
      since += slice.length;
      step(() => parser.write(decoder.decode(slice, { stream: true })));
      yield slice.length;
    }
  }
  step(() => parser.write(decoder.decode()).close());
}

/** Parses a whole part. */
export async function readXml(
  part: string,
  content: AsyncIterable<Buffer>,
  handler: XmlHandler,
): Promise<void> {
  for await (const _ of xmlSteps(part, content, handler));
}

const ESCAPE = /_x([0-9a-fA-F]{4})_/g;

/** A text of a workbook, in which `_x000D_` is the character of that number (ECMA-376, 22.9.2.19). */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}
