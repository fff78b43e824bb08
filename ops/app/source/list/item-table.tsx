/**
 * The table of a list: columns that are sorted, moved, made wider and kept in sight, rows that lead to their
 * items, cells that are edited in their place, and sums below.
 */
import { closestCenter, DndContext, PointerSensor, useSensor, useSensors } from '@dnd-kit/core';
import { horizontalListSortingStrategy, SortableContext } from '@dnd-kit/sortable';
import Checkbox from '@mui/material/Checkbox';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { visuallyHidden } from '@mui/utils';
import { type KeyboardEvent, lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { keyOf } from '../data/item-key.ts';
import { useRights } from '../data/queries.ts';
import type { Field, Filter, Item } from '../data/schema-types.ts';
import type { Column } from '../display/columns.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ColumnHead } from './column-head.tsx';
import { editableFields } from './editable.ts';
import {
  type Arrangement,
  hideColumn,
  moveColumn,
  pinColumn,
  type Summary,
  USUAL_WIDTH,
} from './grid.ts';
import { ItemRow, OrderableRow, pinnedBefore } from './item-row.tsx';
import type { ListState } from './list-state.ts';
import { ManualOrder } from './manual-order.tsx';
import { followRowStops } from './row-stops.ts';
import { SummaryRow } from './summary-row.tsx';
import { useCellFocus } from './use-cell-focus.ts';
import { useToggle } from './use-toggle.ts';

const CellEditor = lazy(() =>
  import('./cell-editor.tsx').then(({ CellEditor: editor }) => ({ default: editor })),
);

export interface ItemsProps {
  readonly title: string;
  readonly collection: string;
  readonly fields: readonly Field[];
  readonly columns: readonly Column[];
  readonly templates: ReadonlyMap<string, string>;
  readonly items: readonly Item[];
  readonly state: ListState;
  readonly change: (changes: Partial<ListState>) => void;
  /** All conditions of the list. */
  readonly filter: Filter | null;
  /** Keys of the items that are selected. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (keys: ReadonlySet<string>) => void;
  /** Whether the items are in an order that is made by hand, and may be moved. */
  readonly orderable: boolean;
}

/** Pixels of the cells before the first column. */
const HANDLE = 40;
const CHOICE = 52;

type Widths = Readonly<Record<string, number>>;

interface HeadProps extends ItemsProps {
  readonly keys: readonly string[];
  readonly widths: Widths;
  readonly isFilled: boolean;
  /** Null when what was dragged is kept. */
  readonly onWidths: (widths: Widths | null) => void;
}

/** The widths that the columns have on the screen. */
function measure(row: HTMLTableRowElement | null): Widths {
  const heads = [...(row?.querySelectorAll<HTMLElement>('th[data-field]') ?? [])];
  return Object.fromEntries(
    heads.map((head) => [head.dataset.field ?? '', Math.round(head.getBoundingClientRect().width)]),
  );
}

function Head(props: HeadProps) {
  const { columns, state, change, selected, onSelect, keys, orderable, widths, isFilled } = props;
  const translate = useTranslate();
  const row = useRef<HTMLTableRowElement>(null);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 6 } }));
  const chosen = keys.filter((key) => selected.has(key)).length;
  const toggleAll = () => onSelect(chosen === keys.length ? new Set() : new Set(keys));
  const { grid, page, sort } = state;
  const names = columns.map(({ field }) => field.field);
  const pinned = Math.min(grid.pinned, columns.length);
  const now: Arrangement = { names, grid: { ...grid, pinned } };
  const arrange = (next: Arrangement) => {
    // What stays in sight has a place that is counted in pixels.
    const own = next.grid.pinned > 0 && !isFilled ? measure(row.current) : next.grid.widths;
    change({ columns: next.names, grid: { ...next.grid, widths: own }, page });
  };
  const resize = (name: string, width: number, isLast: boolean) => {
    const all = { ...(isFilled ? widths : measure(row.current)), [name]: width };
    props.onWidths(isLast ? null : all);
    if (isLast) change({ grid: { ...grid, widths: { ...grid.widths, ...all } }, page });
  };
  const summarize = (name: string, summary: Summary | null) => {
    const { [name]: _, ...others } = grid.summaries;
    const summaries = summary === null ? others : { ...others, [name]: summary };
    change({ grid: { ...grid, summaries }, page });
  };
  const head = { fontWeight: 600, color: 'text.secondary', bgcolor: 'background.paper' };
  return (
    <TableHead>
      <TableRow ref={row}>
        {orderable && (
          <TableCell
            padding="none"
            sx={{ ...head, width: HANDLE, ...pinnedBefore('handle', pinned) }}
          >
            <span style={visuallyHidden}>{translate('list.order')}</span>
          </TableCell>
        )}
        {keys.length > 0 && (
          <TableCell padding="checkbox" sx={{ ...head, ...pinnedBefore('choice', pinned) }}>
            <Checkbox
              size="small"
              checked={chosen > 0 && chosen === keys.length}
              indeterminate={chosen > 0 && chosen < keys.length}
              onChange={toggleAll}
              slotProps={{ input: { 'aria-label': translate('list.selectAll') } }}
            />
          </TableCell>
        )}
        <DndContext
          sensors={sensors}
          collisionDetection={closestCenter}
          onDragEnd={({ active, over }) => {
            const [from, to] = [active.id, over?.id].map((id) => names.indexOf(String(id)));
            if (from === undefined || to === undefined || to < 0) return;
            arrange(moveColumn(now, from, to));
          }}
          accessibility={{ container: document.body }}
        >
          <SortableContext items={names} strategy={horizontalListSortingStrategy}>
            {columns.map((column, index) => {
              const name = column.field.field;
              return (
                <ColumnHead
                  key={name}
                  column={column}
                  index={index}
                  count={columns.length}
                  pinned={pinned}
                  width={widths[name] ?? null}
                  summary={grid.summaries[name] ?? null}
                  sort={sort}
                  onSort={(next) => change({ sort: next })}
                  onMove={(to) => arrange(moveColumn(now, index, to))}
                  onPin={() => arrange(pinColumn(now, index))}
                  onHide={() => arrange(hideColumn(now, index))}
                  onSummary={(summary) => summarize(name, summary)}
                  onWidth={(width, isLast) => resize(name, width, isLast)}
                />
              );
            })}
          </SortableContext>
        </DndContext>
        {isFilled && <TableCell padding="none" sx={head} />}
      </TableRow>
    </TableHead>
  );
}

/** The places of what stays in sight, and the width of the whole, as the style of the table has them. */
function layoutOf(widths: readonly number[], before: readonly number[], pinned: number) {
  const start = before.reduce((sum, width) => sum + width, 0);
  const places = widths.slice(0, pinned).map((_, index) => {
    const left = widths.slice(0, index).reduce((sum, width) => sum + width, start);
    return [`--pin-${index}`, `${left}px`];
  });
  return {
    ...Object.fromEntries(places),
    '--pin-handle': '0px',
    '--pin-choice': `${before.length > 1 ? before[0] : 0}px`,
    tableLayout: 'fixed',
    // Cells that stay in sight keep their borders.
    borderCollapse: 'separate',
    minWidth: widths.reduce((sum, width) => sum + width, start),
  } as const;
}

export function ItemTable(props: ItemsProps) {
  const { title, collection, fields, columns, templates, items, selected, orderable } = props;
  const { grid, search } = props.state;
  const toggle = useToggle(selected, props.onSelect);
  const rights = useRights();
  const keyOfItem = useCallback((item: Item) => keyOf(fields, item), [fields]);
  const keys = items.map(keyOfItem).filter((key) => key !== null);
  const editable = useMemo(
    () => editableFields(collection, columns, rights),
    [collection, columns, rights],
  );
  const isGrid = keys.length > 0;
  const cells = useCellFocus();
  const onKeyDown = (event: KeyboardEvent) => {
    cells.handlers.onKeyDown(event);
    followRowStops(event);
  };
  /** The widths while an edge is dragged. */
  const [dragged, setDragged] = useState<Widths | null>(null);
  const own = dragged ?? grid.widths;
  const pinned = Math.min(grid.pinned, columns.length);
  const isFilled = pinned > 0 || columns.some(({ field }) => own[field.field] !== undefined);
  const widths = columns.map(({ field }) => own[field.field] ?? USUAL_WIDTH);
  const before = [...(orderable ? [HANDLE] : []), ...(keys.length > 0 ? [CHOICE] : [])];
  const shownWidths = Object.fromEntries(
    isFilled ? columns.map(({ field }, index) => [field.field, widths[index] ?? 0]) : [],
  );
  const firstEditable = columns.find(({ field }) => editable.has(field.field))?.field.field ?? null;
  const known = keys.includes(cells.active?.key ?? '') && editable.has(cells.active?.field ?? '');
  const active = known ? cells.active : null;
  const Row = orderable ? OrderableRow : ItemRow;
  const table = (shown: readonly Item[]) => (
    <TableContainer component={Paper} variant="outlined">
      <Table
        size="small"
        role={isGrid ? 'grid' : undefined}
        style={isFilled ? layoutOf(widths, before, pinned) : undefined}
      >
        <caption style={visuallyHidden}>{title}</caption>
        {isFilled && (
          <colgroup>
            {[...before, ...widths].map((width, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place.
              <col key={index} style={{ width }} />
            ))}
            <col />
          </colgroup>
        )}
        <Head
          {...props}
          keys={keys}
          widths={shownWidths}
          isFilled={isFilled}
          onWidths={setDragged}
        />
        <TableBody {...(isGrid && { ...cells.handlers, onKeyDown })}>
          {shown.map((item, index) => {
            const key = keyOfItem(item);
            const isFirst = active === null && index === 0;
            return (
              <Row
                key={key ?? index}
                collection={collection}
                columns={columns}
                templates={templates}
                item={item}
                itemKey={key}
                isSelected={key !== null && selected.has(key)}
                pinned={pinned}
                isFilled={isFilled}
                editable={editable}
                active={isFirst ? firstEditable : active?.key === key ? active.field : null}
                onToggle={toggle}
              />
            );
          })}
        </TableBody>
        <SummaryRow
          collection={collection}
          columns={columns}
          summaries={grid.summaries}
          pinned={pinned}
          filter={props.filter}
          search={search}
          before={before.length}
          after={isFilled ? 1 : 0}
        />
      </Table>
    </TableContainer>
  );
  const { editing } = cells;
  const column = columns.find(({ field }) => field.field === editing?.field);
  // Around each table, so that sorting one leaves the focus on its heading.
  return (
    <>
      <ManualOrder collection={collection} items={items} keyOf={keyOfItem}>
        {table}
      </ManualOrder>
      {editing !== null && column !== undefined && (
        <Suspense>
          <CellEditor
            key={`${editing.key} ${editing.field}`}
            collection={collection}
            fields={fields}
            column={column}
            itemKey={editing.key}
            anchor={editing.anchor}
            onLeave={cells.leave}
          />
        </Suspense>
      )}
    </>
  );
}
