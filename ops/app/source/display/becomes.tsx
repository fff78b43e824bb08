/** Stands between what was and what is: an arrow in the direction of writing, which is read as a word. */
import Box from '@mui/material/Box';
import { visuallyHidden } from '@mui/utils';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export function Becomes() {
  const translate = useTranslate();
  return (
    <Box component="span" sx={{ display: 'inline-block', position: 'relative', mx: 0.5 }}>
      <Icon
        name="arrow_back"
        sx={{
          ...{ fontSize: '1.1em', verticalAlign: 'text-bottom' },
          transform: (theme) => (theme.direction === 'rtl' ? 'none' : 'scaleX(-1)'),
        }}
      />
      <span style={visuallyHidden}> {translate('shell.becomes')} </span>
    </Box>
  );
}
