/** A card of a board: an item with some facts, moved by dragging or by its menu. */
import { useDraggable } from '@dnd-kit/core';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Paper from '@mui/material/Paper';
import type { MouseEvent } from 'react';
import { Link } from 'react-router-dom';
import { itemPath } from '../data/route-of.ts';
import type { Item } from '../data/schema-types.ts';
import type { Column } from '../display/columns.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { Facts } from './facts.tsx';
import { useFocusWhen } from './use-focus-when.ts';
import { nameOf, type ViewProps } from './view.ts';

export interface BoardCardProps {
  readonly view: ViewProps;
  readonly facts: readonly Column[];
  readonly item: Item;
  /** The column that it is in. */
  readonly from: string;
  /** Null where the item cannot be opened. */
  readonly itemKey: string | null;
  readonly isMovable: boolean;
  /** Takes the focus when it appears: it was moved by its menu. */
  readonly takesFocus: boolean;
  readonly onMenu: (event: MouseEvent<HTMLElement>, item: Item) => void;
}

const LINK = {
  ...{ color: 'text.primary', fontWeight: 600, textDecoration: 'none', overflowWrap: 'anywhere' },
  '&:hover': { textDecoration: 'underline' },
} as const;

export function BoardCard(props: BoardCardProps) {
  const { view, facts, item, from, itemKey, isMovable, takesFocus, onMenu } = props;
  const translate = useTranslate();
  const name = nameOf(view, item);
  const button = useFocusWhen<HTMLButtonElement>(takesFocus);
  const { setNodeRef, listeners, isDragging } = useDraggable({
    id: itemKey ?? name,
    disabled: !isMovable,
    data: { item, from },
  });
  return (
    <Paper
      component="li"
      variant="outlined"
      ref={setNodeRef}
      {...listeners}
      sx={{
        ...{ p: 1.25, listStyle: 'none', opacity: isDragging ? 0.4 : 1 },
        cursor: isMovable ? 'grab' : 'default',
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 0.5 }}>
        <Box sx={{ flex: 1, minWidth: 0 }}>
          {itemKey === null ? (
            name
          ) : (
            <Box
              component={Link}
              draggable={false}
              to={itemPath(view.collection.collection, itemKey)}
              sx={LINK}
            >
              {name}
            </Box>
          )}
        </Box>
        {isMovable && (
          <IconButton
            size="small"
            aria-haspopup="menu"
            aria-label={translate('views.moveItem', { name })}
            ref={button}
            onClick={(event) => onMenu(event, item)}
            sx={{ m: -0.5 }}
          >
            <Icon name="more_vert" fontSize="small" />
          </IconButton>
        )}
      </Box>
      <Facts columns={facts} item={item} templates={view.templates} />
    </Paper>
  );
}
