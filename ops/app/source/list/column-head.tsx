/**
 * The head of a column: it sorts by its name, is moved by dragging, and has a menu for all that is done
 * with the column. The edge at its end changes the width, by pointer and, from the menu, by keyboard.
 */
import { useSortable } from '@dnd-kit/sortable';
import Box from '@mui/material/Box';
import Divider from '@mui/material/Divider';
import IconButton from '@mui/material/IconButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import ListSubheader from '@mui/material/ListSubheader';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import TableCell from '@mui/material/TableCell';
import TableSortLabel from '@mui/material/TableSortLabel';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type Ref,
  useId,
  useRef,
} from 'react';
import { alignmentOf, type Column } from '../display/columns.ts';
import { useMenu } from '../shell/use-menu.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { fittingWidth, type Summary, summariesOf } from './grid.ts';
import { CELL, pinnedAt } from './item-row.tsx';

export interface ColumnHeadProps {
  readonly column: Column;
  readonly index: number;
  readonly count: number;
  readonly pinned: number;
  /** Null for one that is as wide as its content. */
  readonly width: number | null;
  readonly summary: Summary | null;
  readonly sort: readonly string[];
  readonly onSort: (sort: readonly string[]) => void;
  readonly onMove: (to: number) => void;
  readonly onPin: () => void;
  readonly onHide: () => void;
  readonly onSummary: (summary: Summary | null) => void;
  /** While it is dragged; the last one is kept. */
  readonly onWidth: (width: number, isLast: boolean) => void;
}

/** Pixels of one step by keyboard, and of a large one. */
const STEP = 8;
const LARGE_STEP = 48;

function isSortable({ field, relation }: Column): boolean {
  return field.type !== 'alias' && relation?.kind !== 'o2m' && field.type !== 'json';
}

interface EdgeProps {
  readonly name: string;
  readonly width: number | null;
  readonly onWidth: ColumnHeadProps['onWidth'];
}

/** The edge by which the width is changed. */
function Edge({ name, width, onWidth, ref }: EdgeProps & { readonly ref: Ref<HTMLDivElement> }) {
  const translate = useTranslate();
  const begun = useRef({ x: 0, width: 0, now: 0 });
  const measured = (edge: Element) => edge.closest('th')?.getBoundingClientRect().width ?? 0;
  const grab = (event: PointerEvent<HTMLDivElement>) => {
    // Neither sorts nor drags the column.
    event.stopPropagation();
    event.preventDefault();
    const now = measured(event.currentTarget);
    begun.current = { x: event.clientX, width: now, now };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const sign = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1;
    const { x, width: from } = begun.current;
    begun.current.now = fittingWidth(from + sign * (event.clientX - x));
    onWidth(begun.current.now, false);
  };
  const drop = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    event.currentTarget.releasePointerCapture(event.pointerId);
    if (begun.current.now !== begun.current.width) onWidth(begun.current.now, true);
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const { key, shiftKey, currentTarget } = event;
    if (key === 'Escape' || key === 'Enter') {
      currentTarget.closest('th')?.querySelector<HTMLElement>('[aria-haspopup]')?.focus();
      return;
    }
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
    event.preventDefault();
    const isStart =
      getComputedStyle(currentTarget).direction === 'rtl' ? 'ArrowRight' : 'ArrowLeft';
    const step = (shiftKey ? LARGE_STEP : STEP) * (key === isStart ? -1 : 1);
    onWidth(fittingWidth(measured(currentTarget) + step), true);
  };
  return (
    <Box
      ref={ref}
      role="separator"
      aria-orientation="vertical"
      aria-label={translate('list.widthOf', { name })}
      aria-valuenow={width ?? 0}
      aria-valuetext={width === null ? translate('list.widthAuto') : `${width} px`}
      tabIndex={-1}
      onPointerDown={grab}
      onPointerMove={drag}
      onPointerUp={drop}
      onPointerCancel={drop}
      onKeyDown={press}
      sx={{
        ...{ position: 'absolute', insetInlineEnd: 0, top: 0, bottom: 0, width: 9, zIndex: 1 },
        ...{ cursor: 'col-resize', touchAction: 'none' },
        '&::after': {
          content: '""',
          ...{ position: 'absolute', insetInlineEnd: 0, top: '25%', bottom: '25%', width: '1px' },
          bgcolor: 'divider',
        },
        '&:hover::after, &:active::after, &:focus::after': {
          ...{ bgcolor: 'primary.main', width: '3px', top: 0, bottom: 0 },
        },
        '&:focus-visible': { outline: 'none' },
      }}
    />
  );
}

export function ColumnHead(props: ColumnHeadProps) {
  const { column, index, count, pinned, width, summary, sort, onSort } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const id = useId();
  const edge = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const { anchor, open, close, choose } = useMenu();
  const { field } = column;
  const name = fieldName(field, locale);
  const { listeners, setNodeRef, transform, isDragging } = useSortable({ id: field.field });
  const [first = ''] = sort;
  const descending = first === `-${field.field}`;
  const active = descending || first === field.field;
  const direction = descending ? 'desc' : 'asc';
  const next = active && descending ? [] : [active ? `-${field.field}` : field.field];
  const isPinned = index < pinned;
  const possible = summariesOf(column);
  const entry = (icon: IconName, text: string, act: () => void, disabled = false): ReactNode => (
    <MenuItem key={text} disabled={disabled} onClick={() => choose(act)}>
      <ListItemIcon>
        <Icon name={icon} fontSize="small" />
      </ListItemIcon>
      <ListItemText>{translate(text)}</ListItemText>
    </MenuItem>
  );
  return (
    <TableCell
      ref={setNodeRef}
      data-field={field.field}
      aria-labelledby={id}
      align={alignmentOf(column)}
      sortDirection={active ? direction : false}
      style={
        transform === null ? undefined : { transform: `translateX(${transform.x}px)`, zIndex: 4 }
      }
      sx={{
        ...CELL,
        ...pinnedAt(index, pinned),
        ...{ fontWeight: 600, color: 'text.secondary', bgcolor: 'background.paper' },
        ...(isPinned ? {} : { position: 'relative' }),
        opacity: isDragging ? 0.6 : 1,
        paddingInlineEnd: alignmentOf(column) === 'right' ? 2 : 1,
        '&:hover [aria-haspopup], & [aria-haspopup]:focus-visible, & [aria-expanded=true]': {
          opacity: 1,
        },
      }}
    >
      <Box
        sx={{
          ...{ display: 'flex', alignItems: 'center', minWidth: 0 },
          flexDirection: alignmentOf(column) === 'right' ? 'row-reverse' : 'row',
        }}
        {...listeners}
      >
        <Box
          component="span"
          id={id}
          sx={{
            ...{ minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis' },
            flexDirection: 'inherit',
          }}
        >
          {isSortable(column) ? (
            <TableSortLabel
              active={active}
              direction={direction}
              onClick={() => onSort(next)}
              // The way through a wide table by Tab stays short: a column is one stop.
              aria-keyshortcuts="ArrowDown"
              onKeyDown={(event) => {
                if (event.key !== 'ArrowDown') return;
                event.preventDefault();
                opener.current?.click();
              }}
              sx={{ maxWidth: '100%' }}
            >
              <Box component="span" sx={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
                {name}
              </Box>
            </TableSortLabel>
          ) : (
            name
          )}
        </Box>
        <Box sx={{ flex: 1 }} />
        <IconButton
          ref={opener}
          size="small"
          tabIndex={isSortable(column) ? -1 : 0}
          aria-label={translate('list.columnMenu')}
          aria-describedby={id}
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          onClick={open}
          sx={{ p: 0.25, opacity: { md: 0 } }}
        >
          <Icon name="more_vert" sx={{ fontSize: 18 }} />
        </IconButton>
      </Box>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{
          list: { 'aria-label': translate('list.columnMenuOf', { name }), dense: true },
        }}
      >
        {isSortable(column) && [
          entry('arrow_upward', 'list.sortUp', () => onSort([field.field])),
          entry('arrow_downward', 'list.sortDown', () => onSort([`-${field.field}`])),
          <Divider key="line" />,
        ]}
        {entry('chevron_left', 'list.moveBefore', () => props.onMove(index - 1), index === 0)}
        {entry(
          'chevron_right',
          'list.moveAfter',
          () => props.onMove(index + 1),
          index === count - 1,
        )}
        {entry('push_pin', isPinned ? 'list.unpin' : 'list.pin', props.onPin)}
        {entry('width', 'list.width', () => edge.current?.focus())}
        {entry('visibility_off', 'list.hideColumn', props.onHide, count === 1)}
        {possible.length > 0 && <Divider />}
        {possible.length > 0 && (
          <ListSubheader role="presentation" sx={{ lineHeight: 2, bgcolor: 'transparent' }}>
            {translate('list.summary')}
          </ListSubheader>
        )}
        {possible.map((one) => (
          <MenuItem
            key={one}
            role="menuitemcheckbox"
            aria-checked={summary === one}
            onClick={() => choose(() => props.onSummary(summary === one ? null : one))}
          >
            <ListItemIcon>{summary === one && <Icon name="check" fontSize="small" />}</ListItemIcon>
            <ListItemText>{translate(`list.summary_${one}`)}</ListItemText>
          </MenuItem>
        ))}
      </Menu>
      <Edge ref={edge} name={name} width={width} onWidth={props.onWidth} />
    </TableCell>
  );
}
