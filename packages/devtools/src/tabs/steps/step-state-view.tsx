import { AgentState } from '@vitrine/core';
import { diff, redact, redactText, type StateDifference } from '@vitrine/core/inspect';
import { type ReactNode, useMemo, useState } from 'react';
import { preview } from '../../kit/format.ts';
import { Section } from '../../kit/section.tsx';
import { stateTreeRoot, StateTree } from '../state/state-tree.tsx';
import type { StepPageProps } from './step-page-props.ts';
import { type WriterOf, writersOf } from './writers-of.ts';
import { type Texts, useTexts } from '../../texts.ts';

const shownDifferences = 200;

/** The state after a step as an object tree, its differences to any other step, and their writers. */
export function StepStateView({ record }: StepPageProps): ReactNode {
  const { after, stateBefore, isRecorded, number } = record;
  const { state } = after;
  const texts = useTexts().state;
  /** The number of the step to compare with; 0 is the state before the step. */
  const [against, setAgainst] = useState(0);
  const other = against === 0 ? stateBefore : record.stateAfter(against);
  const isDuring =
    AgentState.status(state) === 'in-progress' && AgentState.currentStep(state)?.id === record.step.id;
  return (
    <>
      <p className="facts">
        {isRecorded ? (isDuring ? texts.during(number) : texts.after(number)) : texts.notRecorded}
      </p>
      {isRecorded && <Against record={record} against={against} onAgainst={setAgainst} />}
      <StateTree root={state} rootKey={stateTreeRoot} previous={other ?? undefined} />
      {other && <Changes record={record} before={other} isOfStep={against === 0} />}
    </>
  );
}

type AgainstProps = Pick<StepPageProps, 'record'> & {
  readonly against: number;
  readonly onAgainst: (number: number) => void;
};

function Against({ record, against, onAgainst }: AgainstProps): ReactNode {
  const texts = useTexts().state;
  const others = Array.from({ length: record.steps }, (_, index) => index + 1).filter(
    (number) => number !== record.number,
  );
  return (
    <label className="facts">
      {texts.compareWith}{' '}
      <select value={against} onChange={({ target }) => onAgainst(Number(target.value))}>
        <option value={0}>{texts.beforeStep}</option>
        {others.map((number) => (
          <option key={number} value={number}>
            {texts.step(number)}
          </option>
        ))}
      </select>
    </label>
  );
}

type ChangesProps = Pick<StepPageProps, 'record'> & {
  readonly before: AgentState;
  readonly isOfStep: boolean;
};

function Changes({ record, before, isOfStep }: ChangesProps): ReactNode {
  const { state } = record.after;
  const texts = useTexts().state;
  const differences = useMemo(() => diff(before, state), [before, state]);
  const writerOf = useMemo(() => (isOfStep ? writersOf(record, texts) : nobody), [record, isOfStep, texts]);
  const title = isOfStep ? texts.changedByStep : texts.different;
  return (
    <Section title={title(differences.length)}>
      <ol className="history">
        {differences.slice(0, shownDifferences).map((difference, index) => (
          <li key={index}>
            <code>{difference.path.map((name) => redactText(name, 'key')).join('.')}</code>{' '}
            {wordsOf(difference, texts)}
            <Writer name={writerOf(difference)} />
          </li>
        ))}
      </ol>
      {differences.length > shownDifferences && (
        <p className="facts">{texts.moreChanges(differences.length - shownDifferences)}</p>
      )}
    </Section>
  );
}

/** Writers are unknown for comparisons with other steps, because more than one step lies between. */
const nobody: WriterOf = () => null;

function Writer({ name }: { readonly name: string | null }): ReactNode {
  const texts = useTexts().state;
  return name === null ? null : <span className="chip">{texts.writtenBy(name)}</span>;
}

function wordsOf(difference: StateDifference, texts: Texts['state']): string {
  // The last key is included, so that a secret is recognised when it is the only change.
  const path = difference.path.map(String);
  const around = { path: path.slice(0, -1) };
  const safe = (value: unknown): string =>
    preview(Object.values(redact({ [path.at(-1) ?? '']: value }, around) as object)[0], path, 120);
  const before = 'before' in difference ? safe(difference.before) : null;
  const after = 'after' in difference ? safe(difference.after) : null;
  if (difference.kind === 'moved') return texts.moved(String(before), String(after));
  if (before === null) return texts.added(String(after));
  return after === null ? texts.removed(before) : `${before} → ${after}`;
}
