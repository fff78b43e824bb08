/**
 * The command palette: one types, and goes to a collection, an item or a page, or does something. The
 * keyboard stays in the field.
 */
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import InputBase from '@mui/material/InputBase';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import useAutocomplete from '@mui/material/useAutocomplete';
import { visuallyHidden } from '@mui/utils';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router-dom';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { type Entry, fittingEntries } from './entry.ts';
import { useEntries } from './use-entries.tsx';

const GROUP_NAME = {
  px: 2,
  pt: 1.5,
  pb: 0.5,
  fontSize: 12,
  fontWeight: 650,
  color: 'text.secondary',
} as const;

const OPTION = {
  display: 'flex',
  alignItems: 'center',
  gap: 1.5,
  mx: 1,
  px: 1,
  minHeight: 40,
  borderRadius: 1,
  cursor: 'pointer',
  '& svg': { fontSize: 20, flexShrink: 0, color: 'text.secondary' },
  '&.Mui-focused': { bgcolor: 'action.selected' },
} as const;

const LIST = { listStyle: 'none', m: 0, p: 0 } as const;
const ONE_LINE = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const { entries, isSearching } = useEntries(typed);
  const options = fittingEntries(entries, typed);
  const run = ({ to, act }: Entry) => {
    // The focus is back on the screen before something else takes it.
    flushSync(onClose);
    act?.();
    if (to === undefined) return;
    void navigate(to);
    document.querySelector('main')?.focus();
  };
  const list = useAutocomplete<Entry, false, false, false>({
    open: true,
    // What is typed stays, and Enter takes the entry that is highlighted.
    clearOnBlur: false,
    selectOnFocus: false,
    handleHomeEndKeys: false,
    autoHighlight: true,
    clearOnEscape: false,
    disableCloseOnSelect: true,
    options,
    filterOptions: (all) => all,
    groupBy: ({ group }) => group,
    getOptionLabel: (option) => option.title,
    getOptionKey: (option) => option.id,
    value: null,
    inputValue: typed,
    onInputChange: (_, text, reason) => reason === 'input' && setTyped(text),
    onChange: (_, chosen) => chosen !== null && run(chosen),
    onClose: (_, reason) => reason === 'escape' && onClose(),
  });
  const groups = [
    ...Map.groupBy(
      options.map((entry, index) => ({ entry, index })),
      ({ entry }) => entry.group,
    ),
  ];
  const { color: _, ...input } = list.getInputProps();
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
      slotProps={{
        paper: {
          'aria-label': translate('palette.title'),
          sx: { mx: 2, my: { xs: 2, sm: '12vh' }, width: 'calc(100% - 32px)', maxHeight: '72vh' },
        },
      }}
    >
      <Box {...list.getRootProps()} sx={{ display: 'flex', flexDirection: 'column', minHeight: 0 }}>
        <InputBase
          fullWidth
          autoFocus
          placeholder={translate('palette.placeholder')}
          startAdornment={<Icon name="search" sx={{ mr: 1.5, color: 'text.secondary' }} />}
          slotProps={{ input: { ...input, 'aria-label': translate('palette.title') } }}
          sx={{
            px: 2,
            py: 1.25,
            fontSize: '1rem',
            borderBottom: 1,
            borderColor: 'divider',
            '&.Mui-focused': { borderColor: 'primary.main' },
          }}
        />
        <Box sx={{ height: 2 }}>
          {isSearching && (
            <LinearProgress aria-label={translate('palette.searching')} sx={{ height: 2 }} />
          )}
        </Box>
        <Typography role="status" style={visuallyHidden}>
          {translate('palette.results', { smart_count: options.length })}
        </Typography>
        {options.length === 0 ? (
          <Typography color="textSecondary" sx={{ px: 2, py: 4, textAlign: 'center' }}>
            {translate(isSearching ? 'palette.searching' : 'palette.nothing')}
          </Typography>
        ) : (
          <Box
            component="ul"
            {...list.getListboxProps()}
            aria-labelledby={undefined}
            aria-label={translate('palette.results', { smart_count: options.length })}
            sx={{ ...LIST, overflowY: 'auto', overflowX: 'hidden', minHeight: 0, pb: 1 }}
          >
            {groups.map(([group, members]) => (
              <Box
                component="li"
                key={group}
                role="group"
                aria-label={translate(`palette.group_${group}`)}
              >
                <Box aria-hidden sx={GROUP_NAME}>
                  {translate(`palette.group_${group}`)}
                </Box>
                <Box component="ul" role="presentation" sx={LIST}>
                  {members.map(({ entry, index }) => {
                    const { key, ...option } = list.getOptionProps({ option: entry, index });
                    return (
                      <Box component="li" key={key} {...option} sx={OPTION}>
                        {entry.icon}
                        <Box component="span" sx={{ flex: '0 1 auto', minWidth: 0, ...ONE_LINE }}>
                          {entry.title}
                        </Box>
                        {entry.detail !== undefined && (
                          <Box
                            component="span"
                            sx={{ ml: 'auto', fontSize: 13, color: 'text.secondary', ...ONE_LINE }}
                          >
                            {entry.detail}
                          </Box>
                        )}
                      </Box>
                    );
                  })}
                </Box>
              </Box>
            ))}
          </Box>
        )}
      </Box>
    </Dialog>
  );
}
