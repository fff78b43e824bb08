/** The look of the App: colours, type and the shape of controls, light and dark. */
import {
  alpha,
  createTheme,
  darken,
  getContrastRatio,
  lighten,
  type Theme,
} from '@mui/material/styles';
import {
  COMPACT_SPACE,
  type Colours,
  DARK,
  ELEVATION,
  FONT,
  LIGHT,
  MOTION,
  RADIUS,
  SPACE,
  TYPE,
  WEIGHT,
} from '../../../../core/base/design/tokens.ts';

/** WCAG 2.2 AA for text of a normal size. */
const READABLE = 4.5;

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

/** The colours of a scheme by the names of MUI. */
function paletteOf({ page, surface, text, quietText, line, error, success, warning }: Colours) {
  return {
    background: { default: page, paper: surface },
    text: { primary: text, secondary: quietText },
    divider: line,
    error: { main: error },
    success: { main: success },
    warning: { main: warning },
  };
}

/** Makes the theme of MUI for a look. */
export function makeTheme({ dark, direction, colour, words, compact }: Look): Theme {
  const accent = colour !== undefined && HEX_COLOUR.test(colour) ? colour : LIGHT.accent;
  const scheme = dark ? DARK : LIGHT;
  const surface = paletteOf(scheme);
  const primary = readableColour(accent, scheme.surface, dark);
  return createTheme({
    direction,
    motion: { reducedMotion: 'system' },
    palette: {
      mode: dark ? 'dark' : 'light',
      contrastThreshold: READABLE,
      primary: { main: primary },
      action: { selected: alpha(primary, dark ? 0.2 : 0.1) },
      ...surface,
    },
    spacing: compact ? COMPACT_SPACE : SPACE,
    shape: { borderRadius: RADIUS.outer },
    transitions: {
      duration: { shortest: MOTION.state, shorter: MOTION.state, enteringScreen: MOTION.enter },
    },
    typography: {
      fontFamily: FONT.text,
      fontSize: 14,
      h1: { fontSize: `${TYPE.title}rem`, fontWeight: WEIGHT.heading, lineHeight: 1.3 },
      h2: { fontSize: `${TYPE.heading}rem`, fontWeight: WEIGHT.heading, lineHeight: 1.4 },
      h3: { fontSize: '0.9375rem', fontWeight: WEIGHT.heading, lineHeight: 1.4 },
      button: { textTransform: 'none', fontWeight: WEIGHT.strong },
    },
    components: {
      MuiInputBase: { styleOverrides: { root: { fontSize: `${TYPE.body}rem` } } },
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
      MuiDialog: {
        defaultProps: { closeAfterTransition: false },
        styleOverrides: { paper: { boxShadow: ELEVATION.dialog } },
      },
      // On a narrow screen, long words stand below each other.
      MuiDialogActions: { styleOverrides: { root: { flexWrap: 'wrap', rowGap: 8 } } },
      MuiMenu: { styleOverrides: { paper: { boxShadow: ELEVATION.menu } } },
      MuiButton: { defaultProps: { disableElevation: true } },
      MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } } },
      MuiTextField: { defaultProps: { size: 'small', fullWidth: true } },
      // The gap in the outline is as wide as the label, whose size does not follow the input.
      MuiOutlinedInput: {
        styleOverrides: { notchedOutline: { '& > legend': { fontSize: '0.75rem' } } },
      },
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
