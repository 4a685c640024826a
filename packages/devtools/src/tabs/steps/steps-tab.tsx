import { AgentState, AgentStep, type StepExecution } from '@vitrine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { formatDuration, formatNumber } from '../../kit/format.ts';
import { StepDetail } from './step-detail.tsx';

const rowHeight = 30;
const icons = { error: '✕', 'tool-execution': '⚙', 'final-response': '●' } as const;

/** The steps of the present execution, and one of them in detail. */
export function StepsTab({ state }: { readonly state: AgentState }): ReactNode {
  const steps = AgentState.steps(state);
  const archived = AgentState.stepExecutions(state);
  const [chosen, setChosen] = useState<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const found = steps.findIndex((step) => step.id === chosen);
  // Without a choice the last step is followed.
  const selected = found < 0 ? steps.length - 1 : found;
  const virtualizer = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const isFollowing = found < 0;
  useEffect(() => {
    if (isFollowing && steps.length > 0) virtualizer.scrollToIndex(steps.length - 1);
  }, [isFollowing, steps.length, virtualizer]);
  const step = steps[selected];
  if (!step) return <p className="empty">No steps yet. They appear here while the agent runs.</p>;

  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      Home: 0,
      End: steps.length - 1,
    };
    const next = moves[event.key];
    const target = next === undefined ? undefined : steps[Math.max(0, Math.min(steps.length - 1, next))];
    if (!target) return;
    setChosen(target.id);
    virtualizer.scrollToIndex(steps.indexOf(target));
    event.preventDefault();
  };
  return (
    <div className="split">
      <div
        ref={scroller}
        className="scroll list"
        role="listbox"
        aria-label="Steps"
        tabIndex={0}
        aria-activedescendant={`step-${step.id}`}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map((item) => {
            const entry = steps[item.index];
            if (!entry) return null;
            return (
              <StepRow
                key={entry.id}
                number={item.index + 1}
                step={entry}
                execution={archived[item.index] ?? null}
                top={item.start}
                isSelected={entry === step}
                onSelect={() => setChosen(entry.id)}
              />
            );
          })}
        </div>
      </div>
      <StepDetail key={step.id} number={selected + 1} step={step} execution={archived[selected] ?? null} />
    </div>
  );
}

type StepRowProps = {
  readonly number: number;
  readonly step: AgentStep;
  readonly execution: StepExecution | null;
  readonly top: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
};

function StepRow({ number, step, execution, top, isSelected, onSelect }: StepRowProps): ReactNode {
  const type = AgentStep.type(step);
  const tools = step.toolExecutions.map(({ toolCall }) => toolCall.name).join(', ');
  const tokens = step.inferenceResponse?.usage.totalTokens ?? 0;
  return (
    <div
      id={`step-${step.id}`}
      className="step-row"
      role="option"
      aria-selected={isSelected}
      style={{ top, height: rowHeight }}
      onClick={onSelect}
    >
      <span className="step-number">{number}</span>
      <span className={`step-type ${type}`} data-live={execution === null}>
        {execution === null ? '◌' : icons[type]} {execution === null ? 'running' : type}
      </span>
      <span className="step-tools">{tools}</span>
      {tokens > 0 && <span className="figure">{formatNumber(tokens)} tok</span>}
      <span className="figure">{execution === null ? '…' : formatDuration(execution.durationMs)}</span>
    </div>
  );
}
