/** How large the cards are, so that they can be laid out before they are drawn. */
import type { PictureCard } from './graph.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const CARD_WIDTH = 232;
export const HEAD_HEIGHT = 44;
export const ROW_HEIGHT = 26;
const BORDERS = 2;

export function cardHeight({ rows, hidden }: PictureCard): number {
  return HEAD_HEIGHT + (rows.length + (hidden > 0 ? 1 : 0)) * ROW_HEIGHT + BORDERS;
}

/** Where an edge meets a row, from the top of its card. */
export function rowMiddle({ rows }: PictureCard, field: string): number {
  const place = rows.findIndex((row) => row.field === field);
  return HEAD_HEIGHT + 1 + (place + 0.5) * ROW_HEIGHT;
}
