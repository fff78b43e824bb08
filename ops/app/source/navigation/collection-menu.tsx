/** The menu of collections with its search. It stays usable with hundreds of them. */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useDeferredValue, useMemo, useState } from 'react';
import { useCollections, useIsAdministrator, useRights } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { BranchList } from './branch-list.tsx';
import { buildTree, searchTree } from './tree.ts';

/** Searching is of use from here on. */
const MANY = 8;

export function CollectionMenu() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const collections = useCollections();
  const rights = useRights();
  const administrator = useIsAdministrator();
  const [withHidden, setWithHidden] = useStore('navigation.hidden', false);
  const [typed, setTyped] = useState('');
  const text = useDeferredValue(typed);
  const tree = useMemo(
    () => buildTree(collections, { rights, locale, withHidden }),
    [collections, rights, locale, withHidden],
  );
  const found = useMemo(() => searchTree(tree, text), [tree, text]);
  const anyHidden = useMemo(
    () => [...collections.values()].some(({ meta }) => meta?.hidden === true && !meta.system),
    [collections],
  );
  const hiddenLabel = translate(withHidden ? 'navigation.hideHidden' : 'navigation.showHidden');
  return (
    <Box
      sx={{ width: 256, maxWidth: 'calc(90vw - 80px)', display: 'flex', flexDirection: 'column' }}
    >
      <Box sx={{ px: 2, pt: 2, pb: 1, display: 'grid', gap: 1 }}>
        <Box sx={{ display: 'flex', alignItems: 'center', minHeight: 34 }}>
          <Typography variant="h2" component="h2" sx={{ flex: 1 }}>
            {translate('navigation.collections')}
          </Typography>
          {anyHidden && (
            <Tooltip title={hiddenLabel}>
              <IconButton
                size="small"
                aria-label={hiddenLabel}
                aria-pressed={withHidden}
                onClick={() => setWithHidden(!withHidden)}
              >
                <Icon name={withHidden ? 'visibility' : 'visibility_off'} fontSize="small" />
              </IconButton>
            </Tooltip>
          )}
        </Box>
        {collections.size > MANY && (
          <TextField
            type="search"
            placeholder={translate('navigation.search')}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            slotProps={{
              htmlInput: { 'aria-label': translate('navigation.search') },
              input: {
                startAdornment: (
                  <InputAdornment position="start">
                    <Icon name="search" fontSize="small" />
                  </InputAdornment>
                ),
              },
            }}
          />
        )}
      </Box>
      <Box sx={{ flex: 1, overflowY: 'auto', px: 1, pb: 2 }}>
        {found.length > 0 ? (
          <BranchList branches={found} searching={text.trim() !== ''} />
        ) : (
          <Typography variant="body2" color="textSecondary" role="status" sx={{ px: 1, py: 1 }}>
            {translate(
              tree.length > 0
                ? 'navigation.nothingFound'
                : administrator
                  ? 'navigation.none'
                  : 'navigation.noneForYou',
            )}
          </Typography>
        )}
      </Box>
    </Box>
  );
}
