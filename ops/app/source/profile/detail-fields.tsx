/** The fields about the own person; those that the caller may not change are shown as they are. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useRights } from '../data/queries.ts';
import { mayField } from '../data/rights.ts';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { DETAILS, type Detail, type Details, detailText, USERS } from './profile-query.ts';

export interface DetailFieldsProps {
  readonly values: Details;
  /** What is wrong with a field, in words. */
  readonly errorOf: (field: string) => string | null;
  readonly onChange: (part: Details) => void;
  /** The present password; null where it is not asked for. */
  readonly password: string | null;
  readonly onPassword: (password: string) => void;
}

const COMPLETION: Readonly<Partial<Record<Detail, string>>> = {
  first_name: 'given-name',
  last_name: 'family-name',
  email: 'email',
  title: 'organization-title',
};

function One({ of, name }: { readonly of: DetailFieldsProps; readonly name: Detail }) {
  const translate = useTranslate();
  const rights = useRights();
  const { values, errorOf, onChange } = of;
  const isWritable = mayField(rights, USERS, 'update', name);
  const error = errorOf(name);
  return (
    <TextField
      label={translate(detailText(name))}
      value={values[name] ?? ''}
      multiline={name === 'description'}
      error={error !== null}
      helperText={error ?? (!isWritable && name === 'email' && translate('profile.emailFixed'))}
      onChange={({ target }) => onChange({ [name]: target.value === '' ? null : target.value })}
      sx={name === 'description' ? { gridColumn: '1 / -1' } : undefined}
      slotProps={{
        htmlInput: {
          dir: name === 'email' ? 'ltr' : 'auto',
          readOnly: !isWritable,
          autoComplete: COMPLETION[name] ?? 'off',
          ...(name === 'email' && { inputMode: 'email' }),
        },
      }}
    />
  );
}

export function DetailFields(props: DetailFieldsProps) {
  const { values, errorOf, password, onPassword } = props;
  const translate = useTranslate();
  const rights = useRights();
  const isRefused = errorOf('current_password') !== null;
  // An empty field that may not be filled says nothing.
  const shown = DETAILS.filter(
    (name) => name in values && (mayField(rights, USERS, 'update', name) || values[name]),
  );
  return (
    <Part title={translate('profile.details')}>
      <Box
        sx={{
          ...{ display: 'grid', gap: 2, alignItems: 'start' },
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        {shown.map((name) => (
          <One key={name} of={props} name={name} />
        ))}
        {password !== null && (
          <TextField
            label={translate('profile.currentPassword')}
            type="password"
            value={password}
            error={isRefused}
            helperText={translate(`profile.${isRefused ? 'passwordNeeded' : 'passwordForEmail'}`)}
            onChange={({ target }) => onPassword(target.value)}
            slotProps={{ htmlInput: { dir: 'ltr', autoComplete: 'current-password' } }}
          />
        )}
      </Box>
    </Part>
  );
}
