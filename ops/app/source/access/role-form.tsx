/** The form of a role: its name, the role above it, its policies, and who is in it. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import { useTranslate } from 'ra-core';
import type { FormEvent } from 'react';
import { tellFailure } from '../data/failure.ts';
import { faultsOf } from '../data/faults.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Field } from '../data/schema-types.ts';
import { IconInterface } from '../interface/icon-choice.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { NamedIcon } from '../theme/icon.tsx';
import { ACCESS, ROLES, type Role } from './access-types.ts';
import { DeleteButton } from './delete-button.tsx';
import { HolderConflict } from './holder-conflict.tsx';
import { readsPolicies, roleRead, type StoredHolder } from './holder-queries.ts';
import { ROLE_LIST, rolePath } from './paths.ts';
import { PolicyAttachments } from './policy-attachments.tsx';
import { roleChain, roleTree } from './role-tree.ts';
import { RoleUsers } from './role-users.tsx';
import { useHolderDraft } from './use-holder-draft.ts';
import { useHolderSave } from './use-holder-save.ts';

export interface RoleFormProps {
  readonly stored: StoredHolder<Role>;
  readonly roles: readonly Role[];
  readonly isNew: boolean;
}

const FORM = 'role';
const ICON: Field = { collection: ROLES, field: 'icon', type: 'string', schema: null, meta: null };

export function RoleForm({ stored, roles, isNew }: RoleFormProps) {
  const translate = useTranslate();
  const rights = useRights();
  const { id } = stored.value;
  const draft = useHolderDraft(stored, may(rights, ACCESS, 'update'));
  const { value: role, change } = draft;
  const save = useHolderSave<Role>({
    collection: ROLES,
    id: isNew ? null : id,
    read: roleRead(id, rights),
    draft,
    done: 'access.roleSaved',
    pathOf: rolePath,
  });
  const readOnly = !may(rights, ROLES, isNew ? 'create' : 'update');
  // What was refused and taken back is no fault any more.
  const error = draft.dirty ? save.error : null;
  const faults = faultsOf(error, translate);
  const errorOf = (field: string) => faults.find(({ path }) => path[0] === field)?.message ?? null;
  const failure = error !== null && errorOf('name') === null ? tellFailure(error, translate) : null;
  // A role cannot be above itself.
  const above = roleTree(roles).filter(
    (at) => isNew || !roleChain(roles, at.role.id).some((one) => one.id === id),
  );
  return (
    <>
      <PageHeader
        title={isNew ? translate('access.newRole') : role.name}
        icon={<NamedIcon name={role.icon} fallback="supervised_user_circle" color="action" />}
        back={ROLE_LIST}
        actions={
          <>
            {!isNew && may(rights, ROLES, 'delete') && (
              <DeleteButton
                collection={ROLES}
                id={id}
                title={translate('access.deleteRoleTitle', { name: stored.value.name })}
                text={translate('access.deleteRoleText')}
                done="access.roleDeleted"
                back={ROLE_LIST}
                onGone={draft.reset}
              />
            )}
            {!readOnly && (
              <Button
                type="submit"
                form={FORM}
                variant="contained"
                loading={save.isPending}
                disabled={!draft.dirty}
              >
                {translate('shell.save')}
              </Button>
            )}
          </>
        }
      />
      <UnsavedChanges when={draft.isDirty} />
      {save.conflict !== null && (
        <HolderConflict
          draft={draft}
          theirs={save.conflict}
          busy={save.isPending}
          nameOf={(field) => translate(`access.${field}`)}
          onSave={save.mutate}
          onClose={save.endConflict}
        />
      )}
      <Box
        component="form"
        id={FORM}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (draft.dirty && !save.isPending) save.mutate(draft);
        }}
        sx={{
          p: { xs: 1.5, md: 3 },
          display: 'grid',
          gap: 3,
          gridTemplateColumns: 'minmax(0, 1fr)',
          maxWidth: 960,
        }}
      >
        {failure !== null && (
          <Alert severity="error" role="alert">
            {translate(failure.text)} {failure.detail}
          </Alert>
        )}
        <Paper
          variant="outlined"
          sx={{
            p: { xs: 2, md: 3 },
            display: 'grid',
            gap: 2,
            gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' },
            alignItems: 'start',
          }}
        >
          <TextField
            label={translate('access.name')}
            value={role.name}
            required
            disabled={readOnly}
            error={errorOf('name') !== null}
            helperText={errorOf('name')}
            onChange={({ target }) => change({ name: target.value })}
            slotProps={{ htmlInput: { maxLength: 100, dir: 'auto' } }}
          />
          <IconInterface
            field={ICON}
            label={translate('access.icon')}
            value={role.icon}
            onChange={(icon) => change({ icon: String(icon ?? 'supervised_user_circle') })}
            readOnly={readOnly}
            required={false}
            error={null}
          />
          <TextField
            select
            label={translate('access.parent')}
            value={role.parent ?? ''}
            disabled={readOnly}
            helperText={translate('access.parentHelp')}
            onChange={({ target }) => change({ parent: target.value === '' ? null : target.value })}
            slotProps={{ select: { native: true }, inputLabel: { shrink: true } }}
          >
            <option value="">{translate('access.noParent')}</option>
            {above.map((at) => (
              <option key={at.role.id} value={at.role.id}>
                {'\u2003'.repeat(at.depth)}
                {at.role.name}
              </option>
            ))}
          </TextField>
          <TextField
            label={translate('access.description')}
            value={role.description ?? ''}
            multiline
            minRows={1}
            disabled={readOnly}
            onChange={({ target }) =>
              change({ description: target.value === '' ? null : target.value })
            }
            slotProps={{ htmlInput: { dir: 'auto' } }}
          />
        </Paper>
        {readsPolicies(rights, ROLES) && (
          <PolicyAttachments
            help={translate('access.rolePoliciesHelp')}
            value={draft.policies}
            readOnly={readOnly || !may(rights, ACCESS, 'create')}
            onChange={draft.changePolicies}
          />
        )}
        {!isNew && <RoleUsers role={id} />}
      </Box>
    </>
  );
}
