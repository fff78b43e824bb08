/** Numbers as people type them in their language, and as the API takes them. */
import { useState } from 'react';
import { sameValue } from './values.ts';

/** Digits, in groups or not, with a comma before the decimals: `12,50`, `1.234,5`. */
const WITH_COMMA = /^(\s*-?)(\d{1,3}(?:\.\d{3})+|\d+),(\d+)(\s*)$/;

function readsComma(locale: string): boolean {
  const parts = new Intl.NumberFormat(locale).formatToParts(0.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',');
}

/** The typed text with a decimal point, where the language has a comma; any other text as it is. */
export function withPoint(text: string, locale: string): string {
  const found = WITH_COMMA.exec(text);
  if (found === null || !readsComma(locale)) return text;
  const [, before = '', digits = '', decimals = '', after = ''] = found;
  return `${before}${digits.replaceAll('.', '')}.${decimals}${after}`;
}

/** A stored number as it is typed: with a comma where the language has one. */
export function withComma(text: string, locale: string): string {
  return readsComma(locale) && /^\s*-?\d+\.\d+\s*$/.test(text) ? text.replace('.', ',') : text;
}

/**
 * Keeps a typed text as long as it means the value, so that `1.0` stays on its way to `1.05`. A text
 * that is no value yet, such as a minus, stays until the value changes.
 * @param written the value as a text, when it was not typed here
 * @param read the value of a text
 * @param isValue whether that is a value of the field
 */
export function useTyped(
  value: unknown,
  written: string,
  read: (text: string) => unknown,
  isValue: (read: unknown) => boolean = () => true,
) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly at: unknown } | null>(null);
  const meant = typed === null ? undefined : read(typed.text);
  const isHalf = typed !== null && !isValue(meant) && sameValue(typed.at, value);
  const isKept = typed !== null && (isHalf || sameValue(meant, value));
  return {
    text: isKept ? typed.text : written,
    isHalf,
    setTyped: (text: string) => setTyped({ text, at: value }),
  };
}
