/** What stands in a cell of a list: a value, the name of a related item, or how many there are. */
import Box from '@mui/material/Box';
import type { Item } from '../data/schema-types.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { Column } from './columns.ts';
import { FileSign } from './file-sign.tsx';
import { fillTemplate } from './template.ts';
import { Nothing, Value } from './value.tsx';

interface CellProps {
  readonly column: Column;
  readonly item: Item;
  readonly templates: ReadonlyMap<string, string>;
  /** It stands in the link of the item. */
  readonly isLinked?: boolean;
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function Content({ column, item, templates, isLinked = false }: CellProps) {
  const translate = useTranslate();
  const { field, relation, isState } = column;
  const value = item[field.field];
  if (relation === null) {
    return <Value field={field} value={value} isState={isState} isLinked={isLinked} isRelative />;
  }
  if (relation.kind !== 'm2o') {
    const count = Number(item[`${field.field}_count`] ?? 0);
    return count === 0 ? <Nothing /> : translate('list.items', { smart_count: count });
  }
  if (!isItem(value)) return <Value field={field} value={value} />;
  const name = fillTemplate(templates.get(relation.related) ?? '', value);
  if (relation.related !== 'system_files') return name === '' ? <Nothing /> : name;
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1 }}>
      <FileSign file={value} size={32} />
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
