/** What a relation is made of, before it is made. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { Part } from '../shell/part.tsx';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { Change } from './change.ts';
import { type Made, madeBy } from './relation-changes.ts';

const ICONS: Readonly<Record<Made['what'], IconName>> = {
  collection: 'database',
  field: 'view_column',
  relation: 'link',
};

export function MadeList({ changes }: { readonly changes: readonly Change[] }) {
  const translate = useTranslate();
  return (
    <Part title={translate('model.willBeMade')}>
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 0.75 }}>
        {madeBy(changes).map(({ what, name }) => (
          <Box
            component="li"
            key={`${what} ${name}`}
            sx={{ display: 'flex', gap: 1.25, alignItems: 'center' }}
          >
            <Icon name={ICONS[what]} sx={{ fontSize: 18, color: 'text.secondary' }} />
            <Typography variant="body2" color="textSecondary" sx={{ minWidth: 88 }}>
              {translate(`model.made.${what}`)}
            </Typography>
            <Typography
              component="code"
              sx={{ fontFamily: 'monospace', fontSize: 13, overflowWrap: 'anywhere' }}
            >
              {name}
            </Typography>
          </Box>
        ))}
      </Box>
    </Part>
  );
}
