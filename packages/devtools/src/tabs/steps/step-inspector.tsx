import { AgentStep } from '@vitrine/core';
import type { HubSource } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import type { StepViewId } from '../../define-panel-tab.ts';
import { formatDuration, formatNumber, formatTime } from '../../kit/format.ts';
import { FoundItem } from '../../kit/item.tsx';
import { TabList } from '../../kit/tab-list.tsx';
import { CopyButtons } from './copy-buttons.tsx';
import { ReceivedView } from './received-view.tsx';
import { SentView } from './sent-view.tsx';
import { stepDocument } from './step-document.ts';
import type { StepRecord } from './step-record.ts';
import { StepStateView } from './step-state-view.tsx';
import { ToolsView } from './tools-view.tsx';
import { WhyView } from './why-view.tsx';

const views: readonly { readonly id: StepViewId; readonly label: string }[] = [
  { id: 'sent', label: 'Sent' },
  { id: 'received', label: 'Received' },
  { id: 'tools', label: 'Tools' },
  { id: 'state', label: 'State' },
  { id: 'why', label: 'Why' },
];

type StepInspectorProps = {
  readonly source: HubSource;
  readonly record: StepRecord;
  readonly view: StepViewId;
  readonly onView: (view: StepViewId) => void;
  /** The item that was looked for, if any. */
  readonly item: string | null;
};

/** Everything about one step, view by view. */
export function StepInspector({ source, record, view, onView, item }: StepInspectorProps): ReactNode {
  const { number, step, execution } = record;
  const type = AgentStep.type(step);
  return (
    <div className="inspector" role="region" aria-label={`Step ${number}`}>
      <div className="inspector-head">
        <h3>
          Step {number} <span className={`step-type ${type}`}>{type}</span>
        </h3>
        <Facts step={step} execution={execution} />
        <CopyButtons textOf={(options) => stepDocument(record, view, options)} />
      </div>
      {step.errors.map((error, index) => (
        <p key={index} className="error-line">
          <code>{error.code ?? error.name}</code> {error.message}
        </p>
      ))}
      <TabList
        tabs={views}
        selected={view}
        onSelect={(id) => onView(views.find((entry) => entry.id === id)?.id ?? view)}
        label={`Views of step ${number}`}
      >
        {(id) => (
          <div key={id} className="detail scroll" tabIndex={0} role="group" aria-label={id}>
            <FoundItem.Provider value={item}>
              {id === 'sent' && <SentView record={record} />}
              {id === 'received' && <ReceivedView record={record} />}
              {id === 'tools' && <ToolsView record={record} />}
              {id === 'state' && <StepStateView record={record} />}
              {id === 'why' && <WhyView record={record} source={source} />}
            </FoundItem.Provider>
          </div>
        )}
      </TabList>
    </div>
  );
}

function Facts({ step, execution }: Pick<StepRecord, 'step' | 'execution'>): ReactNode {
  if (execution === null) return null;
  const usage = step.inferenceResponse?.usage;
  const tokens = usage
    ? ` · ${formatNumber(usage.inputTokens)} in, ${formatNumber(usage.outputTokens)} out`
    : '';
  return (
    <span className="figure">
      {formatTime(execution.startedAt)} · {formatDuration(execution.durationMs)}
      {tokens}
    </span>
  );
}
