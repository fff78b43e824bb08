/** What stands above a long list of related items: which of them it shows. */
import Badge from '@mui/material/Badge';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useId, useState } from 'react';
import { FilterPanel } from '../filter/filter-panel.tsx';
import { countConditions, readFilter } from '../filter/filter-tree.ts';
import { SearchField } from '../shell/search-field.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { Many, RowChoice } from './many.ts';

interface RowFilterProps {
  readonly many: Many;
  /** What the list is called. */
  readonly label: string;
  readonly choice: RowChoice;
  readonly onChange: (choice: RowChoice) => void;
}

/** So many rows are read at a glance. */
const FEW = 10;

export const ALL_ROWS: RowChoice = { search: '', filter: null };

export function isChosen({ search, filter }: RowChoice): boolean {
  return search !== '' || filter !== null;
}

/** Whether a list with so many rows is worth a search. */
export function isLong(rows: number): boolean {
  return rows > FEW;
}

export function RowFilter({ many, label, choice, onChange }: RowFilterProps) {
  const translate = useTranslate();
  const panel = useId();
  const [filtering, setFiltering] = useState(false);
  const { search, filter } = choice;
  const count = filter === null ? 0 : countConditions(readFilter(filter));
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
        {/* The rows of a junction have no texts of their own. */}
        {many.kind.kind === 'o2m' && (
          <SearchField
            label={translate('relation.search', { name: label })}
            value={search}
            onChange={(text) => onChange({ ...choice, search: text })}
          />
        )}
        <Badge badgeContent={count} color="primary">
          <Button
            color="inherit"
            startIcon={<Icon name="filter_list" />}
            aria-label={translate('relation.filter', { name: label })}
            aria-expanded={filtering}
            aria-controls={panel}
            onClick={() => setFiltering(!filtering)}
          >
            {translate('list.filter')}
          </Button>
        </Badge>
      </Box>
      {filtering && (
        <FilterPanel
          id={panel}
          collection={many.rows}
          filter={filter}
          onChange={(next) => onChange({ ...choice, filter: next })}
        />
      )}
    </>
  );
}
