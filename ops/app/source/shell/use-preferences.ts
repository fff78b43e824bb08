/**
 * What a user may choose about the App: language, time zone, appearance, density, direction. A choice
 * holds in this browser at once; all but the density are kept with the account where the user may write it.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../data/client.ts';
import { type KeptKind, useKept } from '../data/kept.ts';
import { type Me, meQuery, useRights } from '../data/queries.ts';
import { mayField } from '../data/rights.ts';
import { useChosenZone } from '../data/use-zone.ts';
import {
  type Appearance,
  type Density,
  type Direction,
  useAppearance,
  useDensity,
  useDirection,
} from '../theme/look.tsx';
import { LANGUAGES, languageOf } from '../translation/languages.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

export interface Preference {
  readonly text: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly choose: (value: string) => void;
}

const APPEARANCES: readonly Appearance[] = ['auto', 'light', 'dark'];
const DIRECTIONS: readonly Direction[] = ['auto', 'ltr', 'rtl'];
const DENSITIES: readonly Density[] = ['comfortable', 'compact'];
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const ZONE: KeptKind<string | null> = { layout: 'preferences', member: 'time_zone', none: null };

/** Takes over what the account says, once it is known. */
export function useAccountPreferences(): void {
  const me = useQuery(meQuery).data;
  const [, setLocale] = useLocaleState();
  const [, setAppearance] = useAppearance();
  const [, setDirection] = useDirection();
  const [, setZone] = useChosenZone();
  const { value: zone, keep: keepZone } = useKept(ZONE);
  const hasZone = zone !== undefined && keepZone !== null;
  useEffect(() => {
    if (hasZone) setZone(zone);
  }, [hasZone, zone, setZone]);
  useEffect(() => {
    if (me === undefined) return;
    if (me.language) setLocale(languageOf(me.language));
    setAppearance(APPEARANCES.find((known) => known === me.appearance) ?? null);
    setDirection(DIRECTIONS.find((known) => known === me.text_direction) ?? 'auto');
  }, [me, setLocale, setAppearance, setDirection]);
}

function useKeepWithAccount() {
  const queryClient = useQueryClient();
  const rights = useRights();
  const { mutate } = useMutation({
    mutationFn: (changes: Partial<Me>) => client.me.update(changes, { fields: ['id'] }),
  });
  return (changes: Partial<Me>) => {
    const allowed = Object.keys(changes).every((field) =>
      mayField(rights, 'system_users', 'update', field),
    );
    if (!allowed) return;
    queryClient.setQueryData(meQuery.queryKey, (me) => me && { ...me, ...changes });
    mutate(changes);
  };
}

/** The time zone that is chosen, null for that of the device, and what chooses another. */
export function useZonePreference() {
  const [chosen, setChosen] = useChosenZone();
  const { keep } = useKept(ZONE);
  const choose = (zone: string | null) => {
    setChosen(zone);
    void keep?.(() => zone);
  };
  return { chosen, choose };
}

export function usePreferences(): readonly Preference[] {
  const translate = useTranslate();
  const [locale, setLocale] = useLocaleState();
  const [appearance, setAppearance] = useAppearance();
  const [direction, setDirection] = useDirection();
  const [density, setDensity] = useDensity();
  const keep = useKeepWithAccount();
  return [
    {
      text: 'shell.language',
      value: languageOf(locale),
      options: LANGUAGES.map(({ locale: value, name }) => ({ value, label: name })),
      choose: (value) => {
        setLocale(value);
        keep({ language: value });
      },
    },
    {
      text: 'shell.appearance',
      value: appearance ?? 'auto',
      options: APPEARANCES.map((value) => ({
        value,
        label: translate(`shell.appearance${capital(value)}`),
      })),
      choose: (value) => {
        setAppearance(APPEARANCES.find((known) => known === value) ?? null);
        keep({ appearance: value });
      },
    },
    {
      text: 'shell.density',
      value: density,
      options: DENSITIES.map((value) => ({
        value,
        label: translate(`shell.density${capital(value)}`),
      })),
      choose: (value) => setDensity(DENSITIES.find((known) => known === value) ?? 'comfortable'),
    },
    {
      text: 'shell.direction',
      value: direction,
      options: DIRECTIONS.map((value) => ({
        value,
        label: translate(`shell.direction${capital(value)}`),
      })),
      choose: (value) => {
        setDirection(DIRECTIONS.find((known) => known === value) ?? 'auto');
        keep({ text_direction: value });
      },
    },
  ];
}
