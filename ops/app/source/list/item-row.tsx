/** A row of the table of a list; one that can be moved has a handle for it. */
import { useSortable } from '@dnd-kit/sortable';
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import IconButton from '@mui/material/IconButton';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import { type CSSProperties, memo, type ReactNode, type Ref, useId } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { itemPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { Cell } from '../display/cell.tsx';
import { alignmentOf, type Column } from '../display/columns.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface ItemRowProps {
  readonly collection: string;
  readonly columns: readonly Column[];
  readonly templates: ReadonlyMap<string, string>;
  readonly item: Item;
  /** Null where the collection has no key, so that an item cannot be opened. */
  readonly itemKey: string | null;
  readonly isSelected: boolean;
  readonly onToggle: (key: string) => void;
  readonly ref?: Ref<HTMLTableRowElement>;
  readonly style?: CSSProperties;
  /** What the row is moved by. */
  readonly handle?: ReactNode;
  /** The id of its first cell, for what describes itself by that. */
  readonly headId?: string;
}

export const CELL = {
  maxWidth: 320,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const;

const LINK = {
  color: 'text.primary',
  fontWeight: 600,
  textDecoration: 'none',
  '&:hover': { textDecoration: 'underline' },
} as const;

export const ItemRow = memo(function ItemRow(props: ItemRowProps) {
  const { collection, columns, templates, item, itemKey, isSelected, onToggle } = props;
  const { ref, style, handle } = props;
  const ownHeadId = useId();
  const headId = props.headId ?? ownHeadId;
  const translate = useTranslate();
  const navigate = useNavigate();
  const to = itemKey === null ? null : itemPath(collection, itemKey);
  return (
    <TableRow
      hover
      selected={isSelected}
      onClick={() => to !== null && navigate(to)}
      sx={{ cursor: to === null ? 'default' : 'pointer' }}
      {...(ref !== undefined && { ref })}
      {...(style !== undefined && { style })}
    >
      {handle !== undefined && (
        <TableCell padding="none" onClick={(event) => event.stopPropagation()}>
          {handle}
        </TableCell>
      )}
      {itemKey !== null && (
        <TableCell padding="checkbox" onClick={(event) => event.stopPropagation()}>
          <Checkbox
            size="small"
            checked={isSelected}
            onChange={() => onToggle(itemKey)}
            slotProps={{
              input: {
                'aria-label': translate('list.select', { key: itemKey }),
                'aria-describedby': headId,
              },
            }}
          />
        </TableCell>
      )}
      {columns.map((column, index) => {
        const content = <Cell column={column} item={item} templates={templates} />;
        return (
          <TableCell
            key={column.field.field}
            {...(index === 0 && { id: headId })}
            align={alignmentOf(column)}
            sx={CELL}
          >
            {index === 0 && to !== null ? (
              <Box component={Link} to={to} onClick={(event) => event.stopPropagation()} sx={LINK}>
                {content}
              </Box>
            ) : (
              content
            )}
          </TableCell>
        );
      })}
    </TableRow>
  );
});

export function OrderableRow(props: ItemRowProps) {
  const translate = useTranslate();
  const headId = useId();
  const key = props.itemKey ?? '';
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({
    id: key,
  });
  const moved = transform === null ? {} : { transform: `translateY(${transform.y}px)` };
  return (
    <ItemRow
      {...props}
      headId={headId}
      ref={setNodeRef}
      style={{
        ...moved,
        ...(transition !== undefined && { transition }),
        opacity: isDragging ? 0.6 : 1,
      }}
      handle={
        <IconButton
          size="small"
          {...attributes}
          {...listeners}
          aria-label={translate('list.move', { key })}
          aria-describedby={`${headId} ${attributes['aria-describedby']}`}
          sx={{ cursor: 'grab', touchAction: 'none' }}
        >
          <Icon name="drag_indicator" fontSize="small" />
        </IconButton>
      }
    />
  );
}
