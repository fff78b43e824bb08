/** Fields that belong together: below one another, behind a title that opens, or as an accordion. */
import Accordion from '@mui/material/Accordion';
import AccordionDetails from '@mui/material/AccordionDetails';
import AccordionSummary from '@mui/material/AccordionSummary';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useEffect, useState } from 'react';
import type { Field } from '../data/schema-types.ts';
import { textOption } from '../data/values.ts';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import { GRID, ROOM } from './layout.ts';

interface SectionProps {
  readonly field: Field;
  /** Whether something in it is wrong: then it opens, to show it. */
  readonly faulty: boolean;
  readonly startsOpen: boolean;
  readonly children: ReactNode;
}

export function Section({ field, faulty, startsOpen, children }: SectionProps) {
  const [locale] = useLocaleState();
  const [open, setOpen] = useState(startsOpen);
  const icon = textOption(field.meta?.options, 'headerIcon');
  useEffect(() => {
    if (faulty) setOpen(true);
  }, [faulty]);
  return (
    <Accordion
      variant="outlined"
      disableGutters
      expanded={open}
      onChange={(_, next) => setOpen(next)}
      slotProps={{ heading: { component: 'h2' }, transition: { unmountOnExit: true } }}
      sx={{ borderRadius: 2, '&::before': { display: 'none' } }}
    >
      <AccordionSummary expandIcon={<Icon name="expand_more" />}>
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
          {icon !== null && <NamedIcon name={icon} fallback="label" fontSize="small" />}
          <Typography component="span" variant="h3" color={faulty ? 'error' : 'textPrimary'}>
            {fieldName(field, locale)}
          </Typography>
          {field.meta?.note && (
            <Typography component="span" color="textSecondary" sx={{ fontSize: 13 }}>
              {field.meta.note}
            </Typography>
          )}
        </Box>
      </AccordionSummary>
      <AccordionDetails sx={{ pt: 1.5 }}>
        <Box sx={ROOM}>
          <Box sx={GRID}>{children}</Box>
        </Box>
      </AccordionDetails>
    </Accordion>
  );
}
