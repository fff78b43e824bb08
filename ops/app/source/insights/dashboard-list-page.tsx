/** All dashboards. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import CardActionArea from '@mui/material/CardActionArea';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { DashboardDialog } from './dashboard-dialog.tsx';
import { dashboardPath, dashboardsQuery } from './insight-queries.ts';
import { DASHBOARDS, type Dashboard } from './panel-options.ts';

function DashboardCard({ id, name, icon, note }: Dashboard) {
  return (
    <Card variant="outlined" component="li" sx={{ listStyle: 'none' }}>
      <CardActionArea
        component={Link}
        to={dashboardPath(id)}
        sx={{ p: 2, height: '100%', display: 'flex', gap: 2, alignItems: 'flex-start' }}
      >
        <NamedIcon name={icon} fallback="dashboard" color="primary" />
        <Box component="span" sx={{ minWidth: 0, flex: 1 }}>
          <Typography component="span" variant="h3" sx={{ display: 'block' }} noWrap>
            {name}
          </Typography>
          {note !== null && (
            <Typography component="span" variant="body2" color="textSecondary">
              {note}
            </Typography>
          )}
        </Box>
      </CardActionArea>
    </Card>
  );
}

export function Component() {
  const translate = useTranslate();
  const navigate = useNavigate();
  const rights = useRights();
  const dashboards = useQuery(dashboardsQuery);
  const [isOpen, setIsOpen] = useState(false);
  const create = may(rights, DASHBOARDS, 'create') && (
    <Button variant="contained" onClick={() => setIsOpen(true)}>
      {translate('insights.newDashboard')}
    </Button>
  );
  const list = dashboards.data ?? [];
  return (
    <>
      <PageHeader title={translate('insights.title')} actions={list.length > 0 && create} />
      <Box sx={{ p: { xs: 1.5, md: 3 } }}>
        {dashboards.isError ? (
          <Failure error={dashboards.error} retry={() => dashboards.refetch()} />
        ) : dashboards.isPending ? (
          <Loading />
        ) : list.length === 0 ? (
          <Message icon="insights" title={translate('insights.none')} actions={create}>
            {translate('insights.noneHelp')}
          </Message>
        ) : (
          <Box
            component="ul"
            sx={{
              ...{ m: 0, p: 0, display: 'grid', gap: 2 },
              gridTemplateColumns: 'repeat(auto-fill, minmax(min(280px, 100%), 1fr))',
            }}
          >
            {list.map((dashboard) => (
              <DashboardCard key={dashboard.id} {...dashboard} />
            ))}
          </Box>
        )}
      </Box>
      {isOpen && (
        <DashboardDialog
          dashboard={null}
          onClose={() => setIsOpen(false)}
          onSaved={(id) => {
            setIsOpen(false);
            if (id !== null) void navigate(dashboardPath(id));
          }}
        />
      )}
    </>
  );
}
