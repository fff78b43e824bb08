/** The choice of the kind of a relation, each with what it is for. */
import Box from '@mui/material/Box';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { EditorPicture } from './editor-pictures.tsx';
import { KINDS, type NewKind } from './relation-draft.ts';

export interface KindChoiceProps {
  readonly value: NewKind;
  readonly onChange: (kind: NewKind) => void;
}

export function KindChoice({ value, onChange }: KindChoiceProps) {
  const translate = useTranslate();
  const id = useId();
  return (
    <RadioGroup
      aria-label={translate('model.relationKind')}
      value={value}
      onChange={(_, chosen) => {
        const kind = KINDS.find((known) => known === chosen);
        if (kind !== undefined) onChange(kind);
      }}
      sx={{
        display: 'grid',
        gap: 1,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
      }}
    >
      {KINDS.map((kind) => (
        <Box
          key={kind}
          component="label"
          sx={{
            display: 'flex',
            gap: 1,
            alignItems: 'center',
            border: 1,
            borderColor: kind === value ? 'primary.main' : 'divider',
            bgcolor: kind === value ? 'action.selected' : 'transparent',
            borderRadius: 1,
            p: 1,
            cursor: 'pointer',
          }}
        >
          <Radio
            size="small"
            value={kind}
            sx={{ p: 0.5 }}
            slotProps={{
              input: {
                'aria-labelledby': `${id}-${kind}`,
                'aria-describedby': `${id}-${kind}-help`,
              },
            }}
          />
          <Box sx={{ flex: 1, minWidth: 0 }}>
            <Typography id={`${id}-${kind}`} sx={{ fontWeight: 600, fontSize: 14 }}>
              {translate(`model.kindOf.${kind}`)}
            </Typography>
            <Typography id={`${id}-${kind}-help`} variant="body2" color="textSecondary">
              {translate(`model.kindHelp.${kind}`)}
            </Typography>
          </Box>
          <EditorPicture name={kind} />
        </Box>
      ))}
    </RadioGroup>
  );
}
