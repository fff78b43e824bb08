/** Entries of lists as people type and paste them. */

/** The entries of a text: a comma, a tab or the end of a line parts them, unless quotes are around. */
export function splitEntries(text: string): readonly string[] {
  const parts = text.match(/"(?:[^"]|"")*"|[^,\t\r\n]+/g) ?? [];
  return parts
    .map((part) => part.trim())
    .map((part) => (/^".*"$/s.test(part) ? part.slice(1, -1).replaceAll('""', '"') : part))
    .filter((part) => part !== '');
}

/** An entry as the API takes it; what is no number stays a text, about which the server speaks. */
export function toEntry(text: string, isNumeric: boolean): string | number {
  const number = Number(text);
  return isNumeric && Number.isFinite(number) ? number : text;
}
