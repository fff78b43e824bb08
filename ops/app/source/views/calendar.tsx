/** A calendar: the items of a month, a week or the days that come, by the day of a field. */
import {
  DndContext,
  type DragEndEvent,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Paper from '@mui/material/Paper';
import type { Theme } from '@mui/material/styles';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { visuallyHidden } from '@mui/utils';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { client } from '../data/client.ts';
import { keyFromText, keyOf } from '../data/item-key.ts';
import { useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { useZone } from '../data/use-zone.ts';
import { isItem } from '../data/values.ts';
import { formatNumber } from '../display/format.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { CalendarDay, dayInWords, RestOfDay } from './calendar-day.tsx';
import { changesTo, filterOfDays, itemsByDay, type When } from './calendar-entries.ts';
import { CalendarEntry } from './calendar-entry.tsx';
import {
  addDays,
  dayOfDate,
  daysShown,
  firstDayOfWeek,
  MODES,
  type Mode,
  turned,
  valueOn,
  weeksOf,
} from './days.ts';
import { FieldChoice, ViewOptions } from './field-choice.tsx';
import { chosenField } from './layout.ts';
import { useDayFocus } from './use-day-focus.ts';
import { useNewItem } from './use-new-item.ts';
import { allOf, fieldsToRead, nameOf, queryOf, type ViewProps } from './view.ts';

/** A calendar that is read holds at most so many items. */
const MOST = 500;
/** Items that a day of a month has room for. */
const OF_DAY = 4;

/** Items on their way to other days, by their keys: what changes of them. */
type Moves = ReadonlyMap<string, Item>;
const NO_MOVES: Moves = new Map();

/** The item and the day that are dragged. */
interface Dragged {
  readonly item: Item;
  readonly day: string;
}

function draggedOf(data: Item | undefined): Dragged | null {
  const item = data?.item;
  return isItem(item) ? { item, day: String(data?.day) } : null;
}

function titleOf(mode: Mode, day: string, days: readonly string[], locale: string): string {
  const date = (text: string) => new Date(`${text}T00:00:00Z`);
  const utc = { timeZone: 'UTC' } as const;
  if (mode === 'month') {
    const month = { month: 'long', year: 'numeric' } as const;
    return new Intl.DateTimeFormat(locale, { ...month, ...utc }).format(date(day));
  }
  const range = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...utc });
  return range.formatRange(date(days[0] ?? day), date(days.at(-1) ?? day));
}

export default function Calendar(view: ViewProps) {
  const { collection, candidates, options, onOptions, asked } = view;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const queryClient = useQueryClient();
  const rights = useRights();
  const phone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'), { noSsr: true });
  const help = useId();
  const name = collection.collection;
  const create = useNewItem(name);
  const zone = useZone();
  const [now] = useState(() => new Date());
  const today = dayOfDate(now, zone);
  const [day, setDay] = useState(today);
  const [moves, setMoves] = useState(NO_MOVES);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 4 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
  );
  const mode = MODES.find((known) => known === options.mode) ?? (phone ? 'agenda' : 'month');
  const start = chosenField(candidates, options.startDateField);
  const end = candidates.find(({ field }) => field.field === options.endDateField);
  const days = daysShown(mode, day, firstDayOfWeek(navigator.language));
  const keyboard = useDayFocus(days, [today, day], mode, setDay);
  const when: When | null = start ? { start: start.field, end: end?.field ?? null, zone } : null;
  const dates = [start, end].flatMap((column) =>
    column === undefined ? [] : [column.field.field],
  );
  const query = {
    ...queryOf(
      asked,
      allOf(asked.filter, when && filterOfDays(when, days[0] ?? day, days.at(-1) ?? day)),
    ),
    fields: fieldsToRead(view, [], dates),
    sort: dates,
    limit: MOST,
  };
  const list = useQuery({
    queryKey: ['items', name, 'calendar', query],
    queryFn: ({ signal }) =>
      client.items(name).page({ ...query, meta: ['filter_count'] }, { signal }),
    placeholderData: keepPreviousData,
    enabled: when !== null,
  });
  if (start === undefined || when === null) return null;
  if (list.isError) return <Failure error={list.error} retry={() => list.refetch()} />;
  if (list.isPending) return <Loading />;
  const count = list.data.meta.filter_count ?? 0;
  const items = list.data.data.map((item) => ({
    ...item,
    ...moves.get(keyOf(view.fields, item) ?? ''),
  }));
  const byDay = itemsByDay(when, items, days);
  const moved = end === undefined ? [start] : [start, end];
  const isMovable = moved.every(
    ({ field }) =>
      mayField(rights, name, 'update', field.field) &&
      field.meta?.readonly !== true &&
      field.schema?.is_generated !== true,
  );
  const move = async (item: Item, from: string, to: string) => {
    const key = keyOf(view.fields, item);
    if (key === null || from === to || moves.has(key)) return;
    const changes = changesTo(when, item, from, to);
    setMoves((all) => new Map(all).set(key, changes));
    try {
      await client.items(name).update(keyFromText(key), changes, { fields: dates });
      const messageArgs = { name: nameOf(view, item), day: dayInWords(to, locale, 'long') };
      notify('views.movedToDay', { messageArgs, type: 'success' });
      await queryClient.invalidateQueries({ queryKey: ['items', name] });
    } catch (error) {
      notifyFailure(error, translate);
    } finally {
      setMoves((all) => new Map([...all].filter(([other]) => other !== key)));
    }
  };
  const step = (item: Item, from: string, by: number) => {
    const to = addDays(from, by);
    const key = keyOf(view.fields, item);
    // It stays where it is until the server has answered.
    if (key === null || moves.has(key)) return;
    setFocused(`${key} ${to}`);
    // What leaves the period is followed.
    if (!days.includes(to)) setDay(to);
    void move(item, from, to);
  };
  const drop = ({ over }: DragEndEvent) => {
    if (over !== null && dragged !== null) void move(dragged.item, dragged.day, String(over.id));
    setDragged(null);
  };
  const onCreate = may(rights, name, 'create')
    ? (on: string) => create({ [start.field.field]: valueOn(start.field.type, on, null, zone) })
    : null;
  const entry = (item: Item, on: string, index: number) => {
    const key = keyOf(view.fields, item);
    return (
      <CalendarEntry
        key={key ?? index}
        {...{ view, item, isMovable, help }}
        start={start.field}
        day={on}
        takesFocus={focused === `${key} ${on}`}
        isActive={mode === 'agenda' || on === keyboard.active}
        onMove={step}
      />
    );
  };
  const openDay = (on: string) => {
    setDay(on);
    onOptions({ ...options, mode: 'agenda' });
  };
  const filled = days.filter((on) => (byDay.get(on)?.length ?? 0) > 0);
  return (
    <>
      <ViewOptions>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
          <Button variant="outlined" color="inherit" onClick={() => setDay(today)}>
            {translate('views.today')}
          </Button>
          <IconButton
            aria-label={translate('views.previous')}
            onClick={() => setDay(turned(mode, day, -1))}
          >
            <Icon name="chevron_left" sx={MIRRORED} />
          </IconButton>
          <IconButton
            aria-label={translate('views.next')}
            onClick={() => setDay(turned(mode, day, 1))}
          >
            <Icon name="chevron_right" sx={MIRRORED} />
          </IconButton>
        </Box>
        <Typography variant="h2" role="status" sx={{ flex: 1, minWidth: 140 }}>
          {titleOf(mode, day, days, locale)}
        </Typography>
        <FieldChoice
          label={translate('views.startField')}
          candidates={candidates}
          value={start}
          onChange={(startDateField) => onOptions({ ...options, startDateField })}
        />
        {candidates.length > 1 && (
          <FieldChoice
            label={translate('views.endField')}
            candidates={candidates.filter((column) => column !== start)}
            value={end}
            optional
            onChange={(endDateField) => onOptions({ ...options, endDateField })}
          />
        )}
        <ToggleButtonGroup
          exclusive
          size="small"
          value={mode}
          aria-label={translate('views.mode')}
          onChange={(_, next: unknown) => {
            const chosen = MODES.find((known) => known === next);
            if (chosen !== undefined) onOptions({ ...options, mode: chosen });
          }}
          sx={{ bgcolor: 'background.paper' }}
        >
          {MODES.map((one) => (
            <ToggleButton key={one} value={one} sx={{ py: 0.5, px: 1.25 }}>
              {translate(`views.${one}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      </ViewOptions>
      {count > list.data.data.length && (
        <Alert severity="info" sx={{ mb: 1.5 }}>
          {translate('views.someItems', {
            shown: formatNumber(list.data.data.length, locale),
            count: formatNumber(count, locale),
          })}
        </Alert>
      )}
      <span id={help} style={visuallyHidden}>
        {translate('views.moveKeys')}
      </span>
      {mode === 'agenda' ? (
        filled.length === 0 ? (
          <Message icon="calendar_today" title={translate('views.noneInPeriod')} />
        ) : (
          filled.map((on) => (
            <Box component="section" key={on} sx={{ mb: 2 }}>
              <Typography
                variant="h3"
                component="h2"
                sx={{ mb: 0.5, color: on === today ? 'primary.main' : 'text.primary' }}
              >
                {dayInWords(on, locale, 'full')}
              </Typography>
              <Paper
                component="ul"
                variant="outlined"
                sx={{ m: 0, p: 1, display: 'grid', gap: 0.75, '& li': { py: 0.5, fontSize: 14 } }}
              >
                {byDay.get(on)?.map((item, index) => entry(item, on, index))}
              </Paper>
            </Box>
          ))
        )
      ) : (
        <DndContext
          sensors={sensors}
          collisionDetection={pointerWithin}
          onDragStart={({ active }) => {
            setFocused(null);
            setDragged(draggedOf(active.data.current));
          }}
          onDragEnd={drop}
          onDragCancel={() => setDragged(null)}
        >
          <Box
            component="table"
            role="grid"
            sx={{ width: '100%', tableLayout: 'fixed', borderCollapse: 'collapse' }}
          >
            <caption style={visuallyHidden}>{view.title}</caption>
            <thead>
              <tr>
                {days.slice(0, 7).map((on) => (
                  <Box
                    component="th"
                    key={on}
                    scope="col"
                    sx={{ p: 0.5, fontSize: 12.5, fontWeight: 600, color: 'text.secondary' }}
                  >
                    {new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }).format(
                      new Date(`${on}T00:00:00Z`),
                    )}
                  </Box>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeksOf(days).map((week) => (
                <Box
                  component="tr"
                  key={week[0]}
                  sx={{ height: mode === 'week' ? 360 : { xs: 64, sm: 112 } }}
                >
                  {week.map((on) => {
                    const all = byDay.get(on) ?? [];
                    const room = phone ? 0 : mode === 'week' ? MOST : OF_DAY;
                    const shown = all.length <= room ? all : all.slice(0, Math.max(0, room - 1));
                    const rest = all.length - shown.length;
                    return (
                      <CalendarDay
                        key={on}
                        day={on}
                        isToday={on === today}
                        isOutside={mode === 'month' && on.slice(0, 7) !== day.slice(0, 7)}
                        onCreate={onCreate && (() => onCreate(on))}
                        onOpen={() => openDay(on)}
                        isActive={on === keyboard.active}
                        takesFocus={on === keyboard.wanted}
                        onFocus={() => keyboard.onFocus(on)}
                        onKeyDown={(event) => keyboard.onKeyDown(event, on)}
                      >
                        {shown.length > 0 && (
                          <Box
                            component="ul"
                            aria-label={dayInWords(on, locale, 'long')}
                            sx={{ m: 0, p: 0, display: 'grid', gap: 0.25, ...SHRINKING }}
                          >
                            {shown.map((item, index) => entry(item, on, index))}
                          </Box>
                        )}
                        {rest > 0 && (
                          <RestOfDay
                            day={on}
                            all={all.length}
                            isActive={on === keyboard.active}
                            text={phone ? `${rest}` : translate('views.moreOfDay', { count: rest })}
                            onOpen={() => openDay(on)}
                          />
                        )}
                      </CalendarDay>
                    );
                  })}
                </Box>
              ))}
            </tbody>
          </Box>
          <DragOverlay dropAnimation={null}>
            {dragged !== null && (
              <Paper elevation={6} sx={{ px: 1, fontSize: 12.5, cursor: 'grabbing' }}>
                {nameOf(view, dragged.item)}
              </Paper>
            )}
          </DragOverlay>
        </DndContext>
      )}
    </>
  );
}

const SHRINKING = { gridTemplateColumns: 'minmax(0, 1fr)' } as const;

/** Arrows point the other way where one writes from right to left. */
const MIRRORED = {
  transform: ({ direction }: Theme) => (direction === 'rtl' ? 'scaleX(-1)' : 'none'),
};
