/** What the lines of the picture mean, and which keys work in it. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useTranslate } from '../../translation/use-translate.ts';
import type { EdgeKind } from './graph.ts';

const SIGNS = [
  ['o2m', 'M 2 2 L 12 8 L 2 14 M 2 8 L 46 8 M 40 3 L 40 13'],
  ['m2m', 'M 2 2 L 12 8 L 2 14 M 2 8 L 46 8 M 46 2 L 36 8 L 46 14'],
  ['m2a', 'M 2 2 L 12 8 L 2 14 M 2 8 L 12 8 M 40 3 L 40 13'],
] as const satisfies readonly (readonly [EdgeKind, string])[];

export function Legend() {
  const translate = useTranslate();
  return (
    <Box
      dir="auto"
      sx={{
        ...{ bgcolor: 'background.paper', border: 1, borderColor: 'divider', borderRadius: 1 },
        ...{ px: 1.25, py: 0.75, display: { xs: 'none', sm: 'grid' }, gap: 0.25, maxWidth: 420 },
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2 }}>
        {SIGNS.map(([kind, path]) => (
          <Box key={kind} sx={{ display: 'flex', alignItems: 'center', gap: 0.75 }}>
            <Box component="svg" viewBox="0 0 48 16" aria-hidden sx={{ width: 36, height: 12 }}>
              <path d={path} fill="none" stroke="currentColor" strokeWidth="1.75" />
              {kind === 'm2a' && (
                <path
                  d="M 12 8 L 46 8"
                  stroke="currentColor"
                  strokeWidth="1.75"
                  strokeDasharray="5 4"
                />
              )}
            </Box>
            <Typography variant="caption">{translate(`picture.legend.${kind}`)}</Typography>
          </Box>
        ))}
      </Box>
      <Typography variant="caption" color="textSecondary" id="picture-keys">
        {translate('picture.keys')}
      </Typography>
    </Box>
  );
}
