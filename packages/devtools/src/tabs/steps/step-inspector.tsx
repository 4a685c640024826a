import type { AgentStep } from '@vitrine/core';
import { eventsOf, type HubSource, type JournalRecord, stateBefore } from '@vitrine/inspect';
import { callsOfStep, inputFigures, knownPrices } from '@vitrine/inspect/internal/input-figures';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useContext, useState } from 'react';
import {
  definePanelTab,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from '../../define-panel-tab.ts';
import { IsRunning, Knowledge, useTimeText } from '../../kit/contexts.ts';
import { copyText } from '../../kit/copy-text.ts';
import { Json } from '../../kit/json.tsx';
import { ErrorBoundary, later } from '../../kit/later.tsx';
import { showInPage } from '../../kit/page-items.ts';
import { Popover } from '../../kit/popover.tsx';
import { ErrorLine, FoundItem, Section } from '../../kit/section.tsx';
import { TabList } from '../../kit/tab-list.tsx';
import { texts, useTexts } from '../../texts.ts';
import { BreakMenu, conditionsOf } from '../debug/break-menu.tsx';
import { EventLog } from '../events/event-log.tsx';
import { eventsStyles } from '../events/events-tab.tsx';
import { FindingsOf } from '../findings/finding-view.tsx';
import { stateStyles, StateTree, stateTreeRoot } from '../state/state-tree.tsx';
import { StopReport, stopStyles } from '../stop/stop-report.tsx';
import { forkStyles } from './fork-styles.ts';
import { inspectorStyles, stepsStyles } from './inspector-styles.ts';
import { MessageView } from './message-view.tsx';
import { SentView } from './sent-view.tsx';
import { type CopyFormat, copyFormats, stepDocument } from './step-document.ts';
import type { OutsideWrites, StepPageProps, StepRecord } from './step-record.ts';
import { Changes, StepStateView } from './step-state-view.tsx';
import { stepState } from './step-state.ts';
import { stepVerdict } from './step-verdict.ts';
import { ToolsView } from './tools-view.tsx';

/** A page of the inspector; its id is a view that a search result can open. */
type StepPage = Required<PanelTab<StepPageProps>> & { readonly id: StepViewId };

function stepPage(page: PanelTab<StepPageProps> & { readonly id: StepViewId }): StepPage {
  return { ...definePanelTab(page), id: page.id };
}

/** Forks run agents, and that code loads when the page is first opened. */
const Forks = later(async () => (await import('./fork-view.tsx')).ForkView, 'loading');

const stepPages: readonly StepPage[] = [
  stepPage({ id: 'sent', label: texts.stepPages.sent, View: SentView }),
  stepPage({ id: 'received', label: texts.stepPages.received, View: ReceivedView }),
  stepPage({ id: 'tools', label: texts.stepPages.tools, View: ToolsView }),
  stepPage({ id: 'state', label: texts.stepPages.state, View: StepStateView, styles: stateStyles }),
  stepPage({ id: 'why', label: texts.stepPages.why, View: WhyView }),
  stepPage({ id: 'fork', label: texts.stepPages.fork, View: Forks, styles: forkStyles }),
];

export const stepPageStyles: string = [
  stepsStyles,
  inspectorStyles,
  eventsStyles,
  stopStyles,
  ...stepPages.map(({ styles }) => styles),
].join('\n');

export type StepInspectorProps = {
  readonly source: HubSource;
  readonly record: StepRecord;
  readonly root: JournalRecord;
  /** The ids of the calls between the root and the agent of the step. */
  readonly path: readonly string[];
  /** The name of a subagent; null for the root, or when it is not known. */
  readonly agent: string | null;
  readonly view: StepViewId;
  readonly onView: (view: StepViewId) => void;
  /** Leads back to the list in a narrow panel, which shows one of the two. */
  readonly onBack: () => void;
  /** The item to reveal; null when there is none. */
  readonly item: string | null;
};

export function StepInspector(props: StepInspectorProps): ReactNode {
  const { source, record, root, path, agent, view, onView, onBack, item } = props;
  const { number, step, execution } = record;
  const type = stepState(step, { isOver: execution !== null, isRunning: useContext(IsRunning) });
  const texts = useTexts();
  const isOfSubagent = path.length > 0;
  const title = isOfSubagent ? texts.step.titleOfSubagent(number, agent) : texts.step.title(number);
  const tabs = stepPages.map(({ id }) => ({ id, label: texts.stepPages[id] }));
  return (
    <div className="fill inspector" role="region" aria-label={title}>
      <div className="inspector-head beside firm spaced">
        <button className="back firm" onClick={onBack}>
          {texts.step.back}
        </button>
        <h2>
          {title} <span className={`step-type ${type}`}>{texts.stepStates[type]}</span>
        </h2>
        <Facts source={source} record={record} />
        <CopyButtons
          formats={copyFormats(record, view)}
          textOf={(options) => stepDocument(record, view, { ...options, texts })}
        >
          <BreakMenu source={source} conditions={conditionsOf(source)} />
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
            <Detail key={id} label={page && texts.stepPages[page.id]}>
              <FoundItem.Provider value={item}>
                <ErrorBoundary>
                  {page && <FindingsOf id={step.id} view={page.id} />}
                  {page && (
                    <page.View record={record} source={source} root={root} isOfSubagent={isOfSubagent} />
                  )}
                </ErrorBoundary>
              </FoundItem.Provider>
            </Detail>
          );
        }}
      </TabList>
    </div>
  );
}

type DetailProps = { readonly label: string | undefined; readonly children: ReactNode };

/** A page of an inspector, which the keyboard can scroll. */
function Detail({ label, children }: DetailProps): ReactNode {
  return (
    <div className="detail scroll" tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}

function Facts({ source, record }: Pick<StepInspectorProps, 'source' | 'record'>): ReactNode {
  const { step, execution, stateAtCall } = record;
  const timeText = useTimeText();
  const texts = useTexts();
  const usage = step.inferenceResponse?.usage;
  const isKnown = useContext(Knowledge).usage || (usage?.totalTokens ?? 0) > 0;
  if (execution === null) return null;
  const tokens = usage && isKnown ? ` · ${texts.step.tokens(usage.inputTokens, usage.outputTokens)}` : '';
  const { cached, paid } = inputFigures(callsOfStep(step), knownPrices(stateAtCall, source.agent?.()));
  const hasCache = (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0) > 0;
  const share = cached !== null && hasCache ? ` · ${texts.header.cached(cached, paid)}` : '';
  // The duration comes first, because the end is cut in a narrow panel.
  const facts = `${texts.formats.duration(execution.durationMs)}${tokens}${share} · ${timeText(execution.startedAt)}`;
  return (
    <span className="figure step-facts cut" title={facts}>
      {facts}
    </span>
  );
}

const pages = ['why', 'state'] as const;

type MomentInspectorProps = Pick<PanelTabProps, 'source' | 'record'> & {
  /** The changes outside of steps, and the way back to their row; absent for a run without steps. */
  readonly outside?: OutsideWrites & { readonly onBack: () => void };
};

/** The inspector of a moment before the first step, or of changes outside of steps. */
export function MomentInspector({ source, record, outside }: MomentInspectorProps): ReactNode {
  const { run, state, step, stepPages } = useTexts();
  const [page, setPage] = useState<string>(outside ? 'state' : 'why');
  const tabs = pages.map((id) => ({ id, label: stepPages[id] }));
  const title = outside ? run.writes[outside.where] : step.beforeFirst;
  const before = outside && stateBefore(record, outside.from);
  return (
    <div className="fill inspector" role="region" aria-label={title}>
      <div className="inspector-head beside firm spaced">
        {outside && (
          <button className="back firm" onClick={outside.onBack}>
            {step.back}
          </button>
        )}
        <h2>{title}</h2>
        <BreakMenu source={source} conditions={conditionsOf(source)} />
      </div>
      {!outside && <p className="empty">{step.noSteps}</p>}
      <TabList tabs={tabs} selected={page} onSelect={setPage} label={step.viewsOfMoment}>
        {(id) => (
          <Detail key={id} label={tabs.find((tab) => tab.id === id)?.label}>
            {id === 'why' && <StopReport budgetOf={source} record={record} />}
            {id === 'state' && before && (
              <Changes
                events={eventsOf(record).slice(outside.from)}
                before={before}
                after={record.state}
                title={state.changedOutside}
              />
            )}
            {id === 'state' && <StateTree root={record.state} rootKey={stateTreeRoot} previous={before} />}
          </Detail>
        )}
      </TabList>
    </div>
  );
}

type CopyButtonsProps = {
  readonly formats: readonly CopyFormat[];
  readonly children?: ReactNode;
  /** Creates the text when a button is pressed. */
  readonly textOf: (options: { readonly format: CopyFormat; readonly isRedacted: boolean }) => string;
};

/** Buttons that copy the shown content. Secrets are redacted unless the person chooses otherwise. */
function CopyButtons({ formats, textOf, children }: CopyButtonsProps): ReactNode {
  const texts = useTexts();
  const [isRedacted, setRedacted] = useState(true);
  const [message, setMessage] = useState('');
  const copy = async (format: CopyFormat, button: Element): Promise<void> => {
    const isCopied = await copyText(textOf({ format, isRedacted }), button.ownerDocument);
    setMessage(isCopied ? texts.step.copiedAs(format, isRedacted) : texts.common.copyRefused);
  };
  return (
    <span className="copy beside firm at-end">
      <span role="status" className="figure">
        {message}
      </span>
      {children}
      <Popover label={texts.step.copy}>
        {() => (
          <>
            {formats.map((format) => (
              <button key={format} onClick={({ currentTarget }) => void copy(format, currentTarget)}>
                {texts.step.copyAs(format)}
              </button>
            ))}
            <label className="beside">
              {texts.step.withoutSecrets}
              <input
                type="checkbox"
                checked={isRedacted}
                onChange={({ target }) => setRedacted(target.checked)}
              />
            </label>
          </>
        )}
      </Popover>
    </span>
  );
}

function ShowInPage({ step }: { readonly step: AgentStep }): ReactNode {
  const texts = useTexts().step;
  const [isMissing, setMissing] = useState(false);
  const ids = [
    ...step.toolExecutions.map(({ id }) => id),
    ...step.outputMessages.map(({ id }) => String(id)),
  ];
  return (
    <>
      {isMissing && (
        <span role="status" className="figure">
          {texts.notInPage}
        </span>
      )}
      <button onClick={() => setMissing(!showInPage(ids))}>{texts.showInPage}</button>
    </>
  );
}

/** The reason why the run went on or stopped after a step. */
function WhyView({ record, source, isOfSubagent }: StepPageProps): ReactNode {
  const texts = useTexts();
  return (
    <>
      <p className="verdict">{stepVerdict(record, texts)}</p>
      {record.isRecorded || record.number === record.steps ? (
        <StopReport record={record.after} budgetOf={isOfSubagent ? null : source} />
      ) : (
        <p className="facts">{texts.why.checksNotRecorded}</p>
      )}
    </>
  );
}

function ReceivedView({ record }: StepPageProps): ReactNode {
  const { step, events, isRecorded } = record;
  const { inferenceResponse: response } = step;
  const answers = step.outputMessages.filter(({ role }) => role === 'assistant');
  const found = useContext(FoundItem);
  const texts = useTexts().received;
  return (
    <>
      {answers.length === 0 && <p className="facts">{texts.noMessage}</p>}
      {answers.map((message) => (
        <MessageView key={message.id} item={`out:${message.id}`} message={message} />
      ))}
      {response ? <ResponseFacts response={response} /> : <p className="facts">{texts.notFinished}</p>}
      {response && (
        <Section title={texts.storedResponse} isOpen={found === 'response'}>
          <Json value={response} path={['response']} />
        </Section>
      )}
      {isRecorded ? (
        <Section title={texts.rawEvents(events.length)}>
          <div className="raw-events stacked">
            <EventLog events={events} />
          </div>
        </Section>
      ) : (
        <p className="facts">{texts.notRecorded}</p>
      )}
    </>
  );
}

type Response = NonNullable<StepRecord['step']['inferenceResponse']>;

function ResponseFacts({ response }: { readonly response: Response }): ReactNode {
  const { common, formats, received: texts } = useTexts();
  const knows = useContext(Knowledge);
  const { usage, finishReason, explanation, durationMs, firstDeltaMs, model, id } = response;
  const rows: readonly (readonly [string, string])[] = [
    [
      texts.finishReason,
      explanation === undefined
        ? finishReason
        : texts.finishedBecause(finishReason, redactText(explanation, 'explanation')),
    ],
    [texts.model, model ?? common.unknown],
    ...(knows.usage || usage.totalTokens > 0
      ? ([
          [texts.tokensIn, formats.number(usage.inputTokens)],
          [texts.tokensOut, formats.number(usage.outputTokens)],
          [common.reasoning, formats.number(usage.reasoningTokens)],
          [texts.cacheRead, formats.number(usage.cacheReadTokens)],
          [texts.cacheWritten, formats.number(usage.cacheWriteTokens)],
        ] as const)
      : [[texts.tokens, common.unknown] as const]),
    ...(usage.isEstimated === true ? [[texts.countedBy, texts.estimate] as const] : []),
    [texts.cost, usage.cost === null ? common.unknown : formats.cost(usage.cost)],
    [
      texts.firstDelta,
      firstDeltaMs === null ? (knows.times ? texts.noDelta : common.unknown) : formats.duration(firstDeltaMs),
    ],
    [texts.took, formats.duration(durationMs)],
    [texts.providerId, id ?? common.unknown],
  ];
  return (
    <dl className="facts-table">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt className="in-small">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
