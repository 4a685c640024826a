import { type ReactNode, useState } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { TabList } from '../../kit/tab-list.tsx';
import { stateTreeRoot, StateTree } from '../state/state-tree.tsx';
import { StopReport } from '../stop/stop-report.tsx';

const pages = [
  { id: 'why', label: 'Why' },
  { id: 'state', label: 'State' },
];

/** The inspector of a moment before the first step. */
export function MomentInspector({ source, record }: Pick<PanelTabProps, 'source' | 'record'>): ReactNode {
  const [page, setPage] = useState('why');
  return (
    <div className="inspector" role="region" aria-label="Before the first step">
      <p className="empty">No steps yet. They appear here while the agent runs.</p>
      <TabList tabs={pages} selected={page} onSelect={setPage} label="Views of the moment">
        {(id) => (
          <div key={id} className="detail scroll" tabIndex={0} role="group" aria-label={id}>
            {id === 'why' ? (
              <StopReport budgetOf={source} record={record} />
            ) : (
              <StateTree root={record.state} rootKey={stateTreeRoot} previous={undefined} />
            )}
          </div>
        )}
      </TabList>
    </div>
  );
}
