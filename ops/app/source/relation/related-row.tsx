/** A row of a list of related items: what it is, what has happened to it, what can be done with it. */
import { useSortable } from '@dnd-kit/sortable';
import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import type { Fault } from '../data/faults.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { FileSign } from '../display/file-sign.tsx';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { humanize } from '../translation/names.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { Row } from './list-change.ts';
import { type Many, memberOf, targetOf } from './many.ts';
import { useItemName } from './related.ts';
import { targetKey } from './row-edit.ts';

interface RelatedRowProps {
  readonly many: Many;
  readonly row: Row;
  readonly faults: readonly Fault[];
  readonly readOnly: boolean;
  /** Whether the rows can be moved. */
  readonly isOrdered: boolean;
  /** Whether taking it out deletes it. */
  readonly deletes: boolean;
  readonly mayRemove: boolean;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
  /** Moves it by one place; null where the list has no order, or it is at its end. */
  readonly onUp: (() => void) | null;
  readonly onDown: (() => void) | null;
}

/** A button of a row, with its name as a hint. */
export function RowAction({
  name,
  icon,
  onClick,
}: {
  readonly name: string;
  readonly icon: IconName;
  readonly onClick: (() => void) | null;
}) {
  return (
    <Tooltip title={name}>
      <span>
        <IconButton
          size="small"
          aria-label={name}
          disabled={onClick === null}
          onClick={() => onClick?.()}
        >
          <Icon name={icon} fontSize="small" />
        </IconButton>
      </span>
    </Tooltip>
  );
}

/** What happens to a row when the form is saved; null for nothing. */
export function stateOf(row: Row): string | null {
  if (row.kind === 'new') return 'relation.isNew';
  if (row.removed) return 'relation.isRemoved';
  if (row.linked) return 'relation.isLinked';
  return row.change === null ? null : 'relation.isChanged';
}

const NOTHING: Item = {};

export function RelatedRow(props: RelatedRowProps) {
  const {
    many,
    row,
    faults,
    readOnly,
    isOrdered,
    deletes,
    mayRemove,
    onEdit,
    onRemove,
    onUp,
    onDown,
  } = props;
  const translate = useTranslate();
  const sortable = useSortable({ id: row.id, disabled: !isOrdered });
  const { x, y } = sortable.transform ?? { x: 0, y: 0 };
  const target = targetOf(many, row.item);
  const member = memberOf(many, row.item);
  const known = isItem(member) ? member : NOTHING;
  const found = useItemName(
    target ?? '',
    target === null ? null : targetKey(many, row),
    known,
    many.template,
  );
  const name = found === null ? '…' : found || translate('relation.unnamed');
  const removed = row.kind === 'stored' && row.removed;
  const state = stateOf(row);
  const [fault] = faults;
  return (
    <Box
      component="li"
      ref={sortable.setNodeRef}
      style={{
        transform: `translate3d(${x}px, ${y}px, 0)`,
        transition: sortable.transition,
      }}
      sx={{
        ...{ display: 'flex', alignItems: 'center', gap: 1, px: 1, py: 0.5 },
        ...{ borderBottom: 1, borderColor: 'divider', '&:last-of-type': { borderBottom: 0 } },
        ...{ bgcolor: 'background.paper', position: 'relative' },
        zIndex: sortable.isDragging ? 1 : 0,
      }}
    >
      {isOrdered && (
        <Box
          aria-hidden
          {...sortable.listeners}
          sx={{ cursor: 'grab', display: 'flex', touchAction: 'none', color: 'text.secondary' }}
        >
          <Icon name="drag_indicator" fontSize="small" />
        </Box>
      )}
      {target === 'system_files' && <FileSign file={known} size={32} />}
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography
          noWrap
          component="span"
          sx={{ display: 'block', textDecoration: removed ? 'line-through' : 'none' }}
        >
          {many.kind.kind === 'm2a' && target !== null && (
            <Box component="span" sx={{ color: 'text.secondary' }}>
              {humanize(target)}:{' '}
            </Box>
          )}
          {name}
        </Typography>
        {fault !== undefined && (
          <Typography component="span" color="error" sx={{ fontSize: 12 }}>
            {fault.message}
          </Typography>
        )}
      </Box>
      {state !== null && <Chip size="small" label={translate(state)} />}
      {isOrdered && (
        <>
          <RowAction name={translate('relation.up', { name })} icon="arrow_upward" onClick={onUp} />
          <RowAction
            name={translate('relation.down', { name })}
            icon="arrow_downward"
            onClick={onDown}
          />
        </>
      )}
      {!removed && target !== null && (
        <RowAction
          name={translate(readOnly ? 'relation.viewItem' : 'relation.editItem', { name })}
          icon={readOnly ? 'visibility' : 'edit'}
          onClick={onEdit}
        />
      )}
      {!readOnly && mayRemove && (
        <RowAction
          name={translate(
            removed ? 'relation.putBack' : deletes ? 'relation.deleteItem' : 'relation.removeItem',
            { name },
          )}
          icon={removed ? 'undo' : deletes ? 'delete' : 'close'}
          onClick={onRemove}
        />
      )}
    </Box>
  );
}
