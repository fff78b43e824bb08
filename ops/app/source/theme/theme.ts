/** The look of the App: colours, type and the shape of controls, light and dark. */
import {
  alpha,
  createTheme,
  darken,
  getContrastRatio,
  lighten,
  type Theme,
} from '@mui/material/styles';

const ACCENT = '#6644ff';
/** WCAG 2.2 AA for text of a normal size. */
const READABLE = 4.5;
const FONTS =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Open Sans", Arial, sans-serif';

/** The colour of the project, lightened or darkened until text in it can be read on the paper. */
function readableColour(colour: string, paper: string, dark: boolean): string {
  const move = dark ? lighten : darken;
  for (let step = 0; step <= 10; step += 1) {
    const candidate = move(colour, step / 10);
    if (getContrastRatio(candidate, paper) >= READABLE) return candidate;
  }
  return dark ? '#ffffff' : '#000000';
}

/** What the buttons and messages of a list of choices say; MUI itself knows English alone. */
export interface ChoiceWords {
  readonly openText: string;
  readonly closeText: string;
  readonly clearText: string;
  readonly noOptionsText: string;
  readonly loadingText: string;
}

interface Look {
  readonly dark: boolean;
  readonly direction: 'ltr' | 'rtl';
  readonly colour: string | undefined;
  readonly words: ChoiceWords;
  /** Whether rows and controls stand closer. */
  readonly compact: boolean;
}

const HEX_COLOUR = /^#[0-9a-f]{6}$/i;

const LIGHT = {
  background: { default: '#f6f7f9', paper: '#ffffff' },
  text: { primary: '#1b1f27', secondary: '#565e6c' },
  divider: '#e2e5ea',
} as const;

const DARK = {
  background: { default: '#12151b', paper: '#1a1e26' },
  text: { primary: '#e9ecf1', secondary: '#a3abb8' },
  divider: '#2d333e',
} as const;

/** Makes the theme of MUI for a look. */
export function makeTheme({ dark, direction, colour, words, compact }: Look): Theme {
  const accent = colour !== undefined && HEX_COLOUR.test(colour) ? colour : ACCENT;
  const surface = dark ? DARK : LIGHT;
  const primary = readableColour(accent, surface.background.paper, dark);
  return createTheme({
    direction,
    motion: { reducedMotion: 'system' },
    palette: {
      mode: dark ? 'dark' : 'light',
      contrastThreshold: READABLE,
      primary: { main: primary },
      action: { selected: alpha(primary, dark ? 0.2 : 0.1) },
      error: { main: dark ? '#ff8a80' : '#c62828' },
      success: { main: dark ? '#7bd48a' : '#1f7a35' },
      warning: { main: dark ? '#ffb74d' : '#9a5b00' },
      ...surface,
    },
    shape: { borderRadius: 8 },
    spacing: compact ? 6 : 8,
    typography: {
      fontFamily: FONTS,
      fontSize: 14,
      h1: { fontSize: '1.375rem', fontWeight: 650, lineHeight: 1.3 },
      h2: { fontSize: '1.0625rem', fontWeight: 650, lineHeight: 1.4 },
      h3: { fontSize: '0.9375rem', fontWeight: 650, lineHeight: 1.4 },
      button: { textTransform: 'none', fontWeight: 600 },
    },
    components: {
      MuiInputBase: { styleOverrides: { root: { fontSize: '0.875rem' } } },
      MuiTypography: {
        styleOverrides: {
          root: {
            // MUI itself knows it by another name.
            variants: [
              { props: { color: 'text.secondary' }, style: { color: surface.text.secondary } },
            ],
          },
        },
      },
      // The ripple alone is too faint to be seen.
      MuiButtonBase: {
        styleOverrides: {
          root: { '&.Mui-focusVisible': { outline: `2px solid ${primary}`, outlineOffset: 1 } },
        },
      },
      // What a field is for can be read also when it cannot be changed.
      MuiFormHelperText: {
        styleOverrides: {
          root: { overflowWrap: 'anywhere', '&.Mui-disabled': { color: surface.text.secondary } },
        },
      },
      // Names may be long, and without a space.
      MuiFormControlLabel: { styleOverrides: { label: { minWidth: 0, overflowWrap: 'anywhere' } } },
      MuiAutocomplete: { defaultProps: words },
      // The screen below is there again at once: the focus goes back into it before the dialog has faded.
      MuiDialog: { defaultProps: { closeAfterTransition: false } },
      // On a narrow screen, long words stand below each other.
      MuiDialogActions: { styleOverrides: { root: { flexWrap: 'wrap', rowGap: 8 } } },
      MuiButton: { defaultProps: { disableElevation: true } },
      MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } } },
      MuiTextField: { defaultProps: { size: 'small', fullWidth: true } },
      MuiSelect: { defaultProps: { size: 'small' } },
      MuiTooltip: { defaultProps: { enterDelay: 500, describeChild: false } },
      MuiTableCell: {
        styleOverrides: {
          root: { borderColor: surface.divider, ...(compact && { paddingBlock: 2 }) },
        },
      },
      MuiCheckbox: { styleOverrides: { root: compact ? { padding: 4 } : {} } },
      MuiCssBaseline: {
        styleOverrides: {
          '*:focus-visible': { outline: `2px solid ${primary}`, outlineOffset: 1 },
          // Links in running text, which the browser would colour for a white page.
          'a:not([class])': { color: primary, textUnderlineOffset: '0.2em' },
          // Fields show their focus by their border.
          'input:not([type=color]):focus-visible, textarea:focus-visible': { outline: 'none' },
          // Without backgrounds, what is current and what a button is are shown by a line.
          '@media (forced-colors: active)': {
            '[aria-current=page]:not(:focus-visible), .MuiButton-contained:not(:focus-visible)': {
              outline: '1px solid',
              outlineOffset: -1,
            },
          },
          '@media (prefers-reduced-motion: reduce)': {
            // However short, a transition keeps what appears from having the focus at once.
            '*, *::before, *::after': { transition: 'none !important' },
          },
        },
      },
    },
  });
}
