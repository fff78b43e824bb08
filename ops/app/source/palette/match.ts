/** How well a text fits what was typed: every word that was typed has to be in it, in any order. */

/** How a typed word is in a text, the better the higher. */
const SCORES = { whole: 5, start: 4, inside: 2, initials: 1 } as const;

const simple = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function wordsOf(text: string): readonly string[] {
  return simple(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Whether the letters are in the word in their order, from its first letter on: `pblshr` in `publisher`. */
function isScattered(letters: string, word: string): boolean {
  if (letters.length < 2 || letters[0] !== word[0]) return false;
  let at = 0;
  for (const letter of letters) {
    at = word.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function wordScore(typed: string, words: readonly string[]): number {
  if (words.includes(typed)) return SCORES.whole;
  if (words.some((word) => word.startsWith(typed))) return SCORES.start;
  if (words.some((word) => word.includes(typed))) return SCORES.inside;
  const initials = words.map(([first]) => first).join('');
  const isShort = initials.startsWith(typed) || words.some((word) => isScattered(typed, word));
  return isShort ? SCORES.initials : 0;
}

/**
 * The score of a text, higher for what fits better; 0 for what does not fit.
 * @param typed a few words, or the beginnings of some
 */
export function matchScore(typed: string, text: string): number {
  const wanted = wordsOf(typed);
  const words = wordsOf(text);
  if (wanted.length === 0) return 0;
  const scores = wanted.map((word) => wordScore(word, words));
  if (scores.some((score) => score === 0)) return 0;
  const sum = scores.reduce((total, score) => total + score, 0);
  // What says less beside it is meant more often, and so is what begins with it.
  const begins = words[0]?.startsWith(wanted[0] ?? '') ? 0.5 : 0;
  return sum + begins + 1 / (1 + words.length);
}
