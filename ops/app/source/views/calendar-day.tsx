/** A day of a calendar: its items, and a way to make another one on it. */
import { useDroppable } from '@dnd-kit/core';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import type { KeyboardEvent, ReactNode } from 'react';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { useFocusWhen } from './use-focus-when.ts';

export interface CalendarDayProps {
  readonly day: string;
  readonly isToday: boolean;
  /** Whether it is in the month that is shown. */
  readonly isOutside: boolean;
  /** Makes an item on this day; null where the caller may not. */
  readonly onCreate: (() => void) | null;
  /** Shows the items of the day. */
  readonly onOpen: () => void;
  /** Whether Tab comes to it. */
  readonly isActive: boolean;
  readonly takesFocus: boolean;
  readonly onFocus: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly children: ReactNode;
}

/** The items that a day has no room for; null for none. */
export interface RestProps {
  readonly day: string;
  /** All items of the day. */
  readonly all: number;
  readonly text: string;
  readonly isActive: boolean;
  readonly onOpen: () => void;
}

/** A day in words. */
export function dayInWords(day: string, locale: string, style: 'full' | 'long' | 'medium'): string {
  const date = new Date(`${day}T00:00:00Z`);
  return new Intl.DateTimeFormat(locale, { dateStyle: style, timeZone: 'UTC' }).format(date);
}

export function CalendarDay(props: CalendarDayProps) {
  const { day, isToday, isOutside, onCreate, onOpen, isActive, takesFocus, children } = props;
  const button = useFocusWhen<HTMLButtonElement>(takesFocus);
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { setNodeRef, isOver } = useDroppable({ id: day });
  const words = dayInWords(day, locale, 'full');
  const number = (
    <Box
      component="span"
      aria-hidden
      sx={{
        ...{ display: 'grid', placeItems: 'center', minWidth: 24, height: 24, borderRadius: 12 },
        ...{ fontSize: 12.5, fontWeight: isToday ? 700 : 400 },
        color: isToday ? 'primary.contrastText' : isOutside ? 'text.secondary' : 'text.primary',
        ...(isToday && { bgcolor: 'primary.main' }),
      }}
    >
      {Number(day.slice(8))}
    </Box>
  );
  return (
    <Box
      component="td"
      ref={setNodeRef}
      {...(isToday && { 'aria-current': 'date' })}
      onClick={({ target, currentTarget }) => target === currentTarget && onCreate?.()}
      onFocus={props.onFocus}
      onKeyDown={props.onKeyDown}
      sx={{
        ...{ border: 1, borderColor: 'divider', verticalAlign: 'top', p: { xs: 0.25, sm: 0.5 } },
        bgcolor: isOver ? 'action.selected' : isOutside ? 'background.default' : 'background.paper',
        cursor: onCreate === null ? 'default' : 'pointer',
      }}
    >
      <ButtonBase
        ref={button}
        tabIndex={isActive ? 0 : -1}
        aria-label={onCreate === null ? words : translate('views.createOn', { day: words })}
        onClick={onCreate ?? onOpen}
        sx={{ borderRadius: 12, '&:hover': { bgcolor: 'action.hover' } }}
      >
        {number}
      </ButtonBase>
      {children}
    </Box>
  );
}

/** Leads to all items of a day. */
export function RestOfDay({ day, all, text, isActive, onOpen }: RestProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const words = dayInWords(day, locale, 'long');
  const label = translate('views.onDay', { smart_count: all, day: words });
  return (
    <Button
      size="small"
      color="inherit"
      tabIndex={isActive ? 0 : -1}
      onClick={onOpen}
      // The name has what is seen.
      aria-label={label.startsWith(text) ? label : `${text}, ${label}`}
      sx={{ p: 0, px: 0.5, minWidth: 24, fontSize: 12, justifyContent: 'flex-start' }}
    >
      {text}
    </Button>
  );
}
