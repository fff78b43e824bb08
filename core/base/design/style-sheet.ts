/** The design tokens as a style sheet, for pages that the App does not draw. */
import {
  type Colours,
  DARK,
  ELEVATION,
  FONT,
  LIGHT,
  MOTION,
  RADIUS,
  SPACE,
  TYPE,
} from './tokens.ts';

/** `quietText` becomes `--quiet-text`. */
function property(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function declarations(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${property(name)}: ${value};`)
    .join('\n');
}

function colours(scheme: Colours): string {
  return declarations({ ...scheme });
}

/** The tokens as custom properties of `:root`, dark where the device is dark. */
export function tokenStyleSheet(): string {
  const shared = declarations({
    fontText: FONT.text,
    fontCode: FONT.code,
    ...Object.fromEntries(
      Object.entries(TYPE).map(([name, size]) => [`size-${name}`, `${size}rem`]),
    ),
    space: `${SPACE}px`,
    radius: `${RADIUS.outer}px`,
    radiusInner: `${RADIUS.inner}px`,
    shadowMenu: ELEVATION.menu,
    shadowDialog: ELEVATION.dialog,
    motionState: `${MOTION.state}ms`,
    motionEnter: `${MOTION.enter}ms`,
  });
  return `:root {
color-scheme: light dark;
${shared}
${colours(LIGHT)}
}
@media (prefers-color-scheme: dark) {
:root {
${colours(DARK)}
}
}
`;
}
