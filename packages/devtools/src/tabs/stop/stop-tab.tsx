import type { ReactNode } from 'react';
import { definePanelTab, type PanelTab, type PanelTabProps } from '../../define-panel-tab.ts';
import { StopReport } from './stop-report.tsx';
import { stopStyles } from './stop-styles.ts';

/** Why did it stop? The sentence that answers it stands above the tabs. */
export const stopTab: Required<PanelTab> = definePanelTab({
  id: 'stop',
  label: 'Stop',
  View: StopView,
  styles: stopStyles,
});

function StopView({ source, record }: PanelTabProps): ReactNode {
  return (
    <div className="detail scroll" tabIndex={0} role="region" aria-label="Why did it stop?">
      <h3>Why did it stop?</h3>
      <StopReport source={source} record={record} />
    </div>
  );
}
