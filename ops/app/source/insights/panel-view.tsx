/** What a panel shows, by its kind; what cannot be shown says why and leaves the others alone. */
import type { ReactNode } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import { BarPanel } from './bar-panel.tsx';
import { ListPanel } from './list-panel.tsx';
import { MapPanel } from './map-panel.tsx';
import { MetricPanel } from './metric-panel.tsx';
import type { PageState } from './page-state.ts';
import { PanelFrame } from './panel-frame.tsx';
import type { KindProps } from './panel-kind.ts';
import { PanelNote } from './panel-note.tsx';
import { isKind, isReady, type Panel, readOptions } from './panel-options.ts';
import { TimePanel } from './time-panel.tsx';
import { usePanel } from './use-panel.ts';

export interface PanelViewProps {
  readonly panel: Pick<Panel, 'name' | 'type' | 'options'>;
  readonly page: PageState;
  /** Of what is in the panel, in pixels. */
  readonly height: number;
  readonly menuOf: KindProps['menuOf'];
}

const VIEWS = {
  'time-series': TimePanel,
  'bar-chart': BarPanel,
  metric: MetricPanel,
  list: ListPanel,
  map: MapPanel,
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
