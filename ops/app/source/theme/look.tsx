/**
 * Gives the App its theme: light or dark as the user, the project or the device says, and from left
 * to right or from right to left as the user or the language says.
 */
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import rtlPlugin from '@mui/stylis-plugin-rtl';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import { projectQuery } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { type ChoiceWords, makeTheme } from './theme.ts';

export type Appearance = 'auto' | 'light' | 'dark';
export type Direction = 'auto' | 'ltr' | 'rtl';
export type Density = 'comfortable' | 'compact';

const CACHES = {
  ltr: createCache({ key: 'l' }),
  rtl: createCache({ key: 'r', stylisPlugins: [rtlPlugin] }),
} as const;

/** Languages that are written from right to left. */
const FROM_RIGHT = new Set(['ar', 'dv', 'fa', 'he', 'ku', 'ps', 'ug', 'ur', 'yi']);

/** What this browser shows; the account of the user sets it when somebody signs in. */
export function useAppearance() {
  return useStore<Appearance | null>('appearance', null);
}

export function useDirection() {
  return useStore<Direction>('direction', 'auto');
}

/** How much room the controls and rows have. It depends on the screen, and is kept in its browser alone. */
export function useDensity() {
  return useStore<Density>('density', 'comfortable');
}

/** The same object as long as the language is the same. */
function useChoiceWords(): ChoiceWords {
  const translate = useTranslate();
  const openText = translate('interface.open');
  const closeText = translate('shell.close');
  const clearText = translate('interface.clear');
  const noOptionsText = translate('interface.noOptions');
  const loadingText = translate('shell.loading');
  return useMemo(
    () => ({ openText, closeText, clearText, noOptionsText, loadingText }),
    [openText, closeText, clearText, noOptionsText, loadingText],
  );
}

export function Look({ children }: { readonly children: ReactNode }) {
  const [appearance] = useAppearance();
  const [wanted] = useDirection();
  const [density] = useDensity();
  const compact = density === 'compact';
  const [locale] = useLocaleState();
  const project = useQuery(projectQuery).data;
  const deviceIsDark = useMediaQuery('(prefers-color-scheme: dark)', { noSsr: true });
  const asked = appearance ?? project?.default_appearance ?? 'auto';
  const dark = asked === 'dark' || (asked !== 'light' && deviceIsDark);
  const byLanguage = FROM_RIGHT.has(locale.split('-')[0] ?? '') ? 'rtl' : 'ltr';
  const direction = wanted === 'auto' ? byLanguage : wanted;
  const colour = project?.project_color;
  const words = useChoiceWords();
  const theme = useMemo(
    () => makeTheme({ dark, direction, colour, words, compact }),
    [dark, direction, colour, words, compact],
  );
  useEffect(() => {
    const root = document.documentElement;
    root.lang = locale;
    root.dir = direction;
    root.style.colorScheme = dark ? 'dark' : 'light';
  }, [locale, direction, dark]);
  return (
    <CacheProvider value={CACHES[direction]}>
      <ThemeProvider theme={theme}>
        <CssBaseline />
        {children}
      </ThemeProvider>
    </CacheProvider>
  );
}
