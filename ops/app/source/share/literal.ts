/** Writes values as JavaScript and GraphQL do: names of members stand without quotes where they may. */

/** How much fits into a line. */
const LINE = 76;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

function writeOnOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeOnOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(
    ([name, member]) => `${nameOf(name)}: ${writeOnOneLine(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function nameOf(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

/**
 * Writes a value as a literal, over several lines where one is too short.
 * @param indent the blanks before the line in which the literal begins
 */
export function writeLiteral(value: unknown, indent = ''): string {
  const line = writeOnOneLine(value);
  if (typeof value !== 'object' || value === null) return line;
  if (indent.length + line.length <= LINE) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((part) => writeLiteral(part, inner))
    : Object.entries(value).map(
        ([name, member]) => `${nameOf(name)}: ${writeLiteral(member, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}
