/** Items that refer to this one, as a table with columns of their own. */
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import type { Key } from '../../../client/source/index.ts';
import type { Fault } from '../data/faults.ts';
import { Cell } from '../display/cell.tsx';
import { alignmentOf, type Column } from '../display/columns.ts';
import { initialItem } from '../form/initial-item.ts';
import { DataTable } from '../shell/data-table.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { Row } from './list-change.ts';
import type { Many } from './many.ts';
import { useItemName } from './related.ts';
import { RowAction, stateOf } from './related-row.tsx';

interface RelatedTableProps {
  readonly caption: string;
  readonly many: Many;
  readonly rows: readonly Row[];
  readonly templates: ReadonlyMap<string, string>;
  readonly faultsOf: (row: Row) => readonly Fault[];
  readonly readOnly: boolean;
  /** Whether taking an item out deletes it. */
  readonly deletes: boolean;
  readonly mayRemove: boolean;
  readonly onEdit: (row: Row) => void;
  readonly onRemove: (row: Row) => void;
}

const CELL = {
  maxWidth: 220,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;

/** The name of an item that a row refers to, by its key. */
function LinkedName({ collection, item }: { readonly collection: string; readonly item: Key }) {
  return <bdi>{useItemName(collection, item, null, null) ?? '…'}</bdi>;
}

interface DraftCellProps {
  readonly column: Column;
  readonly row: Row;
  readonly templates: ReadonlyMap<string, string>;
}

/** A cell of a row that may not be stored yet: its links are keys, and its defaults are not set. */
function DraftCell({ column, row, templates }: DraftCellProps) {
  const { field, relation } = column;
  const value = row.item[field.field];
  const isKey = typeof value === 'string' || typeof value === 'number';
  if (relation?.kind === 'm2o' && isKey) {
    return <LinkedName collection={relation.related} item={value} />;
  }
  const item = row.kind === 'new' ? { ...initialItem([field], undefined), ...row.item } : row.item;
  return <Cell column={column} item={item} templates={templates} />;
}

function RelatedTableRow({ row, ...props }: Omit<RelatedTableProps, 'rows'> & { row: Row }) {
  const { many, templates, faultsOf, readOnly, deletes, mayRemove, onEdit, onRemove } = props;
  const translate = useTranslate();
  const key = row.kind === 'new' ? null : row.key;
  const found = useItemName(many.rows, key, row.item, many.template);
  const name = found === null ? '…' : found || translate('relation.unnamed');
  const removed = row.kind === 'stored' && row.removed;
  const state = stateOf(row);
  const [fault] = faultsOf(row);
  const removal = deletes ? 'relation.deleteItem' : 'relation.removeItem';
  return (
    <TableRow sx={{ textDecoration: removed ? 'line-through' : 'none' }}>
      {many.columns.map((column) => (
        <TableCell key={column.field.field} align={alignmentOf(column)} sx={CELL}>
          <DraftCell column={column} row={row} templates={templates} />
        </TableCell>
      ))}
      <TableCell align="right" sx={{ whiteSpace: 'nowrap', py: 0 }}>
        {fault !== undefined && (
          <Typography component="span" color="error" sx={{ fontSize: 12, mr: 1 }}>
            {fault.message}
          </Typography>
        )}
        {state !== null && <Chip size="small" label={translate(state)} />}
        {!removed && (
          <RowAction
            name={translate(readOnly ? 'relation.viewItem' : 'relation.editItem', { name })}
            icon={readOnly ? 'visibility' : 'edit'}
            onClick={() => onEdit(row)}
          />
        )}
        {!readOnly && (row.kind === 'new' || mayRemove) && (
          <RowAction
            name={translate(removed ? 'relation.putBack' : removal, { name })}
            icon={removed ? 'undo' : deletes ? 'delete' : 'close'}
            onClick={() => onRemove(row)}
          />
        )}
      </TableCell>
    </TableRow>
  );
}

export function RelatedTable({ rows, ...props }: RelatedTableProps) {
  const { caption, many } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const heads = many.columns.map((column) => ({
    text: fieldName(column.field, locale),
    align: alignmentOf(column),
  }));
  return (
    <Box sx={{ overflowX: 'auto' }}>
      <DataTable
        caption={caption}
        heads={[...heads, { text: translate('relation.actions'), align: 'right' }]}
      >
        {rows.map((row) => (
          <RelatedTableRow key={row.id} {...props} row={row} />
        ))}
      </DataTable>
    </Box>
  );
}
