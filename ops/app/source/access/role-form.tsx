/** The form of a role: its name, the role above it, its policies, and who is in it. */
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Field } from '../data/schema-types.ts';
import { useDraft } from '../draft/use-draft.ts';
import { IconInterface } from '../interface/icon-choice.tsx';
import { NativeSelect } from '../shell/native-select.tsx';
import { NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { AccessForm } from './access-form.tsx';
import { ACCESS, ROLES, type Role } from './access-types.ts';
import { holderPayload } from './attachments.ts';
import { readsPolicies, roleRead, type StoredHolder } from './form-queries.ts';
import { useHolderWords } from './holder-words.ts';
import { ROLE_LIST, rolePath } from './paths.ts';
import { PolicyAttachments } from './policy-attachments.tsx';
import { roleChain, roleTree } from './role-tree.ts';
import { RoleUsers } from './role-users.tsx';
import { useAccessSave } from './use-access-save.ts';

export interface RoleFormProps {
  readonly stored: StoredHolder<Role>;
  readonly roles: readonly Role[];
  readonly isNew: boolean;
}

const SHOWN = new Set(['name']);
const ICON: Field = { collection: ROLES, field: 'icon', type: 'string', schema: null, meta: null };

export function RoleForm({ stored, roles, isNew }: RoleFormProps) {
  const translate = useTranslate();
  const rights = useRights();
  const { id, name } = stored.item;
  const draft = useDraft(stored);
  const { values: role, change } = draft;
  const save = useAccessSave<StoredHolder<Role>>({
    isNew,
    read: roleRead(id, rights),
    draft,
    payloadOf: (sending) => holderPayload(sending, may(rights, ACCESS, 'update')),
    done: 'access.roleSaved',
    pathOf: rolePath,
  });
  const readOnly = !may(rights, ROLES, isNew ? 'create' : 'update');
  // A role cannot be above itself.
  const above = roleTree(roles).filter(
    (at) => isNew || !roleChain(roles, at.role.id).some((one) => one.id === id),
  );
  return (
    <AccessForm
      header={{
        title: isNew ? translate('access.newRole') : role.name,
        icon: <NamedIcon name={role.icon} fallback="supervised_user_circle" color="action" />,
        back: ROLE_LIST,
      }}
      isNew={isNew}
      readOnly={readOnly}
      deletion={{
        collection: ROLES,
        id,
        title: translate('access.deleteRoleTitle', { name }),
        text: translate('access.deleteRoleText'),
        done: 'access.roleDeleted',
      }}
      draft={draft}
      save={save}
      words={useHolderWords('access.')}
      shown={SHOWN}
      maxWidth={960}
    >
      {(errorOf) => (
        <>
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
            <NativeSelect
              label={translate('access.parent')}
              value={role.parent ?? ''}
              disabled={readOnly}
              helperText={translate('access.parentHelp')}
              onChange={({ target }) =>
                change({ parent: target.value === '' ? null : target.value })
              }
            >
              <option value="">{translate('access.noParent')}</option>
              {above.map((at) => (
                <option key={at.role.id} value={at.role.id}>
                  {'\u2003'.repeat(at.depth)}
                  {at.role.name}
                </option>
              ))}
            </NativeSelect>
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
              value={role.policies}
              readOnly={readOnly || !may(rights, ACCESS, 'create')}
              onChange={(policies) => change({ policies })}
            />
          )}
          {!isNew && <RoleUsers role={id} />}
        </>
      )}
    </AccessForm>
  );
}
