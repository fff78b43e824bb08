/** Reads a JSON file into rows. */

import { reason } from '#core/base/errors/reason.ts';
import type { JsonElement } from './json-element.ts';
import { JsonRow, type JsonRowOptions, parseElement } from './json-row.ts';
import { JsonScanner } from './json-scanner.ts';
import { NdjsonScanner } from './ndjson-scanner.ts';
import { syntaxFault, UnreadableFile } from './row-fault.ts';
import type { RowHandler, RowReader } from './row-reader.ts';

/** The options for reading the rows of a JSON file. */
export interface JsonRowsOptions extends JsonRowOptions {
  readonly format: 'json' | 'ndjson';
}

/** Reads the objects of the file. */
export function jsonRows(options: JsonRowsOptions, handler: RowHandler): RowReader {
  const row = new JsonRow(options);
  const take = (element: JsonElement) => {
    row.fill(element, (name) => handler.member(name, row.number));
    handler.row(row);
  };
  const next = () => row.number + 1;
  const scanner =
    options.format === 'json'
      ? new JsonScanner({
          element(element) {
            row.number += 1;
            take(element);
          },
          row: next,
        })
      : new NdjsonScanner({
          element(element) {
            row.number += 1;
            try {
              take(element);
            } catch (error) {
              // The next line can be read nevertheless.
              if (!(error instanceof UnreadableFile)) throw error;
              handler.fault(error.fault, element.text);
            }
          },
          badEncoding(line) {
            row.number += 1;
            const place = { line, column: 1 };
            handler.fault(syntaxFault(reason('line_not_utf8'), row.number, place), '');
          },
        });
  return { push: (chunk) => scanner.push(chunk), end: () => scanner.end(), next };
}

/** The names of the members of the objects at the beginning of a file, in order of appearance. */
export async function jsonMembers(
  format: JsonRowsOptions['format'],
  source: AsyncIterable<Buffer>,
): Promise<string[]> {
  const names = new Set<string>();
  let rows = 0;
  const element = (object: JsonElement) => {
    rows += 1;
    for (const name of Object.keys(parseElement(object, rows))) names.add(name);
  };
  const scanner =
    format === 'json'
      ? new JsonScanner({ element, row: () => rows + 1 })
      : new NdjsonScanner({ element, badEncoding: () => undefined });
  try {
    for await (const chunk of source) {
      scanner.push(chunk);
      if (rows > 0) return [...names];
    }
    scanner.end();
  } catch (error) {
    // Later faults, and those of single lines, are found when the rows are read.
    if (rows < 2 && format === 'json') throw error;
  }
  return [...names];
}
