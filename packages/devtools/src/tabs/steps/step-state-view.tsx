import { AgentState } from '@vitrine/core';
import { diff, redact, type StateDifference } from '@vitrine/core/inspect';
import { type ReactNode, useMemo, useState } from 'react';
import { preview } from '../../kit/format.ts';
import { Section } from '../../kit/section.tsx';
import { Tree } from '../../kit/tree.tsx';
import type { StepRecord } from './step-record.ts';

const shownDifferences = 200;
const expandedAtFirst: ReadonlySet<string> = new Set([
  'AgentState',
  'AgentState.context',
  'AgentState.execution',
  'AgentState.execution.continuation',
]);

/** The whole object graph when a step was over, and what the step has changed in it. */
export function StepStateView({ record }: { readonly record: StepRecord }): ReactNode {
  const { after, stateBefore, isRecorded, number } = record;
  const { state } = after;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(expandedAtFirst);
  const differences = useMemo(() => (stateBefore ? diff(stateBefore, state) : []), [stateBefore, state]);
  const stands =
    AgentState.status(state) === 'in-progress' && AgentState.currentStep(state)?.id === record.step.id
      ? 'as it stands within'
      : 'when it was done with';
  return (
    <>
      <p className="facts">
        {isRecorded
          ? `The state ${stands} step ${number}; what the step has changed is marked.`
          : 'The state as it was stored: those between the steps were not recorded.'}
      </p>
      <div className="state-tree">
        <Tree
          root={state}
          rootKey="AgentState"
          previous={stateBefore ?? undefined}
          expanded={expanded}
          onExpanded={setExpanded}
        />
      </div>
      {stateBefore && (
        <Section title={`Changed by this step (${differences.length})`}>
          <ol className="history">
            {differences.slice(0, shownDifferences).map((difference, index) => (
              <li key={index}>
                <code>{difference.path.join('.')}</code> {wordsOf(difference)}
              </li>
            ))}
          </ol>
          {differences.length > shownDifferences && (
            <p className="facts">and {differences.length - shownDifferences} more</p>
          )}
        </Section>
      )}
    </>
  );
}

function wordsOf(difference: StateDifference): string {
  // By name of the last key too, so that a secret is none when it is all that changed.
  const name = String(difference.path.at(-1) ?? '');
  const safe = (value: unknown): string =>
    preview(Object.values(redact({ [name]: value }) as object)[0], 120);
  const before = 'before' in difference ? safe(difference.before) : null;
  const after = 'after' in difference ? safe(difference.after) : null;
  if (before === null) return `came: ${after}`;
  return after === null ? `went: ${before}` : `${before} → ${after}`;
}
