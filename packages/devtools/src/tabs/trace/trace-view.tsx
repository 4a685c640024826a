import {
  exportTrace,
  type HubSource,
  type JournalDocument,
  journalOfRun,
  type JournalRecord,
  type RecordedRun,
  type Redaction,
  replay,
  runsOf,
  testOfJournal,
  type TraceExport,
} from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { type ReactNode, useState } from 'react';
import { saveFile } from '../../kit/save-file.ts';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { copyText } from '../../kit/copy-text.ts';
import { TextAround, TextBlock } from '../../kit/section.tsx';
import { type Texts, useTexts } from '../../texts.ts';

/** The replay, test and file of a run. */
export function TraceView({ source, record }: PanelTabProps): ReactNode {
  const texts = useTexts().trace;
  const run = runsOf(record).at(-1);
  const journal = run ? journalOfRun(record, run) : null;
  const isWatched = record.knows !== undefined;
  const about = run && journal && !isWatched ? { source, run, journal } : null;
  return (
    <div className="detail scroll" tabIndex={0} role="group" aria-label={texts.label}>
      {about ? (
        <>
          {/* New keys, so that the result for another run or an earlier event is not shown. */}
          <ReplayView key={`replay ${about.run.executionId} ${about.run.last}`} {...about} />
          <TestView key={`test ${about.run.executionId} ${about.run.last}`} {...about} />
        </>
      ) : (
        <p className="facts">{isWatched ? texts.noAgent : texts.noReplay}</p>
      )}
      <SaveView name={source.name} record={record} />
    </div>
  );
}

type Outcome = { readonly isEqual: boolean; readonly text: string };

function ReplayView({ source, run, journal }: ReplayableRun): ReactNode {
  const [outcome, setOutcome] = useState<Outcome | 'running' | null>(null);
  const texts = useTexts().trace;
  const agent = source.agent?.();
  const start = async (): Promise<void> => {
    if (agent === undefined) return;
    setOutcome('running');
    try {
      const { modelCalls, toolCalls } = await replay(journal, agent);
      setOutcome({ isEqual: true, text: texts.replayed(modelCalls, toolCalls) });
    } catch (thrown) {
      setOutcome({
        isEqual: false,
        text: redactText(thrown instanceof Error ? thrown.message : String(thrown), 'message'),
      });
    }
  };
  return (
    <section aria-label={texts.replay}>
      <h2>{texts.replayRun(run.number)}</h2>
      <p className="facts">{texts.replayNote}</p>
      {agent === undefined ? (
        <p className="facts">{texts.noAgent}</p>
      ) : (
        <button disabled={outcome === 'running'} onClick={() => void start()}>
          {texts.replay}
        </button>
      )}
      <p role="status" className={isFailed(outcome) ? 'error-line' : 'facts'}>
        {outcome === 'running' ? texts.replaying : outcome?.text}
      </p>
    </section>
  );
}

function isFailed(outcome: Outcome | 'running' | null): boolean {
  return outcome !== null && outcome !== 'running' && !outcome.isEqual;
}

/** Number of redacted values that the preview lists. */
const listed = 100;

const reasons = {
  name: 'redactedByName',
  pattern: 'redactedByPattern',
  sanitize: 'redactedByApplication',
} as const satisfies Readonly<Record<Redaction['by'], keyof Texts['trace']>>;

/** Saves the record as a trace file, after a preview of the redacted values. */
function SaveView({ name, record }: { readonly name: string; readonly record: JournalRecord }): ReactNode {
  const texts = useTexts().trace;
  const [preview, setPreview] = useState<TraceExport | null>(null);
  return (
    <section aria-label={texts.file}>
      <h2>{texts.file}</h2>
      <p className="facts">{texts.fileNote}</p>
      <button onClick={() => setPreview(exportTrace(record, { name }))}>{texts.preview}</button>
      {preview && <Preview preview={preview} />}
    </section>
  );
}

function Preview({ preview: { document, redactions } }: { readonly preview: TraceExport }): ReactNode {
  const texts = useTexts().trace;
  const events = document.journals.reduce((sum, journal) => sum + journal.events.length, 0);
  const { missed, dropped } = document.notRecorded;
  const save = (): void =>
    saveFile(`${document.name || 'agent'}.trace.json`, JSON.stringify(document), 'application/json');
  return (
    <>
      <p role="status">
        {texts.contents(events, document.journals.length, redactions.length, missed + dropped.events)}
      </p>
      <ul className="taken-out" aria-label={texts.redacted} tabIndex={0}>
        {redactions.slice(0, listed).map(({ path, by }) => (
          <li key={path.join('.')}>
            <TextAround text={texts[reasons[by]]}>
              <code>{path.join('.')}</code>
            </TextAround>
          </li>
        ))}
      </ul>
      {redactions.length > listed && (
        <p className="facts">{texts.moreRedacted(redactions.length - listed)}</p>
      )}
      <button onClick={save}>{texts.save}</button>
    </>
  );
}

/** Number of characters of a test that are shown. */
const shownLength = 4000;

/** Shows the run as a test of the application's agent. */
function TestView({ source, run, journal }: ReplayableRun): ReactNode {
  const { common, trace: texts } = useTexts();
  const [test, setTest] = useState<string | null>(null);
  const [message, setMessage] = useState('');
  const make = (): void => setTest(testOfJournal({ journal, name: source.name, request: run.request }));
  const copy = async (text: string, page: Document): Promise<void> =>
    setMessage((await copyText(text, page)) ? common.copied : common.copyRefused);
  return (
    <section aria-label={texts.test}>
      <h2>{texts.runAsTest(run.number)}</h2>
      <p className="facts">{texts.testNote}</p>
      {test === null ? (
        <button onClick={make}>{texts.makeTest}</button>
      ) : (
        <>
          <button onClick={() => saveFile(`run-${run.number}.test.ts`, test, 'text/plain')}>
            {texts.saveTest}
          </button>
          <button onClick={({ currentTarget }) => void copy(test, currentTarget.ownerDocument)}>
            {texts.copyTest}
          </button>{' '}
          <span role="status" className="figure">
            {message}
          </span>
          <TextBlock label={texts.test}>
            {test.length > shownLength ? `${test.slice(0, shownLength)}…` : test}
          </TextBlock>
        </>
      )}
    </section>
  );
}

/** A run with its recorded journal. */
export type ReplayableRun = {
  readonly source: HubSource;
  readonly run: RecordedRun;
  readonly journal: JournalDocument;
};
