/** The table of a list: sorted by the heads of its columns, with rows that lead to their items. */
import Checkbox from '@mui/material/Checkbox';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import TableSortLabel from '@mui/material/TableSortLabel';
import { visuallyHidden } from '@mui/utils';
import { useCallback } from 'react';
import { keyOf } from '../data/item-key.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { alignmentOf, type Column } from '../display/columns.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { CELL, ItemRow, OrderableRow } from './item-row.tsx';
import { ManualOrder } from './manual-order.tsx';
import { useToggle } from './use-toggle.ts';

export interface ItemsProps {
  readonly title: string;
  readonly collection: string;
  readonly fields: readonly Field[];
  readonly columns: readonly Column[];
  readonly templates: ReadonlyMap<string, string>;
  readonly items: readonly Item[];
  readonly sort: readonly string[];
  readonly onSort: (sort: readonly string[]) => void;
  /** Keys of the items that are selected. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (keys: ReadonlySet<string>) => void;
  /** Whether the items are in an order that is made by hand, and may be moved. */
  readonly orderable: boolean;
}

function isSortable({ field, relation }: Column): boolean {
  return field.type !== 'alias' && relation?.kind !== 'o2m' && field.type !== 'json';
}

function Head(props: ItemsProps & { readonly keys: readonly string[] }) {
  const { columns, sort, onSort, selected, onSelect, keys, orderable } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const chosen = keys.filter((key) => selected.has(key)).length;
  const [first = ''] = sort;
  const toggleAll = () => onSelect(chosen === keys.length ? new Set() : new Set(keys));
  const head = { ...CELL, fontWeight: 600, color: 'text.secondary', bgcolor: 'background.paper' };
  return (
    <TableHead>
      <TableRow>
        {orderable && (
          <TableCell padding="none" sx={{ ...head, width: 40 }}>
            <span style={visuallyHidden}>{translate('list.order')}</span>
          </TableCell>
        )}
        {keys.length > 0 && (
          <TableCell padding="checkbox" sx={head}>
            <Checkbox
              size="small"
              checked={chosen > 0 && chosen === keys.length}
              indeterminate={chosen > 0 && chosen < keys.length}
              onChange={toggleAll}
              slotProps={{ input: { 'aria-label': translate('list.selectAll') } }}
            />
          </TableCell>
        )}
        {columns.map((column) => {
          const { field } = column;
          const name = fieldName(field, locale);
          const descending = first === `-${field.field}`;
          const active = descending || first === field.field;
          const direction = descending ? 'desc' : 'asc';
          const next = active && descending ? [] : [active ? `-${field.field}` : field.field];
          return (
            <TableCell
              key={field.field}
              align={alignmentOf(column)}
              sortDirection={active ? direction : false}
              sx={head}
            >
              {isSortable(column) ? (
                <TableSortLabel active={active} direction={direction} onClick={() => onSort(next)}>
                  {name}
                </TableSortLabel>
              ) : (
                name
              )}
            </TableCell>
          );
        })}
      </TableRow>
    </TableHead>
  );
}

export function ItemTable(props: ItemsProps) {
  const { title, collection, fields, columns, templates, items, selected, orderable } = props;
  const toggle = useToggle(selected, props.onSelect);
  const keyOfItem = useCallback((item: Item) => keyOf(fields, item), [fields]);
  const keys = items.map(keyOfItem).filter((key) => key !== null);
  const Row = orderable ? OrderableRow : ItemRow;
  const table = (shown: readonly Item[]) => (
    <TableContainer component={Paper} variant="outlined">
      <Table size="small">
        <caption style={visuallyHidden}>{title}</caption>
        <Head {...props} keys={keys} />
        <TableBody>
          {shown.map((item, index) => {
            const key = keyOfItem(item);
            return (
              <Row
                key={key ?? index}
                collection={collection}
                columns={columns}
                templates={templates}
                item={item}
                itemKey={key}
                isSelected={key !== null && selected.has(key)}
                onToggle={toggle}
              />
            );
          })}
        </TableBody>
      </Table>
    </TableContainer>
  );
  // Around each table, so that sorting one leaves the focus on its heading.
  return (
    <ManualOrder collection={collection} items={items} keyOf={keyOfItem}>
      {table}
    </ManualOrder>
  );
}
