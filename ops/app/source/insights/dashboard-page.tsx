/** A dashboard: its period, its variables and its panels, which are arranged here, too. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Typography from '@mui/material/Typography';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useId, useRef, useState } from 'react';
import { Link, useLocation, useNavigate, useParams } from 'react-router-dom';
import { client } from '../data/client.ts';
import { useLiveItems } from '../data/live.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { UnsavedChanges } from '../shell/unsaved-changes.tsx';
import { useMenu } from '../shell/use-menu.ts';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { DashboardDialog } from './dashboard-dialog.tsx';
import { DeletionDialog } from './deletion-dialog.tsx';
import {
  dashboardQuery,
  dashboardsChanged,
  INSIGHTS,
  panelPath,
  type WholeDashboard,
} from './insight-queries.ts';
import { usePageState } from './page-state.ts';
import { PanelGrid } from './panel-grid.tsx';
import { PanelMenu } from './panel-menu.tsx';
import { DASHBOARDS, PANELS, type Panel, readOptions } from './panel-options.ts';
import { PeriodBar } from './period-bar.tsx';

/** One subscription for all panels of a collection. */
function LiveCollection({ collection }: { readonly collection: string }) {
  useLiveItems(collection, { enabled: may(useRights(), collection, 'read') });
  return null;
}

interface DashboardMenuProps {
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function DashboardMenu({ onEdit, onDelete }: DashboardMenuProps) {
  const translate = useTranslate();
  const rights = useRights();
  const id = useId();
  const { anchor, open, close, choose } = useMenu();
  const [change, remove] = [may(rights, DASHBOARDS, 'update'), may(rights, DASHBOARDS, 'delete')];
  if (!change && !remove) return null;
  return (
    <>
      <IconButton
        id={`${id}-opener`}
        aria-label={translate('insights.dashboardMenu')}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={open}
      >
        <Icon name="more_vert" />
      </IconButton>
      <Menu
        id={id}
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{ list: { 'aria-labelledby': `${id}-opener` } }}
      >
        {change && (
          <MenuItem onClick={() => choose(onEdit)}>{translate('insights.editDashboard')}</MenuItem>
        )}
        {remove && (
          <MenuItem onClick={() => choose(onDelete)}>
            {translate('insights.deleteDashboard')}
          </MenuItem>
        )}
      </Menu>
    </>
  );
}

const PLACE = ['position_x', 'position_y', 'width', 'height'] as const;

/** The panels whose places have changed, as they are written. */
function changedPlaces(stored: readonly Panel[], arranged: readonly Panel[]) {
  const before = new Map(stored.map((panel) => [panel.id, panel]));
  return arranged.flatMap((panel) => {
    const known = before.get(panel.id);
    if (known === undefined || PLACE.every((name) => known[name] === panel[name])) return [];
    const { id, position_x, position_y, width, height } = panel;
    return [{ id, position_x, position_y, width, height }];
  });
}

function DashboardView({ dashboard }: { readonly dashboard: WholeDashboard }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const { search } = useLocation();
  const rights = useRights();
  const { panels: all } = dashboard;
  const page = usePageState(all);
  const shown = all.filter(({ type }) => type !== 'variable');
  const [arranged, setArranged] = useState<readonly Panel[] | null>(null);
  const [isEdited, setIsEdited] = useState(false);
  const [isDeleted, setIsDeleted] = useState(false);
  const [unwanted, setUnwanted] = useState<Panel | null>(null);
  const places = arranged === null ? [] : changedPlaces(shown, arranged);
  const isDirty = useRef(false);
  isDirty.current = places.length > 0;
  const save = useMutation({
    mutationFn: () => client.items(PANELS).updateBatch(places, { fields: ['id'] }),
    onSuccess: async () => {
      await dashboardsChanged();
      setArranged(null);
      notify('insights.placesSaved', { type: 'success' });
    },
    onError: (error) => notifyFailure(error, translate),
  });
  const collections = new Set(
    shown.map(({ options }) => readOptions(options).collection).filter((name) => name !== ''),
  );
  const mayAdd = may(rights, PANELS, 'create');
  const mayChange = may(rights, PANELS, 'update');
  const add = mayAdd && (
    <Button
      variant="contained"
      startIcon={<Icon name="add" />}
      component={Link}
      to={`${panelPath(dashboard.id, NEW_ITEM)}${search}`}
    >
      {translate('insights.addPanel')}
    </Button>
  );
  const actions =
    arranged === null ? (
      <>
        <DashboardMenu onEdit={() => setIsEdited(true)} onDelete={() => setIsDeleted(true)} />
        {mayChange && shown.length > 0 && (
          <Button
            onClick={() => setArranged(shown)}
            // On a phone all panels stand below each other.
            sx={{ display: { xs: 'none', md: 'inline-flex' } }}
          >
            {translate('insights.arrange')}
          </Button>
        )}
        {shown.length > 0 && add}
      </>
    ) : (
      <>
        <Button onClick={() => setArranged(null)}>{translate('shell.cancel')}</Button>
        <Button
          variant="contained"
          loading={save.isPending}
          onClick={() => (places.length === 0 ? setArranged(null) : save.mutate())}
        >
          {translate('shell.save')}
        </Button>
      </>
    );
  return (
    <>
      <PageHeader
        title={dashboard.name}
        icon={<NamedIcon name={dashboard.icon} fallback="dashboard" color="action" />}
        back={INSIGHTS}
        actions={actions}
      />
      <UnsavedChanges when={useCallback(() => isDirty.current, [])} />
      {[...collections].map((collection) => (
        <LiveCollection key={collection} collection={collection} />
      ))}
      <Box
        sx={{
          p: { xs: 1.5, md: 3 },
          display: 'grid',
          gap: 2,
          gridTemplateColumns: 'minmax(0, 1fr)',
        }}
      >
        {dashboard.note !== null && <Typography color="textSecondary">{dashboard.note}</Typography>}
        <PeriodBar page={page} dashboard={mayChange ? dashboard.id : null} />
        {shown.length === 0 ? (
          <Message icon="insights" title={translate('insights.noPanels')} actions={add}>
            {translate('insights.noPanelsHelp')}
          </Message>
        ) : (
          <PanelGrid
            panels={arranged ?? shown}
            page={page}
            menuOf={(panel, title, table) => (
              <PanelMenu
                panel={panel}
                title={title}
                table={table}
                onDelete={() => setUnwanted(panel)}
              />
            )}
            onArrange={arranged === null ? null : setArranged}
          />
        )}
      </Box>
      {isEdited && (
        <DashboardDialog
          dashboard={dashboard}
          onClose={() => setIsEdited(false)}
          onSaved={() => setIsEdited(false)}
        />
      )}
      {isDeleted && (
        <DeletionDialog
          title={translate('insights.deleteDashboardTitle', { name: dashboard.name })}
          text={translate('insights.deleteDashboardText')}
          remove={() => client.items(DASHBOARDS).delete(dashboard.id)}
          onDone={() => {
            notify('insights.dashboardDeleted', { type: 'success' });
            void navigate(INSIGHTS, { replace: true });
          }}
          onClose={() => setIsDeleted(false)}
        />
      )}
      {unwanted !== null && (
        <DeletionDialog
          title={translate('insights.deletePanelTitle')}
          text={translate('insights.deletePanelText')}
          remove={() => client.items(PANELS).delete(unwanted.id)}
          onDone={() => setUnwanted(null)}
          onClose={() => setUnwanted(null)}
        />
      )}
    </>
  );
}

export function Component() {
  const { dashboard: id = '' } = useParams();
  const dashboard = useQuery(dashboardQuery(id));
  if (dashboard.data !== undefined && !dashboard.isError) {
    return <DashboardView key={id} dashboard={dashboard.data} />;
  }
  return dashboard.isError ? (
    <Failure error={dashboard.error} retry={() => dashboard.refetch()} />
  ) : (
    <Loading />
  );
}
