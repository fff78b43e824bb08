/**
 * The design tokens of everything that Sluice shows: the App, the documentation, the page of the API,
 * the monitor and mails. `ops/docs/design.md` says how they are used.
 */

/** The colours of a scheme, as CSS colours of six digits. Text of each has a contrast of 4.5 or more. */
export interface Colours {
  /** Behind everything. */
  readonly page: string;
  /** Cards, tables, menus and dialogs. */
  readonly surface: string;
  /** Wells: code, table heads, what is behind a control. */
  readonly sunken: string;
  readonly text: string;
  readonly quietText: string;
  readonly line: string;
  /** Links, the main button, the current entry, the focus. */
  readonly accent: string;
  readonly accentSoft: string;
  readonly error: string;
  readonly success: string;
  readonly warning: string;
}

export const LIGHT: Colours = {
  page: '#f6f7f9',
  surface: '#ffffff',
  sunken: '#eff1f5',
  text: '#1b1f27',
  quietText: '#565e6c',
  line: '#e2e5ea',
  accent: '#6644ff',
  accentSoft: '#eeeaff',
  error: '#c62828',
  success: '#1f7a35',
  warning: '#9a5b00',
};

export const DARK: Colours = {
  page: '#12151b',
  surface: '#1a1e26',
  sunken: '#20252f',
  text: '#e9ecf1',
  quietText: '#a3abb8',
  line: '#2d333e',
  accent: '#a594ff',
  accentSoft: '#2a2450',
  error: '#ff8a80',
  success: '#7bd48a',
  warning: '#ffb74d',
};

/** The families of fonts. Inter is part of the App and the documentation; pages without it use the system's font. */
export const FONT = {
  text: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif',
  code: 'ui-monospace, "Cascadia Code", "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
} as const;

/** The scale of type: sizes in rem. */
export const TYPE = {
  small: 0.8125,
  body: 0.875,
  reading: 1,
  heading: 1.0625,
  title: 1.375,
} as const;

/** The weights of type. */
export const WEIGHT = { text: 400, strong: 600, heading: 650 } as const;

/** The step of all distances, in pixels; distances are 1, 2, 3, 4, 6 or 8 steps. */
export const SPACE = 8;

/** The same in the compact view of the App. */
export const COMPACT_SPACE = 6;

/** The radius of corners, in pixels: controls and cards, and what stands inside them. */
export const RADIUS = { outer: 8, inner: 6 } as const;

/** Shadows, for what lies above the page: menus and dialogs. Cards have a line instead. */
export const ELEVATION = {
  menu: '0 4px 16px rgb(12 16 24 / 16%)',
  dialog: '0 12px 40px rgb(12 16 24 / 24%)',
} as const;

/** Durations of motion, in milliseconds: a change of state, and what enters or leaves the screen. */
export const MOTION = { state: 120, enter: 200 } as const;
