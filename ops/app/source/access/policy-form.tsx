/** The form of a policy with its permissions: all of it is saved by one request. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useTranslate } from 'ra-core';
import type { FormEvent, KeyboardEvent } from 'react';
import { tellFailure } from '../data/failure.ts';
import { faultsOf } from '../data/faults.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { NamedIcon } from '../theme/icon.tsx';
import type { StoredPolicy } from './access-queries.ts';
import { PERMISSIONS, POLICIES } from './access-types.ts';
import { DeleteButton } from './delete-button.tsx';
import { POLICY_LIST } from './paths.ts';
import { PermissionMatrix } from './permission-matrix.tsx';
import { PolicyConflict } from './policy-conflict.tsx';
import { PolicyFields } from './policy-fields.tsx';
import { PolicyUse } from './policy-use.tsx';
import { usePolicyDraft } from './use-policy-draft.ts';
import { usePolicySave } from './use-policy-save.ts';

export interface PolicyFormProps {
  readonly stored: StoredPolicy;
  readonly isNew: boolean;
}

const FORM = 'policy';
const OWN = new Set(['name', 'icon', 'description', 'ip_access']);

export function PolicyForm({ stored, isNew }: PolicyFormProps) {
  const translate = useTranslate();
  const rights = useRights();
  const draft = usePolicyDraft(stored);
  const { policy, isDirty } = draft;
  const save = usePolicySave({ draft, isNew });
  const mayWrite = may(rights, POLICIES, isNew ? 'create' : 'update');
  const mayGrant = mayWrite && may(rights, PERMISSIONS, 'create');
  // What was refused and taken back is no fault any more.
  const error = draft.dirty ? save.error : null;
  const faults = faultsOf(error, translate);
  const errorOf = (field: string) =>
    faults.find(({ path }) => path[0] === field && path.length === 1)?.message ?? null;
  const elsewhere = error !== null && !faults.some(({ path }) => OWN.has(path[0] ?? ''));
  const failure = elsewhere ? tellFailure(error, translate) : null;
  const submit = () => draft.dirty && !save.isPending && save.mutate(draft);
  return (
    <>
      <PageHeader
        title={isNew ? translate('access.newPolicy') : policy.name}
        icon={<NamedIcon name={policy.icon} fallback="badge" color="action" />}
        back={POLICY_LIST}
        actions={
          <>
            {!isNew && may(rights, POLICIES, 'delete') && (
              <DeleteButton
                collection={POLICIES}
                id={policy.id}
                title={translate('access.deletePolicyTitle', { name: stored.policy.name })}
                text={translate('access.deletePolicyText')}
                done="access.policyDeleted"
                back={POLICY_LIST}
                onGone={draft.reset}
              />
            )}
            {mayWrite && (
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
      <UnsavedChanges when={isDirty} />
      {save.conflict !== null && (
        <PolicyConflict
          draft={draft}
          theirs={save.conflict}
          busy={save.isPending}
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
          submit();
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          submit();
        }}
        sx={{
          p: { xs: 1.5, md: 3 },
          display: 'grid',
          gap: 3,
          gridTemplateColumns: 'minmax(0, 1fr)',
        }}
      >
        {failure !== null && (
          <Alert severity="error" role="alert">
            {translate(failure.text)} {failure.detail}
          </Alert>
        )}
        <Paper variant="outlined" sx={{ p: { xs: 2, md: 3 } }}>
          <PolicyFields
            key={draft.round}
            policy={policy}
            readOnly={!mayWrite}
            errorOf={errorOf}
            onChange={draft.change}
          />
        </Paper>
        {!isNew && <PolicyUse policy={policy.id} />}
        <Box
          component="section"
          aria-labelledby="permissions"
          sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'minmax(0, 1fr)' }}
        >
          <div>
            <Typography variant="h2" id="permissions">
              {translate('access.permissions')}
            </Typography>
            <Typography variant="body2" color="text.secondary">
              {translate('access.permissionsHelp')}
            </Typography>
          </div>
          {policy.admin_access ? (
            <Alert severity="info">{translate('access.administratorsMayAll')}</Alert>
          ) : (
            <PermissionMatrix
              stored={draft.cells}
              changes={draft.cellChanges}
              editable={mayGrant}
              onChange={draft.changeCell}
            />
          )}
        </Box>
      </Box>
    </>
  );
}
