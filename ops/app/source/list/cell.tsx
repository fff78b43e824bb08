/** What stands in a cell of a list: a value, the name of a related item, or how many there are. */
import Box from '@mui/material/Box';
import { useTranslate } from 'ra-core';
import type { Item } from '../data/schema-types.ts';
import { fillTemplate } from '../display/template.ts';
import { Nothing, Value } from '../display/value.tsx';
import { Icon } from '../theme/icon.tsx';
import type { Column } from './columns.ts';

interface CellProps {
  readonly column: Column;
  readonly item: Item;
  readonly templates: ReadonlyMap<string, string>;
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A small picture of a file that is an image, else a sign of a file. */
function Thumbnail({ file }: { readonly file: Item }) {
  const isImage = typeof file.type === 'string' && file.type.startsWith('image/');
  if (!isImage) return <Icon name="file" sx={{ color: 'text.secondary' }} />;
  return (
    <Box
      component="img"
      src={`/assets/${file.id}?key=system-small-cover`}
      alt=""
      loading="lazy"
      sx={{ width: 32, height: 32, borderRadius: 1, objectFit: 'cover', display: 'block' }}
    />
  );
}

function Content({ column: { field, relation }, item, templates }: CellProps) {
  const translate = useTranslate();
  const value = item[field.field];
  if (relation === null) return <Value field={field} value={value} />;
  if (relation.kind !== 'm2o') {
    const count = Number(item[`${field.field}_count`] ?? 0);
    return count === 0 ? <Nothing /> : translate('list.items', { smart_count: count });
  }
  if (!isItem(value)) return <Value field={field} value={value} />;
  const name = fillTemplate(templates.get(relation.related) ?? '', value);
  if (relation.related !== 'system_files') return name === '' ? <Nothing /> : name;
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1 }}>
      <Thumbnail file={value} />
      {name}
    </Box>
  );
}

/** A value has a direction of its own, whichever the App is written in. */
export function Cell(props: CellProps) {
  return (
    <bdi>
      <Content {...props} />
    </bdi>
  );
}
