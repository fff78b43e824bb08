/** A field in the list of a collection: how it is called, what it holds, how wide it stands in forms. */
import { useSortable } from '@dnd-kit/sortable';
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { type RelationKind, relationOf } from '../data/relation-of.ts';
import type { Field, Relation } from '../data/schema-types.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { typeIcon, typeKey } from './field-types.ts';
import { fieldPath } from './route.ts';
import { WidthSign } from './width-sign.tsx';

export interface FieldRowProps {
  readonly field: Field;
  readonly relations: readonly Relation[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Not while an order is being saved, nor for fields that have no place of their own. */
  readonly movable: boolean;
  readonly onMove: (steps: -1 | 1) => void;
  /** The fields of a group. */
  readonly children?: ReactNode;
}

function relationText(relation: RelationKind): string {
  if (relation.kind === 'm2a') return relation.allowed.join(', ');
  return relation.related;
}

function marksOf({ meta, schema }: Field) {
  const marks: { readonly icon: IconName; readonly key: string }[] = [];
  if (schema?.is_primary_key) marks.push({ icon: 'key', key: 'primary' });
  if (meta?.required) marks.push({ icon: 'star', key: 'required' });
  if (meta?.readonly) marks.push({ icon: 'lock', key: 'readonly' });
  if (meta?.hidden) marks.push({ icon: 'visibility_off', key: 'hidden' });
  if (schema?.index_state === 'building') marks.push({ icon: 'schedule', key: 'building' });
  if (schema?.index_state === 'invalid') marks.push({ icon: 'warning', key: 'invalid' });
  return marks;
}

export function FieldRow(props: FieldRowProps) {
  const { field, relations, isFirst, isLast, movable, onMove, children } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({
    id: field.field,
    disabled: !movable,
  });
  const { meta, type } = field;
  const name = fieldName(field, locale);
  const relation = relationOf(relations, field);
  const about = [
    relation === null
      ? translate(typeKey(type), { _: type })
      : translate(`model.relation.${relation.kind}`, { name: relationText(relation) }),
    ...(meta?.interface && relation === null
      ? [translate(`model.interface.${meta.interface}`, { _: meta.interface })]
      : []),
  ];
  const move = (steps: -1 | 1) => {
    const key = steps < 0 ? 'model.moveUpNamed' : 'model.moveDownNamed';
    return (
      <IconButton
        size="small"
        disabled={!movable || (steps < 0 ? isFirst : isLast)}
        aria-label={translate(key, { name })}
        onClick={() => onMove(steps)}
      >
        <Icon name={steps < 0 ? 'arrow_upward' : 'arrow_downward'} fontSize="small" />
      </IconButton>
    );
  };
  return (
    <Box
      component="li"
      ref={setNodeRef}
      style={{
        ...(transform !== null && { transform: `translateY(${transform.y}px)` }),
        ...(transition !== undefined && { transition }),
        opacity: isDragging ? 0.6 : 1,
      }}
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 2,
        bgcolor: 'background.paper',
        position: 'relative',
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, p: 0.75, paddingInlineEnd: 1 }}>
        <IconButton
          size="small"
          {...attributes}
          {...listeners}
          disabled={!movable}
          aria-label={translate('model.drag', { name })}
          sx={{ cursor: 'grab', touchAction: 'none', color: 'text.secondary' }}
        >
          <Icon name="drag_indicator" fontSize="small" />
        </IconButton>
        <Icon
          name={relation === null ? typeIcon(type) : 'link'}
          sx={{ fontSize: 20, color: 'text.secondary' }}
        />
        <Box sx={{ flex: 1, minWidth: 0, py: 0.25 }}>
          <Box
            component={Link}
            to={fieldPath(field.collection, field.field)}
            sx={{
              color: 'text.primary',
              fontWeight: 600,
              textDecoration: 'none',
              overflowWrap: 'anywhere',
              '&:hover': { textDecoration: 'underline' },
            }}
          >
            {name}
          </Box>{' '}
          <Typography
            component="code"
            sx={{
              display: { xs: 'none', sm: 'inline' },
              fontFamily: 'monospace',
              fontSize: 12.5,
              color: 'text.secondary',
              marginInlineStart: 0.75,
            }}
          >
            {field.field}
          </Typography>
          <Typography variant="body2" color="textSecondary">
            {about.join(' · ')}
          </Typography>
        </Box>
        {marksOf(field).map(({ icon, key }) => (
          <Tooltip key={key} title={translate(`model.mark.${key}`)}>
            <Box
              component="span"
              role="img"
              aria-label={translate(`model.mark.${key}`)}
              sx={{ display: 'inline-flex', color: 'text.secondary' }}
            >
              <Icon name={icon} sx={{ fontSize: 17 }} />
            </Box>
          </Tooltip>
        ))}
        <WidthSign width={meta?.width ?? 'full'} />
        <Box sx={{ display: 'flex', flexShrink: 0 }}>
          {move(-1)}
          {move(1)}
        </Box>
      </Box>
      {children}
    </Box>
  );
}
