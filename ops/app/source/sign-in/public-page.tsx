/** The frame of pages for those who are not signed in: a card in the middle with the project's name. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { projectQuery } from '../data/queries.ts';
import { Notices } from '../shell/notices.tsx';
import { usePageTitle } from '../shell/page-header.tsx';
import { ProjectMark } from '../shell/project-mark.tsx';
import { LANGUAGES, languageOf } from '../translation/languages.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

function LanguageChoice() {
  const translate = useTranslate();
  const [locale, setLocale] = useLocaleState();
  return (
    <Box
      component="select"
      aria-label={translate('shell.language')}
      value={languageOf(locale)}
      onChange={({ target }) => target instanceof HTMLSelectElement && setLocale(target.value)}
      sx={{ font: 'inherit', color: 'text.secondary', bgcolor: 'transparent', border: 0, p: 0.5 }}
    >
      {LANGUAGES.map(({ locale: value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </Box>
  );
}

/** What stands below the card; on a picture it has paper behind it. */
const BELOW = { display: 'grid', justifyItems: 'center', gap: 1, borderRadius: 2 } as const;

export interface PublicPageProps {
  readonly title: string;
  readonly help?: string;
  readonly children: ReactNode;
}

export function PublicPage({ title, help, children }: PublicPageProps) {
  const project = useQuery(projectQuery).data;
  usePageTitle(title);
  const background = project?.public_background;
  return (
    <Box
      component="main"
      sx={{
        minHeight: '100dvh',
        display: 'grid',
        placeItems: 'center',
        alignContent: 'center',
        p: 2,
        gap: 2,
        ...(background && {
          backgroundImage: `url("/assets/${background}")`,
          backgroundSize: 'cover',
          backgroundPosition: 'center',
        }),
      }}
    >
      <Paper variant="outlined" sx={{ width: '100%', maxWidth: 400, p: { xs: 3, sm: 4 } }}>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, mb: 3 }}>
          <ProjectMark />
          <div>
            <Typography sx={{ fontWeight: 650 }}>{project?.project_name ?? 'Sluice'}</Typography>
            <Typography variant="body2" color="textSecondary">
              {project?.project_descriptor}
            </Typography>
          </div>
        </Box>
        <Typography variant="h1" sx={{ mb: 1 }}>
          {title}
        </Typography>
        {help !== undefined && (
          <Typography color="textSecondary" sx={{ mb: 1 }}>
            {help}
          </Typography>
        )}
        {children}
      </Paper>
      <Box sx={{ ...BELOW, ...(background && { px: 2, py: 1, bgcolor: 'background.paper' }) }}>
        {project?.public_note && (
          <Typography
            variant="body2"
            color="textSecondary"
            sx={{ maxWidth: 400, whiteSpace: 'pre-line' }}
          >
            {project.public_note}
          </Typography>
        )}
        <LanguageChoice />
      </Box>
      <Notices />
    </Box>
  );
}
