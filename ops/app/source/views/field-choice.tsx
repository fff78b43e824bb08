/** The options of a view: by which field it is made. */
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { Column } from '../display/columns.ts';
import { Choice } from '../shell/choice.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

export interface FieldChoiceProps {
  readonly label: string;
  readonly candidates: readonly Column[];
  readonly value: Column | undefined;
  /** Whether no field is a choice, too; its name is an empty text. */
  readonly optional?: boolean;
  readonly onChange: (field: string) => void;
}

/** The row of options above a view. */
export function ViewOptions({ children }: { readonly children: ReactNode }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5, mb: 1.5 }}>
      {children}
    </Box>
  );
}

/** Nothing where there is nothing to choose from. */
export function FieldChoice({ label, candidates, value, optional, onChange }: FieldChoiceProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  if (candidates.length < 2 && !optional) return null;
  const options = candidates.map(({ field }) => [field.field, fieldName(field, locale)] as const);
  return (
    <Box sx={{ minWidth: 150, bgcolor: 'background.paper' }}>
      <Choice
        label={label}
        value={value?.field.field ?? ''}
        options={optional ? [['', translate('views.noField')], ...options] : options}
        onChange={onChange}
      />
    </Box>
  );
}
