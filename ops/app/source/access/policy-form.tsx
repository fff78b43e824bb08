/** The form of a policy with its permissions: all of it is saved by one request. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useCallback, useMemo } from 'react';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { useDraft } from '../draft/use-draft.ts';
import { NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { AccessForm } from './access-form.tsx';
import { PERMISSIONS, POLICIES } from './access-types.ts';
import { policyRead } from './form-queries.ts';
import { POLICY_LIST, policyPath } from './paths.ts';
import { PermissionMatrix } from './permission-matrix.tsx';
import type { Rule } from './permission-rules.ts';
import { PolicyFields } from './policy-fields.tsx';
import { cellName, itemCells, policyPayload, type StoredPolicy } from './policy-item.ts';
import { PolicyUse } from './policy-use.tsx';
import { usePolicyWords } from './policy-words.tsx';
import { RightsInWords } from './rights-in-words.tsx';
import { useAccessSave } from './use-access-save.ts';

export interface PolicyFormProps {
  readonly stored: StoredPolicy;
  readonly isNew: boolean;
}

const SHOWN = new Set(['name', 'icon', 'description', 'ip_access']);

export function PolicyForm({ stored, isNew }: PolicyFormProps) {
  const translate = useTranslate();
  const rights = useRights();
  const draft = useDraft(stored);
  const { values: policy, base, changes, change } = draft;
  const { id } = stored.item;
  const save = useAccessSave<StoredPolicy>({
    isNew,
    read: policyRead(id),
    draft,
    payloadOf: (sending) => policyPayload(sending, isNew),
    done: 'access.policySaved',
    pathOf: policyPath,
  });
  const cells = useMemo(() => itemCells(policy), [policy]);
  const changed = useMemo(
    () => new Set(itemCells(policy, Object.keys(changes)).keys()),
    [policy, changes],
  );
  const changeCell = useCallback(
    (key: string, rules: readonly Rule[]) => change({ [cellName(key)]: rules }),
    [change],
  );
  const mayWrite = may(rights, POLICIES, isNew ? 'create' : 'update');
  return (
    <AccessForm
      header={{
        title: isNew ? translate('access.newPolicy') : policy.name,
        icon: <NamedIcon name={policy.icon} fallback="badge" color="action" />,
        back: POLICY_LIST,
      }}
      isNew={isNew}
      readOnly={!mayWrite}
      deletion={{
        collection: POLICIES,
        id,
        title: translate('access.deletePolicyTitle', { name: stored.item.name }),
        text: translate('access.deletePolicyText'),
        done: 'access.policyDeleted',
      }}
      draft={draft}
      save={save}
      words={usePolicyWords()}
      shown={SHOWN}
    >
      {(errorOf) => (
        <>
          <Paper variant="outlined" sx={{ p: { xs: 2, md: 3 } }}>
            <PolicyFields
              key={JSON.stringify(base.item.ip_access)}
              policy={policy}
              readOnly={!mayWrite}
              errorOf={errorOf}
              onChange={change}
            />
          </Paper>
          {!isNew && <PolicyUse policy={id} />}
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
                cells={cells}
                changed={changed}
                editable={mayWrite && may(rights, PERMISSIONS, 'create')}
                onChange={changeCell}
              />
            )}
          </Box>
          {!policy.admin_access && <RightsInWords cells={cells} />}
        </>
      )}
    </AccessForm>
  );
}
