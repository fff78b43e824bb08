/** Finds the ends of JSON texts of any length, and the nesting depth of lists and objects. */

/** The position after a text that begins at a quote; the end of the JSON for an unclosed text. */
export function textEnd(json: string, quote: number): number {
  for (let from = quote + 1; ; ) {
    const end = json.indexOf('"', from);
    if (end < 0) return json.length;
    let before = end - 1;
    while (json[before] === '\\') before -= 1;
    // An even number of backslashes escapes each other, not the quote.
    if ((end - before) % 2 === 1) return end + 1;
    from = end + 1;
  }
}

/** The position after a list or an object that begins at a bracket. */
export function nestedEnd(json: string, bracket: number): number {
  let depth = 0;
  for (let at = bracket; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') at = textEnd(json, at) - 1;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return json.length;
}

/** Whether lists and objects are nested deeper than these levels. */
export function isDeeper(json: string, levels: number): boolean {
  if (json.length <= levels * 2) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') at = textEnd(json, at) - 1;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}
