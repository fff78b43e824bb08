/** What the caller has pinned: collections and items. It is kept with the account. */
import { type KeptKind, useKept } from './kept.ts';

export interface Pin {
  readonly collection: string;
  /** Of an item: its key, and what it was called when it was pinned. */
  readonly item?: { readonly key: string; readonly title: string };
}

const NO_PINS: readonly Pin[] = [];
const PINS: KeptKind<readonly Pin[]> = { layout: 'home', member: 'pins', none: NO_PINS };

function isSame(one: Pin, other: Pin): boolean {
  return one.collection === other.collection && one.item?.key === other.item?.key;
}

/** The pins of the caller, and what pins and unpins; null where the caller may not keep any. */
export function usePins() {
  const { value: pins = NO_PINS, keep } = useKept(PINS);
  const isPinned = (pin: Pin) => pins.some((known) => isSame(known, pin));
  const toggle = (pin: Pin) =>
    keep?.((known) => {
      const others = known.filter((one) => !isSame(one, pin));
      return others.length < known.length ? others : [...known, pin];
    });
  return { pins, isPinned, toggle: keep === null ? null : toggle };
}
