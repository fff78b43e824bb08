/** A collection in the list of all: how it is called, what it is, and where it stands. */
import { useSortable } from '@dnd-kit/sortable';
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import type { CSSProperties, ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { INDENT } from './collection-order.tsx';
import { isSystem, type CollectionRow as Row } from './collection-rows.ts';
import { collectionPath, settingsPath } from './route.ts';

function marksOf({ collection }: Row): readonly string[] {
  const { meta, schema } = collection;
  return [
    ...(schema === null ? ['folder'] : []),
    ...(meta?.singleton ? ['singleton'] : []),
    ...(meta?.hidden ? ['hidden'] : []),
    ...(isSystem(collection) ? ['system'] : []),
  ];
}

interface FrameProps {
  readonly row: Row;
  readonly place?: (node: HTMLElement | null) => void;
  readonly style?: CSSProperties;
  /** Stand before and behind what leads to the collection. */
  readonly before?: ReactNode;
  readonly behind?: ReactNode;
}

function Frame({ row, place, style, before, behind }: FrameProps) {
  const translate = useTranslate();
  const { collection, name, depth } = row;
  const { meta, schema } = collection;
  const isFolder = schema === null;
  return (
    <Box
      component="li"
      ref={place}
      style={style}
      sx={{
        display: 'flex',
        alignItems: 'center',
        position: 'relative',
        bgcolor: 'background.paper',
        paddingInlineStart: `${depth * INDENT}px`,
        '&:not(:first-of-type)': { borderTop: 1, borderColor: 'divider' },
        '&:hover': { bgcolor: 'action.hover' },
      }}
    >
      {before}
      <Box
        component={Link}
        to={isFolder ? settingsPath(collection.collection) : collectionPath(collection.collection)}
        sx={{
          flex: 1,
          minWidth: 0,
          display: 'flex',
          alignItems: 'center',
          gap: 1.5,
          minHeight: 52,
          py: 0.75,
          paddingInlineEnd: 1.5,
          paddingInlineStart: before === undefined ? 2 : 0.75,
          color: 'text.primary',
          textDecoration: 'none',
          '&:focus-visible': { outlineOffset: -2 },
        }}
      >
        <NamedIcon
          name={meta?.icon ?? null}
          fallback={isFolder ? 'folder' : 'list'}
          sx={{ fontSize: 22, color: 'text.secondary' }}
          {...(meta?.color && { style: { color: meta.color } })}
        />
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1.5, alignItems: 'baseline' }}>
            <Typography component="span" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
              {name}
            </Typography>
            <Typography
              component="code"
              sx={{
                fontFamily: 'monospace',
                fontSize: 12.5,
                color: 'text.secondary',
                overflowWrap: 'anywhere',
              }}
            >
              {collection.collection}
            </Typography>
          </Box>
          {meta?.note && (
            <Typography variant="body2" color="textSecondary">
              {meta.note}
            </Typography>
          )}
        </Box>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5, justifyContent: 'flex-end' }}>
          {marksOf(row).map((mark) => (
            <Chip
              key={mark}
              size="small"
              variant="outlined"
              label={translate(`model.mark.${mark}`)}
            />
          ))}
        </Box>
      </Box>
      {behind}
    </Box>
  );
}

export function CollectionRow({ row }: { readonly row: Row }) {
  return <Frame row={row} />;
}

export interface MovableRowProps {
  readonly row: Row;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Not while an order is being saved. */
  readonly movable: boolean;
  /** Among those of the same group. */
  readonly onMove: (steps: -1 | 1) => void;
}

export function MovableRow({ row, isFirst, isLast, movable, onMove }: MovableRowProps) {
  const translate = useTranslate();
  const { name } = row;
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({
    id: row.collection.collection,
    disabled: !movable,
  });
  const move = (steps: -1 | 1) => (
    <IconButton
      size="small"
      disabled={!movable || (steps < 0 ? isFirst : isLast)}
      aria-label={translate(steps < 0 ? 'model.moveUpNamed' : 'model.moveDownNamed', { name })}
      onClick={() => onMove(steps)}
    >
      <Icon name={steps < 0 ? 'arrow_upward' : 'arrow_downward'} fontSize="small" />
    </IconButton>
  );
  return (
    <Frame
      row={row}
      place={setNodeRef}
      style={{
        ...(transform !== null && { transform: `translateY(${transform.y}px)` }),
        ...(transition !== undefined && { transition }),
        ...(isDragging && { opacity: 0.7, zIndex: 1 }),
      }}
      before={
        <IconButton
          size="small"
          {...attributes}
          {...listeners}
          disabled={!movable}
          aria-label={translate('model.drag', { name })}
          sx={{
            marginInlineStart: 0.75,
            cursor: 'grab',
            touchAction: 'none',
            color: 'text.secondary',
          }}
        >
          <Icon name="drag_indicator" fontSize="small" />
        </IconButton>
      }
      behind={
        <Box sx={{ display: 'flex', flexShrink: 0, paddingInlineEnd: 1 }}>
          {move(-1)}
          {move(1)}
        </Box>
      }
    />
  );
}
