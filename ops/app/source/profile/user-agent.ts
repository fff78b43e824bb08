/** What a user agent says of itself, in the words of people. */

const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const MOBILE = /\bMobile\b|\bAndroid\b|\biPhone\b|\biPad\b/;

export interface Agent {
  /** Browser and system, or the program; null when it says nothing. */
  readonly name: string | null;
  readonly isMobile: boolean;
}

export function agentOf(text: string | null): Agent {
  if (text === null || text === '') return { name: null, isMobile: false };
  const named = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(text))?.[1];
  const browser = named(BROWSERS);
  // Programs name themselves first: `curl/8.5.0`.
  const program = text.split(/[\s/]/, 1)[0] ?? text;
  const name =
    browser === undefined ? program : [browser, named(SYSTEMS)].filter(Boolean).join(' · ');
  return { name, isMobile: MOBILE.test(text) };
}
