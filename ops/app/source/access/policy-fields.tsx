/** What a policy is called, and what it gives or demands besides its permissions. */
import Box from '@mui/material/Box';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import type { Field } from '../data/schema-types.ts';
import { IconInterface } from '../interface/icon-choice.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { POLICIES, type Policy } from './access-types.ts';

type OwnFields = Omit<Policy, 'id'>;

export interface PolicyFieldsProps {
  readonly policy: OwnFields;
  readonly readOnly: boolean;
  /** What is wrong with a field, in words. */
  readonly errorOf: (field: string) => string | null;
  readonly onChange: (part: Partial<OwnFields>) => void;
}

const ICON: Field = {
  collection: POLICIES,
  field: 'icon',
  type: 'string',
  schema: null,
  meta: null,
};

interface FlagProps {
  readonly name: 'admin_access' | 'app_access' | 'enforce_tfa';
  readonly of: PolicyFieldsProps;
}

function Flag({ name, of: { policy, readOnly, onChange } }: FlagProps) {
  const translate = useTranslate();
  const help = `policy-${name}`;
  return (
    <Box>
      <FormControlLabel
        control={
          <Switch
            checked={policy[name]}
            disabled={readOnly}
            onChange={(_, checked) => onChange({ [name]: checked })}
            slotProps={{ input: { 'aria-describedby': help } }}
          />
        }
        label={translate(`access.policy.${name}`)}
      />
      <FormHelperText id={help} sx={{ mt: -0.25, ml: 5.75 }}>
        {translate(`access.policy.${name}Help`)}
      </FormHelperText>
    </Box>
  );
}

/** One address in each line. While it is typed, a line may be empty. */
function Addresses({ policy, readOnly, errorOf, onChange }: PolicyFieldsProps) {
  const translate = useTranslate();
  const [text, setText] = useState(() => policy.ip_access?.join('\n') ?? '');
  const error = errorOf('ip_access');
  return (
    <TextField
      label={translate('access.policy.ip_access')}
      value={text}
      multiline
      minRows={2}
      disabled={readOnly}
      error={error !== null}
      helperText={error ?? translate('access.policy.ip_accessHelp')}
      onChange={({ target }) => {
        setText(target.value);
        const lines = target.value.split(/[\n,]/).map((line) => line.trim());
        const entries = lines.filter((line) => line !== '');
        onChange({ ip_access: entries.length === 0 ? null : entries });
      }}
      slotProps={{ htmlInput: { dir: 'ltr', spellCheck: false } }}
    />
  );
}

export function PolicyFields(props: PolicyFieldsProps) {
  const { policy, readOnly, errorOf, onChange } = props;
  const translate = useTranslate();
  const nameError = errorOf('name');
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2.5,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
        alignItems: 'start',
      }}
    >
      <Box sx={{ display: 'grid', gap: 2 }}>
        <TextField
          label={translate('access.name')}
          value={policy.name}
          required
          disabled={readOnly}
          error={nameError !== null}
          helperText={nameError}
          onChange={({ target }) => onChange({ name: target.value })}
          slotProps={{ htmlInput: { maxLength: 100, dir: 'auto' } }}
        />
        <IconInterface
          field={ICON}
          label={translate('access.icon')}
          value={policy.icon}
          onChange={(icon) => onChange({ icon: String(icon ?? 'badge') })}
          readOnly={readOnly}
          required={false}
          error={errorOf('icon')}
        />
        <TextField
          label={translate('access.description')}
          value={policy.description ?? ''}
          multiline
          minRows={2}
          disabled={readOnly}
          onChange={({ target }) =>
            onChange({ description: target.value === '' ? null : target.value })
          }
          slotProps={{ htmlInput: { dir: 'auto' } }}
        />
      </Box>
      <Box sx={{ display: 'grid', gap: 1.5 }}>
        <Flag name="app_access" of={props} />
        <Flag name="admin_access" of={props} />
        <Flag name="enforce_tfa" of={props} />
        <Addresses {...props} />
      </Box>
    </Box>
  );
}
