/** A state as a coloured chip: the same text has the same colour everywhere. */
import Chip from '@mui/material/Chip';

/** Hues that people with the usual forms of colour blindness tell apart; the text says the state. */
const HUES = [210, 30, 165, 285, 55, 340];
/** Words whose colour people expect. */
const EXPECTED: readonly (readonly [hue: number, words: RegExp])[] = [
  [140, /^(active|published|done|paid|approved|completed?|delivered|shipped|success|open)$/i],
  [0, /^(failed|cancell?ed|rejected|deleted|error|overdue|blocked|refused)$/i],
  [40, /^(pending|waiting|draft|in[ _-]?progress|review|paused|on[ _-]?hold)$/i],
];

/** The hue (degrees) of a text. */
function hueOf(text: string): number {
  const expected = EXPECTED.find(([, words]) => words.test(text));
  if (expected !== undefined) return expected[0];
  let sum = 0;
  for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return HUES[sum % HUES.length] ?? 0;
}

export function StateChip({ text, of = text }: { readonly text: string; readonly of?: string }) {
  const hue = hueOf(of);
  return (
    <Chip
      size="small"
      label={text}
      sx={(theme) => ({
        ...{ bgcolor: `hsl(${hue} 65% 92%)`, color: `hsl(${hue} 70% 22%)` },
        ...theme.applyStyles('dark', {
          ...{ backgroundColor: `hsl(${hue} 35% 22%)`, color: `hsl(${hue} 75% 86%)` },
        }),
      })}
    />
  );
}
