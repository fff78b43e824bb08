/** Makes or changes a panel of a dashboard by clicking, with what it will show beside the form. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { client } from '../data/client.ts';
import { useRights } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { may } from '../data/rights.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { ConflictDialog } from '../draft/conflict-dialog.tsx';
import { type Stored, useDraft } from '../draft/use-draft.ts';
import { type Sending, useSave } from '../draft/use-save.ts';
import { Failure } from '../shell/failure.tsx';
import { FailureAlert } from '../shell/failure-alert.tsx';
import { Loading } from '../shell/loading.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useParameters } from '../shell/use-parameters.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { DeletionDialog } from './deletion-dialog.tsx';
import {
  COPY,
  dashboardPath,
  dashboardQuery,
  dashboardsChanged,
  type WholeDashboard,
} from './insight-queries.ts';
import { freePlace } from './layout.ts';
import { usePageState } from './page-state.ts';
import { type EditedPanel, PanelForm } from './panel-form.tsx';
import { innerHeight } from './panel-grid.tsx';
import { isKind, isReady, type Kind, PANELS, type Panel, readOptions } from './panel-options.ts';
import { PanelView } from './panel-view.tsx';
import { PeriodBar } from './period-bar.tsx';
import { variableOf } from './variables.ts';

const BEGUN: EditedPanel = { name: null, type: 'time-series', options: null };
/** The size that a panel of each kind begins with: columns and rows. */
const SIZES: Readonly<Record<Kind, readonly [width: number, height: number]>> = {
  'time-series': [8, 5],
  'bar-chart': [6, 5],
  metric: [4, 3],
  list: [6, 5],
  map: [8, 6],
  variable: [2, 2],
};
const NO_MENU = () => null;

function editedOf({ name, type, options }: Panel): EditedPanel {
  return { name, type, options };
}

/** Whether a panel says enough to be kept. */
function isWhole({ name, type, options }: EditedPanel): boolean {
  if (!isKind(type)) return false;
  return type === 'variable'
    ? variableOf({ id: '', name, options }) !== null
    : isReady(type, readOptions(options));
}

interface PanelEditorProps {
  readonly dashboard: WholeDashboard;
  /** Null for a new one. */
  readonly panel: Panel | null;
  /** What a new one begins with. */
  readonly begun: EditedPanel;
}

function PanelEditor({ dashboard, panel, begun }: PanelEditorProps) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const rights = useRights();
  const form = useId();
  const { panels } = dashboard;
  const page = usePageState(panels);
  const stored: Stored<EditedPanel> = { item: panel === null ? begun : editedOf(panel), tag: null };
  const draft = useDraft(stored);
  const [isUnwanted, setIsUnwanted] = useState(false);
  const [isUnfinished, setIsUnfinished] = useState(false);
  const edited = draft.values;
  const { parameters } = useParameters();
  // The period and the variables stay.
  const shown = new URLSearchParams(parameters);
  shown.delete(COPY);
  const back = `${dashboardPath(dashboard.id)}?${shown}`;
  const save = useSave({
    // Lists have no tags: what is stored is read before it is changed.
    readsFirst: panel !== null,
    send: async ({ base, changes }: Sending<Stored<EditedPanel>>) => {
      const { name, type, options } = { ...base.item, ...changes };
      const written = { name: name || null, type, options };
      const fields = { fields: ['id'] };
      if (panel !== null) return client.items(PANELS).update(panel.id, written, fields);
      const [width, height] = isKind(type) ? SIZES[type] : SIZES.metric;
      const placed = panels.filter((known) => known.type !== 'variable');
      const place = freePlace(placed, width, height);
      const made = { ...written, ...place, dashboard: dashboard.id, show_header: true };
      return client.items(PANELS).create(made, fields);
    },
    readLatest: async (): Promise<Stored<EditedPanel>> => {
      const latest = await queryClient.fetchQuery({
        ...dashboardQuery(dashboard.id),
        staleTime: 0,
      });
      const known = latest.panels.find(({ id }) => id === panel?.id);
      return { item: known === undefined ? begun : editedOf(known), tag: null };
    },
    onSaved: async () => {
      draft.reset();
      notify('insights.panelSaved', { type: 'success' });
      await dashboardsChanged();
      await navigate(back);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isWhole(edited)) return setIsUnfinished(true);
    save.mutate({ changes: draft.changes, base: draft.base });
  };
  const mayWrite = may(rights, PANELS, panel === null ? 'create' : 'update');
  const words = {
    nameOf: (field: string) => translate(`insights.part_${field}`),
    say: (_: string, value: unknown) => (
      <Box component="code" sx={{ overflowWrap: 'anywhere' }}>
        {typeof value === 'string' ? value : JSON.stringify(value)}
      </Box>
    ),
  };
  return (
    <>
      <PageHeader
        title={translate(panel === null ? 'insights.newPanel' : 'insights.editPanel')}
        back={back}
        actions={
          <>
            {panel !== null && may(rights, PANELS, 'delete') && (
              <Button color="error" onClick={() => setIsUnwanted(true)}>
                {translate('shell.delete')}
              </Button>
            )}
            {mayWrite && (
              <Button
                type="submit"
                form={form}
                variant="contained"
                loading={save.isPending}
                disabled={panel !== null && !draft.dirty}
              >
                {translate('shell.save')}
              </Button>
            )}
          </>
        }
      />
      <UnsavedChanges when={draft.isDirty} />
      {save.conflict !== null && (
        <ConflictDialog
          words={words}
          draft={draft}
          theirs={save.conflict}
          busy={save.isPending}
          onSave={save.mutate}
          onClose={() => save.setConflict(null)}
        />
      )}
      <Box
        sx={{
          ...{ p: { xs: 1.5, md: 3 }, display: 'grid', gap: 3, alignItems: 'start' },
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 5fr) minmax(0, 6fr)' },
        }}
      >
        <Box
          component="form"
          id={form}
          noValidate
          onSubmit={submit}
          sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}
        >
          <FailureAlert error={save.error} />
          <PanelForm
            panel={edited}
            variables={page.variables}
            isMarked={isUnfinished}
            onChange={draft.change}
          />
        </Box>
        {edited.type !== 'variable' && (
          <Box
            component="section"
            aria-label={translate('insights.preview')}
            sx={{ display: 'grid', gap: 2, position: { lg: 'sticky' }, top: 88, minWidth: 0 }}
          >
            <Typography variant="h2">{translate('insights.preview')}</Typography>
            <PeriodBar page={page} dashboard={null} />
            <Paper variant="outlined" sx={{ p: 2, minWidth: 0 }}>
              <PanelView panel={edited} page={page} height={innerHeight(5)} menuOf={NO_MENU} />
            </Paper>
          </Box>
        )}
      </Box>
      {isUnwanted && panel !== null && (
        <DeletionDialog
          title={translate('insights.deletePanelTitle')}
          text={translate('insights.deletePanelText')}
          remove={() => client.items(PANELS).delete(panel.id)}
          onDone={() => {
            draft.reset();
            void navigate(back, { replace: true });
          }}
          onClose={() => setIsUnwanted(false)}
        />
      )}
    </>
  );
}

export function Component() {
  const translate = useTranslate();
  const { dashboard: id = '', panel: key = '' } = useParams();
  const { parameters } = useParameters();
  const dashboard = useQuery(dashboardQuery(id));
  if (dashboard.isError) {
    return <Failure error={dashboard.error} retry={() => dashboard.refetch()} />;
  }
  if (dashboard.data === undefined) return <Loading />;
  const panelOf = (wanted: string | null) =>
    dashboard.data.panels.find((panel) => panel.id === wanted);
  const panel = panelOf(key);
  if (panel === undefined && key !== NEW_ITEM) {
    return <Failure error={new Error(translate('insights.panelGone'))} />;
  }
  const copied = panelOf(parameters.get(COPY));
  return (
    <PanelEditor
      key={key}
      dashboard={dashboard.data}
      panel={panel ?? null}
      begun={copied === undefined ? BEGUN : editedOf(copied)}
    />
  );
}
