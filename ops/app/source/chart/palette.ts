/**
 * The colours of charts: people with any kind of colour blindness tell them apart, and each has a contrast of
 * 3:1 or more against its paper.
 */
const LIGHT = ['#0072b2', '#c75000', '#00856a', '#b04a87', '#8a6d00', '#4a5568'] as const;
const DARK = ['#56b4e9', '#f0a030', '#2fc39b', '#e39ac4', '#f0e442', '#b8c0cc'] as const;

/** The colours in their order, for a light or a dark paper. */
function chartColours(mode: 'light' | 'dark'): readonly string[] {
  return mode === 'dark' ? DARK : LIGHT;
}

/** The colour at a place; after the last one the first follows again. */
export function chartColour(mode: 'light' | 'dark', place: number): string {
  const colours = chartColours(mode);
  return colours[place % colours.length] ?? LIGHT[0];
}
