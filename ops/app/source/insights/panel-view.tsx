/** What a panel shows, by its kind; what cannot be shown says why and leaves the others alone. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { isForbidden, tellFailure } from '../data/failure.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { BarPanel } from './bar-panel.tsx';
import type { Table } from './csv.ts';
import { ListPanel } from './list-panel.tsx';
import { MetricPanel } from './metric-panel.tsx';
import type { PageState } from './page-state.ts';
import { PanelFrame } from './panel-frame.tsx';
import { isKind, isReady, type Panel, type PanelOptions, readOptions } from './panel-options.ts';
import { TimePanel } from './time-panel.tsx';
import { type PanelContext, usePanel } from './use-panel.ts';

export interface PanelViewProps {
  readonly panel: Pick<Panel, 'name' | 'type' | 'options'>;
  readonly page: PageState;
  /** Of what is in the panel, in pixels. */
  readonly height: number;
  /** The buttons of the panel, which get what it shows; null while that is not known. */
  readonly menuOf: (title: string, table: Table | null) => ReactNode;
}

/** What the view of each kind gets. */
export interface KindProps {
  /** Null for one of its own. */
  readonly title: string | null;
  readonly options: PanelOptions;
  readonly context: PanelContext;
  readonly page: PageState;
  readonly height: number;
  readonly menuOf: PanelViewProps['menuOf'];
}

interface PanelNoteProps {
  readonly icon: IconName;
  readonly text: string;
  readonly role?: 'alert';
}

function PanelNote({ icon, text, role }: PanelNoteProps) {
  return (
    <Box
      role={role}
      sx={{
        ...{ display: 'flex', flexDirection: 'column', alignItems: 'center', gap: 1, p: 2 },
        ...{ justifyContent: 'center', textAlign: 'center', height: '100%', minHeight: 96 },
      }}
    >
      <Icon name={icon} sx={{ color: 'text.secondary' }} />
      <Typography variant="body2" color="textSecondary">
        {text}
      </Typography>
    </Box>
  );
}

/** Why a panel shows nothing. */
export function PanelFailure({ error }: { readonly error: unknown }) {
  const translate = useTranslate();
  if (isForbidden(error)) {
    return <PanelNote icon="visibility_off" text={translate('insights.notAllowed')} role="alert" />;
  }
  const { text, detail } = tellFailure(error, translate);
  return <PanelNote icon="error" text={`${translate(text)} ${detail ?? ''}`} role="alert" />;
}

const VIEWS = {
  'time-series': TimePanel,
  'bar-chart': BarPanel,
  metric: MetricPanel,
  list: ListPanel,
} as const;

export function PanelView({ panel, page, height, menuOf }: PanelViewProps) {
  const translate = useTranslate();
  const { name, type } = panel;
  const options = readOptions(panel.options);
  const context = usePanel(options, page);
  const framed = (children: ReactNode) => {
    const title = name || translate('insights.panel');
    return (
      <PanelFrame title={title} height={height} actions={menuOf(title, null)}>
        {children}
      </PanelFrame>
    );
  };
  if (!isKind(type) || type === 'variable') {
    return framed(
      <PanelNote icon="help" text={translate('insights.unknownKind', { kind: type })} />,
    );
  }
  if (!isReady(type, options)) {
    return framed(<PanelNote icon="tune" text={translate('insights.unfinished')} />);
  }
  if (!context.isReadable) {
    return framed(<PanelNote icon="visibility_off" text={translate('insights.notAllowed')} />);
  }
  const View = VIEWS[type];
  return (
    <View
      title={name || null}
      options={options}
      context={context}
      page={page}
      height={height}
      menuOf={menuOf}
    />
  );
}
