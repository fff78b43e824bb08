/** Addresses of cells, such as `C17`. */

const LETTER_A = 65;
/** The columns and rows of a sheet. */
export const SHEET_COLUMNS = 16_384;
export const SHEET_ROWS = 1_048_576;

/** The letters of a column, which is counted from 0. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(LETTER_A + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** The column in an address, from 0; -1 when it has none. */
export function columnOf(address: string): number {
  let column = 0;
  for (let at = 0; at < address.length; at += 1) {
    const letter = address.charCodeAt(at) - LETTER_A;
    if (letter < 0 || letter > 25) break;
    column = column * 26 + letter + 1;
    if (column > SHEET_COLUMNS) return SHEET_COLUMNS;
  }
  return column - 1;
}
