import type { HubSource } from '@vitrine/core/inspect';
import { type ReactNode, useContext } from 'react';
import type { StepViewId } from '../../define-panel-tab.ts';
import { ErrorBoundary } from '../../kit/error-boundary.tsx';
import { ErrorLine } from '../../kit/error-line.tsx';
import { IsRunning } from '../../kit/is-running.ts';
import { FoundItem } from '../../kit/item.tsx';
import { TabList } from '../../kit/tab-list.tsx';
import { useTimeText } from '../../kit/times.ts';
import { eventsStyles } from '../events/events-styles.ts';
import { stopStyles } from '../stop/stop-styles.ts';
import { CopyButtons } from './copy-buttons.tsx';
import { inspectorStyles } from './inspector-styles.ts';
import { copyFormats, stepDocument } from './step-document.ts';
import { stepPages } from './step-pages.tsx';
import type { StepRecord } from './step-record.ts';
import { ShowInPage } from './show-in-page.tsx';
import { stepState } from './step-state.ts';
import { stepsStyles } from './steps-styles.ts';
import { useTexts } from '../../texts.ts';

/** The styles of the inspector and all its pages. */
export const stepPageStyles: string = [
  stepsStyles,
  inspectorStyles,
  eventsStyles,
  stopStyles,
  ...stepPages.map(({ styles }) => styles),
].join('\n');

type StepInspectorProps = {
  readonly source: HubSource;
  readonly record: StepRecord;
  readonly isOfSubagent: boolean;
  readonly view: StepViewId;
  readonly onView: (view: StepViewId) => void;
  /** The item to reveal; null when there is none. */
  readonly item: string | null;
};

/** The inspector of one step, page by page. */
export function StepInspector(props: StepInspectorProps): ReactNode {
  const { source, record, isOfSubagent, view, onView, item } = props;
  const { number, step, execution } = record;
  const type = stepState(step, { isOver: execution !== null, isRunning: useContext(IsRunning) });
  const texts = useTexts();
  const title = isOfSubagent ? texts.step.titleOfSubagent(number) : texts.step.title(number);
  const tabs = stepPages.map(({ id }) => ({ id, label: texts.stepPages[id] }));
  return (
    <div className="inspector" role="region" aria-label={title}>
      <div className="inspector-head">
        <h3>
          {title} <span className={`step-type ${type}`}>{texts.stepStates[type]}</span>
        </h3>
        <Facts step={step} execution={execution} />
        <CopyButtons
          formats={copyFormats(record, view)}
          textOf={(options) => stepDocument(record, view, { ...options, texts })}
        >
          <ShowInPage step={step} />
        </CopyButtons>
      </div>
      {step.errors.map((error, index) => (
        <ErrorLine key={index} error={error} />
      ))}
      <TabList
        tabs={tabs}
        selected={view}
        onSelect={(id) => onView(stepPages.find((page) => page.id === id)?.id ?? view)}
        label={texts.step.views(number)}
      >
        {(id) => {
          const page = stepPages.find((candidate) => candidate.id === id);
          return (
            <div
              key={id}
              className="detail scroll"
              tabIndex={0}
              role="group"
              aria-label={page && texts.stepPages[page.id]}
            >
              <FoundItem.Provider value={item}>
                <ErrorBoundary>
                  {page && <page.View record={record} source={source} isOfSubagent={isOfSubagent} />}
                </ErrorBoundary>
              </FoundItem.Provider>
            </div>
          );
        }}
      </TabList>
    </div>
  );
}

function Facts({ step, execution }: Pick<StepRecord, 'step' | 'execution'>): ReactNode {
  const timeText = useTimeText();
  const texts = useTexts();
  if (execution === null) return null;
  const usage = step.inferenceResponse?.usage;
  const tokens = usage ? ` · ${texts.step.tokens(usage.inputTokens, usage.outputTokens)}` : '';
  return (
    <span className="figure">
      {timeText(execution.startedAt)} · {texts.formats.duration(execution.durationMs)}
      {tokens}
    </span>
  );
}
