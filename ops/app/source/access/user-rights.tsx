/** The policies that count for a user, and the matrix of what comes of them. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import Typography from '@mui/material/Typography';
import { useCallback, useMemo, useState } from 'react';
import { useCollections } from '../data/queries.ts';
import { SideDrawer } from '../shell/side-drawer.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { ACTIONS, type Action, type Permission, type User } from './access-types.ts';
import { CountingPolicies } from './counting-policies.tsx';
import { type CountingPolicy, effectiveCells, fullCells } from './effective.ts';
import { Matrix } from './matrix.tsx';
import type { MatrixRow } from './matrix-rows.ts';
import { cellKey, FULL_RULE } from './permission-rules.ts';
import { RightsInWords } from './rights-in-words.tsx';
import { RuleWords } from './rule-words.tsx';

export interface UserRightsProps {
  readonly user: User;
  readonly counting: readonly CountingPolicy[];
  readonly permissions: readonly Permission[];
}

interface Opened {
  readonly anchor: HTMLElement;
  readonly row: MatrixRow;
  readonly action: Action;
}

const ALL = [{ ...FULL_RULE, policy: null }];

export function UserRights({ user, counting, permissions }: UserRightsProps) {
  const translate = useTranslate();
  const collections = useCollections();
  const [anywhere, setAnywhere] = useState(true);
  const [opened, setOpened] = useState<Opened | null>(null);
  const isLimited = counting.some(({ policy }) => policy.ip_access !== null);
  const effective = useMemo(
    () => counting.filter(({ policy }) => anywhere || policy.ip_access === null),
    [counting, anywhere],
  );
  const administrator = effective.some(({ policy }) => policy.admin_access);
  const found = useMemo(
    () => effectiveCells(effective, permissions, collections),
    [effective, permissions, collections],
  );
  const cells = useMemo(
    () => (administrator ? fullCells(collections.keys(), ACTIONS, FULL_RULE) : found),
    [administrator, collections, found],
  );
  const open = useCallback((anchor: HTMLElement, row: MatrixRow, action: Action | null) => {
    if (action !== null) setOpened({ anchor, row, action });
  }, []);
  const rules =
    opened === null
      ? []
      : administrator
        ? ALL
        : (found.get(cellKey(opened.row.collection, opened.action)) ?? []);
  const originOf = (policy: string | null) => {
    const name = effective.find((known) => known.policy.id === policy)?.policy.name;
    return name === undefined
      ? translate(administrator ? 'access.fromAdministrator' : 'access.fromApp')
      : translate('access.fromPolicy', { name });
  };
  return (
    <Box
      sx={{ p: { xs: 1.5, md: 3 }, display: 'grid', gap: 3, gridTemplateColumns: 'minmax(0, 1fr)' }}
    >
      {user.status !== 'active' && (
        <Alert severity="warning">{translate('access.notActive')}</Alert>
      )}
      {administrator && <Alert severity="info">{translate('access.isAdministrator')}</Alert>}
      <CountingPolicies counting={counting} effective={effective} />
      {isLimited && (
        <FormControlLabel
          control={<Switch checked={anywhere} onChange={(_, next) => setAnywhere(next)} />}
          label={translate('access.countLimited')}
        />
      )}
      <Box
        component="section"
        aria-labelledby="result"
        sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'minmax(0, 1fr)' }}
      >
        <div>
          <Typography variant="h2" id="result">
            {translate('access.result')}
          </Typography>
          <Typography variant="body2" color="text.secondary">
            {translate('access.resultHelp')}
          </Typography>
        </div>
        <Matrix cells={cells} editable={false} onOpen={open} />
      </Box>
      {!administrator && <RightsInWords cells={cells} />}
      {opened !== null && (
        <SideDrawer
          title={`${opened.row.label}: ${translate(`access.action.${opened.action}`)}`}
          onClose={() => {
            setOpened(null);
            opened.anchor.focus();
          }}
        >
          <RuleWords
            collection={opened.row.collection}
            action={opened.action}
            rules={rules}
            origin={(index) => (
              <Typography variant="body2" color="text.secondary">
                {originOf(rules[index]?.policy ?? null)}
              </Typography>
            )}
          />
        </SideDrawer>
      )}
    </Box>
  );
}
