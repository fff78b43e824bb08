/** What stands in the place of a list while it is read for the first time, so that nothing jumps. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import { useTranslate } from '../translation/use-translate.ts';

const ROWS = ['72%', '58%', '66%', '80%', '62%', '75%', '55%', '70%', '64%', '78%'];

export function WaitingRows() {
  const translate = useTranslate();
  return (
    <Paper variant="outlined" role="status" aria-label={translate('shell.loading')}>
      {ROWS.map((width) => (
        <Box
          key={width}
          sx={{
            ...{ display: 'flex', alignItems: 'center', height: 40, px: 2 },
            '& + &': { borderTop: 1, borderColor: 'divider' },
          }}
        >
          <Skeleton width={width} />
        </Box>
      ))}
    </Paper>
  );
}
