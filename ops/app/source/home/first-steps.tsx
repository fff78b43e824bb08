/** The home of an empty database: what one does first. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { IMPORTS } from '../data/route-of.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';

interface StepProps {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}

function Step({ icon, title, text, children }: StepProps) {
  return (
    <Paper
      component="li"
      variant="outlined"
      sx={{
        ...{ display: 'grid', gap: 1, p: 2.5, justifyItems: 'start' },
        gridTemplateRows: 'auto auto 1fr auto',
      }}
    >
      <Icon name={icon} sx={{ fontSize: 28, color: 'primary.main' }} />
      <Typography variant="h2">{title}</Typography>
      <Typography color="textSecondary">{text}</Typography>
      <Box sx={{ mt: 1 }}>{children}</Box>
    </Paper>
  );
}

export function FirstSteps() {
  const translate = useTranslate();
  return (
    <>
      <Typography color="textSecondary" sx={{ maxWidth: 720 }}>
        {translate('home.emptyText')}
      </Typography>
      <Box
        component="ul"
        sx={{
          ...{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 2 },
          gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 240px), 1fr))',
        }}
      >
        <Step icon="upload" title={translate('home.import')} text={translate('home.importText')}>
          <Button component={Link} to={IMPORTS} variant="contained">
            {translate('home.importStart')}
          </Button>
        </Step>
        <Step icon="schema" title={translate('home.model')} text={translate('home.modelText')}>
          <Button component={Link} to="/model/new-collection" variant="outlined">
            {translate('home.modelStart')}
          </Button>
        </Step>
        <Step icon="menu_book" title={translate('home.docs')} text={translate('home.docsText')}>
          <Button component="a" href="/docs" target="_blank" variant="outlined">
            {translate('home.docsStart')}
          </Button>
        </Step>
      </Box>
    </>
  );
}
