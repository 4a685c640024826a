import { AgentState, AgentStep, type StepExecution } from '@vitrine/core';
import { type KeyboardEvent, type ReactNode, useEffect } from 'react';
import { formatDuration, formatNumber } from '../../kit/format.ts';
import { useRowWindow } from '../../kit/use-row-window.ts';

const rowHeight = 30;
const icons = { error: '✕', 'tool-execution': '⚙', 'final-response': '●' } as const;

type StepListProps = {
  readonly state: AgentState;
  readonly selected: number;
  /** Scrolls along with what comes. */
  readonly isFollowing: boolean;
  readonly onSelect: (stepId: string) => void;
};

/** A row for every step; the arrow keys move between them. */
export function StepList({ state, selected, isFollowing, onSelect }: StepListProps): ReactNode {
  const steps = AgentState.steps(state);
  const archived = AgentState.stepExecutions(state);
  const { scroller, rows, reveal } = useRowWindow(steps.length, rowHeight);
  useEffect(() => {
    if (isFollowing) reveal(steps.length - 1);
  }, [isFollowing, steps.length, reveal]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      Home: 0,
      End: steps.length - 1,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    const target = Math.max(0, Math.min(steps.length - 1, next));
    const step = steps[target];
    if (!step) return;
    onSelect(step.id);
    reveal(target);
    event.preventDefault();
  };
  return (
    <div
      ref={scroller}
      className="scroll list"
      role="listbox"
      aria-label="Steps"
      tabIndex={0}
      aria-activedescendant={`step-${steps[selected]?.id}`}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: steps.length * rowHeight, position: 'relative' }}>
        {rows.map((index) => {
          const step = steps[index];
          return (
            step && (
              <StepRow
                key={step.id}
                number={index + 1}
                step={step}
                execution={archived[index] ?? null}
                isSelected={index === selected}
                onSelect={onSelect}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

type StepRowProps = {
  readonly number: number;
  readonly step: AgentStep;
  readonly execution: StepExecution | null;
  readonly isSelected: boolean;
  readonly onSelect: (stepId: string) => void;
};

function StepRow({ number, step, execution, isSelected, onSelect }: StepRowProps): ReactNode {
  const type = AgentStep.type(step);
  const tools = step.toolExecutions.map(({ toolCall }) => toolCall.name).join(', ');
  const tokens = step.inferenceResponse?.usage.totalTokens ?? 0;
  return (
    <div
      id={`step-${step.id}`}
      className="step-row"
      role="option"
      aria-selected={isSelected}
      style={{ top: (number - 1) * rowHeight, height: rowHeight }}
      onClick={() => onSelect(step.id)}
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
