/** What stands above the library: searching, the type, the order, and the view. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { NativeSelect } from '../shell/native-select.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FILE_SORTS, FILE_TYPES, type LibraryState } from './library-query.ts';

export interface LibraryBarProps {
  readonly state: LibraryState;
  readonly change: (changes: Readonly<Record<string, string>>) => void;
  readonly isTable: boolean;
  readonly onTable: (isTable: boolean) => void;
  /** Null while it is not known. */
  readonly count: number | null;
}

export function LibraryBar({ state, change, isTable, onTable, count }: LibraryBarProps) {
  const translate = useTranslate();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5, mb: 2 }}>
      <TextField
        type="search"
        label={translate('files.search')}
        value={state.search}
        onChange={({ target }) => change({ search: target.value })}
        sx={{ maxWidth: { sm: 260 } }}
      />
      <NativeSelect
        label={translate('files.type')}
        value={state.type ?? ''}
        onChange={({ target }) => change({ type: target.value })}
        sx={{ width: { xs: 'calc(50% - 6px)', sm: 160 } }}
      >
        <option value="">{translate('files.anyType')}</option>
        {FILE_TYPES.map((type) => (
          <option key={type} value={type}>
            {translate(`files.type_${type}`)}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        label={translate('files.order')}
        value={state.sort}
        onChange={({ target }) => change({ sort: target.value === 'newest' ? '' : target.value })}
        sx={{ width: { xs: 'calc(50% - 6px)', sm: 160 } }}
      >
        {FILE_SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {translate(`files.sort_${sort}`)}
          </option>
        ))}
      </NativeSelect>
      <Typography variant="body2" color="textSecondary" role="status">
        {count !== null && translate('files.count', { smart_count: count })}
      </Typography>
      <Box sx={{ flex: 1 }} />
      <ToggleButtonGroup
        exclusive
        size="small"
        value={isTable ? 'table' : 'grid'}
        aria-label={translate('files.view')}
        onChange={(_, view) => view !== null && onTable(view === 'table')}
      >
        <ToggleButton value="grid" aria-label={translate('files.asGrid')}>
          <Icon name="grid_view" fontSize="small" />
        </ToggleButton>
        <ToggleButton value="table" aria-label={translate('files.asTable')}>
          <Icon name="list" fontSize="small" />
        </ToggleButton>
      </ToggleButtonGroup>
    </Box>
  );
}
