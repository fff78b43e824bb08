/** A row of the table of a list; one that can be moved has a handle for it. */
import { useSortable } from '@dnd-kit/sortable';
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import IconButton from '@mui/material/IconButton';
import { alpha, type Theme } from '@mui/material/styles';
import TableCell from '@mui/material/TableCell';
import TableRow from '@mui/material/TableRow';
import { type CSSProperties, type MouseEvent, memo, type ReactNode, type Ref, useId } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { itemPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import { Cell } from '../display/cell.tsx';
import { alignmentOf, type Column } from '../display/columns.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { RowStop } from './row-stops.ts';

export interface ItemRowProps {
  readonly collection: string;
  readonly columns: readonly Column[];
  readonly templates: ReadonlyMap<string, string>;
  readonly item: Item;
  /** Null where the collection has no key, so that an item cannot be opened. */
  readonly itemKey: string | null;
  readonly isSelected: boolean;
  /** How many columns stay in sight. */
  readonly pinned: number;
  /** Whether the last cell is an empty one, which has the room that is left. */
  readonly isFilled: boolean;
  /** The fields whose values are edited in their cells. */
  readonly editable: ReadonlySet<string>;
  /** The field whose cell Tab leads to; null for none in this row. */
  readonly active: string | null;
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

const EDITABLE = {
  cursor: 'cell',
  '&:focus': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -2 },
} as const;

/** The look of what stays in sight while the rest is moved below it. */
function stays(start: string, isLast: boolean) {
  return {
    ...{ position: 'sticky', insetInlineStart: start, zIndex: 2, bgcolor: 'background.paper' },
    '.MuiTableRow-hover:hover > &': {
      backgroundImage: ({ palette: { action } }: Theme) =>
        `linear-gradient(${action.hover}, ${action.hover})`,
    },
    '.Mui-selected > &, .MuiTableRow-hover.Mui-selected:hover > &': {
      backgroundImage: ({ palette: { primary, action } }: Theme) => {
        const colour = alpha(primary.main, action.selectedOpacity);
        return `linear-gradient(${colour}, ${colour})`;
      },
    },
    ...(isLast && { borderInlineEnd: 1, borderInlineEndColor: 'divider' }),
  } as const;
}

/** The place of a column that stays in sight; nothing for others. */
export function pinnedAt(index: number, pinned: number) {
  return index < pinned ? stays(`var(--pin-${index})`, index === pinned - 1) : {};
}

/** The same for what stands before the first column. */
export function pinnedBefore(place: 'handle' | 'choice', pinned: number) {
  return pinned === 0 ? {} : stays(`var(--pin-${place})`, false);
}

const LINK = {
  color: 'text.primary',
  fontWeight: 600,
  textDecoration: 'none',
  '&:hover': { textDecoration: 'underline' },
} as const;

/** A control that arrow keys lead to; Tab comes to one of a row. */
const stop = (name: RowStop, tabIndex: 0 | -1) => ({ 'data-stop': name, tabIndex });

export const ItemRow = memo(function ItemRow(props: ItemRowProps) {
  const { collection, columns, templates, item, itemKey, isSelected, onToggle } = props;
  const { ref, style, handle, pinned, isFilled, editable, active } = props;
  const ownHeadId = useId();
  const headId = props.headId ?? ownHeadId;
  const translate = useTranslate();
  const navigate = useNavigate();
  const to = itemKey === null ? null : itemPath(collection, itemKey);
  // A cell that is edited in its place takes the focus instead.
  const follow = ({ target }: MouseEvent) => {
    const isCell = target instanceof Element && target.closest('[data-editable]') !== null;
    if (to !== null && !isCell) navigate(to);
  };
  return (
    <TableRow
      hover
      data-key={itemKey}
      selected={isSelected}
      onClick={follow}
      sx={{ cursor: to === null ? 'default' : 'pointer' }}
      {...(ref !== undefined && { ref })}
      {...(style !== undefined && { style })}
    >
      {handle !== undefined && (
        <TableCell
          padding="none"
          sx={pinnedBefore('handle', pinned)}
          onClick={(event) => event.stopPropagation()}
        >
          {handle}
        </TableCell>
      )}
      {itemKey !== null && (
        <TableCell
          padding="checkbox"
          sx={pinnedBefore('choice', pinned)}
          onClick={(event) => event.stopPropagation()}
        >
          <Checkbox
            size="small"
            checked={isSelected}
            onChange={() => onToggle(itemKey)}
            slotProps={{
              input: {
                ...stop('select', columns.length > 0 ? -1 : 0),
                'aria-label': translate('list.select', { key: itemKey }),
                'aria-describedby': headId,
              },
            }}
          />
        </TableCell>
      )}
      {columns.map((column, index) => {
        const { field: name } = column.field;
        const isLinked = index === 0 && to !== null;
        const content = (
          <Cell column={column} item={item} templates={templates} isLinked={isLinked} />
        );
        const isEditable = to !== null && editable.has(name);
        return (
          <TableCell
            key={name}
            {...(index === 0 && { id: headId })}
            {...(isEditable && {
              'data-editable': name,
              tabIndex: active === name ? 0 : -1,
            })}
            align={alignmentOf(column)}
            sx={{ ...CELL, ...pinnedAt(index, pinned), ...(isEditable && EDITABLE) }}
          >
            {isLinked ? (
              <Box
                component={Link}
                to={to}
                {...stop('open', 0)}
                onClick={(event) => event.stopPropagation()}
                sx={LINK}
              >
                {content}
              </Box>
            ) : (
              content
            )}
          </TableCell>
        );
      })}
      {isFilled && <TableCell padding="none" />}
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
          {...stop('move', -1)}
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
