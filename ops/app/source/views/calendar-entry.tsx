/** An item on a day of a calendar, moved to another day by dragging or with Shift and an arrow key. */
import { useDraggable } from '@dnd-kit/core';
import Box from '@mui/material/Box';
import { alpha } from '@mui/material/styles';
import type { KeyboardEvent } from 'react';
import { Link } from 'react-router-dom';
import { keyOf } from '../data/item-key.ts';
import { itemPath } from '../data/route-of.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { useZone } from '../data/use-zone.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import { dayOf } from './days.ts';
import { useFocusWhen } from './use-focus-when.ts';
import { nameOf, type ViewProps } from './view.ts';

export interface CalendarEntryProps {
  readonly view: ViewProps;
  readonly start: Field;
  readonly item: Item;
  readonly day: string;
  readonly isMovable: boolean;
  readonly takesFocus: boolean;
  /** Whether Tab comes to it. */
  readonly isActive: boolean;
  /** The id of the text that says how it is moved by keyboard. */
  readonly help: string;
  readonly onMove: (item: Item, from: string, days: number) => void;
}

const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 },
};

/** When on its first day an item begins; null for one of whole days, and on the days after it. */
function timeOf(
  { type, field }: Field,
  item: Item,
  day: string,
  locale: string,
  zone: string,
): string | null {
  const value = item[field];
  if (type === 'date' || typeof value !== 'string' || dayOf(type, value, zone) !== day) return null;
  const isZoned = type === 'timestamp';
  const time = new Date(isZoned ? value : `${value.replace(' ', 'T')}Z`);
  return new Intl.DateTimeFormat(locale, {
    ...{ hour: '2-digit', minute: '2-digit' },
    timeZone: isZoned ? zone : 'UTC',
  }).format(time);
}

export function CalendarEntry(props: CalendarEntryProps) {
  const { view, start, item, day, isMovable, takesFocus, isActive, help, onMove } = props;
  const [locale] = useLocaleState();
  const zone = useZone();
  const name = nameOf(view, item);
  const key = keyOf(view.fields, item);
  const movable = isMovable && key !== null;
  const link = useFocusWhen<HTMLAnchorElement>(takesFocus);
  const { setNodeRef, listeners, isDragging } = useDraggable({
    id: `${key ?? name} ${day}`,
    disabled: !movable,
    data: { item, day },
  });
  const time = timeOf(start, item, day, locale, zone);
  const step = (event: KeyboardEvent) => {
    const rtl = document.documentElement.dir === 'rtl';
    const days = STEPS[event.key];
    if (!event.shiftKey || days === undefined || !movable) return;
    event.preventDefault();
    onMove(item, day, rtl && Math.abs(days) === 1 ? -days : days);
  };
  const content = (
    <>
      {time !== null && (
        <Box component="span" sx={{ color: 'text.secondary', marginInlineEnd: 0.5 }}>
          {time}
        </Box>
      )}
      {name}
    </>
  );
  return (
    <Box
      component="li"
      ref={setNodeRef}
      {...listeners}
      sx={{
        ...{ listStyle: 'none', borderRadius: 0.75, fontSize: 12.5, lineHeight: 1.6, minWidth: 0 },
        ...{
          borderInlineStart: '3px solid',
          borderColor: 'primary.main',
          px: 0.75,
          overflow: 'hidden',
        },
        bgcolor: ({ palette }) => alpha(palette.primary.main, palette.mode === 'dark' ? 0.24 : 0.1),
        ...{ textOverflow: 'ellipsis', whiteSpace: 'nowrap', opacity: isDragging ? 0.4 : 1 },
        cursor: movable ? 'grab' : 'default',
      }}
      title={name}
    >
      {key === null ? (
        content
      ) : (
        <Box
          component={Link}
          ref={link}
          tabIndex={isActive ? 0 : -1}
          draggable={false}
          to={itemPath(view.collection.collection, key)}
          onKeyDown={step}
          {...(movable && { 'aria-describedby': help })}
          sx={{
            ...{ color: 'text.primary', textDecoration: 'none', overflow: 'hidden' },
            // As high as a finger needs it.
            ...{ display: 'block', px: 0.75, lineHeight: '24px', textOverflow: 'ellipsis' },
            '&:hover': { textDecoration: 'underline' },
            '&:focus-visible': { outlineOffset: -2 },
          }}
        >
          {content}
        </Box>
      )}
    </Box>
  );
}
