import { type ReactNode, useState } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { TabList } from '../../kit/tab-list.tsx';
import { stateTreeRoot, StateTree } from '../state/state-tree.tsx';
import { StopReport } from '../stop/stop-report.tsx';
import { useTexts } from '../../texts.ts';

const pages = ['why', 'state'] as const;

/** The inspector of a moment before the first step. */
export function MomentInspector({ source, record }: Pick<PanelTabProps, 'source' | 'record'>): ReactNode {
  const { step, stepPages } = useTexts();
  const [page, setPage] = useState<string>('why');
  const tabs = pages.map((id) => ({ id, label: stepPages[id] }));
  return (
    <div className="inspector" role="region" aria-label={step.beforeFirst}>
      <p className="empty">{step.noSteps}</p>
      <TabList tabs={tabs} selected={page} onSelect={setPage} label={step.viewsOfMoment}>
        {(id) => (
          <div
            key={id}
            className="detail scroll"
            tabIndex={0}
            role="group"
            aria-label={tabs.find((tab) => tab.id === id)?.label}
          >
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
