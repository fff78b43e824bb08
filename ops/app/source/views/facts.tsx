/** Some facts of an item below its name. */
import Box from '@mui/material/Box';
import type { Item } from '../data/schema-types.ts';
import { Cell } from '../display/cell.tsx';
import type { Column } from '../display/columns.ts';
import { fieldName } from '../translation/names.ts';
import { useLocaleState } from '../translation/use-translate.ts';

export interface FactsProps {
  readonly columns: readonly Column[];
  readonly item: Item;
  readonly templates: ReadonlyMap<string, string>;
}

const LINE = {
  ...{ m: 0, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
} as const;

export function Facts({ columns, item, templates }: FactsProps) {
  const [locale] = useLocaleState();
  const told = columns.filter(({ field }) => {
    const value = item[field.field];
    return value !== null && value !== undefined && value !== '';
  });
  if (told.length === 0) return null;
  return (
    <Box component="dl" sx={{ m: 0, mt: 0.5, display: 'grid', gap: 0.25, fontSize: 13 }}>
      {told.map((column) => (
        <Box key={column.field.field} sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <Box
            component="dt"
            sx={{ ...LINE, color: 'text.secondary', flexShrink: 0, maxWidth: 120 }}
          >
            {fieldName(column.field, locale)}
          </Box>
          <Box component="dd" sx={LINE}>
            <Cell column={column} item={item} templates={templates} />
          </Box>
        </Box>
      ))}
    </Box>
  );
}
