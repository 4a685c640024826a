import { AgentState } from '@vitrine/core';
import {
  type Detector,
  type Finding,
  type HubSource,
  type JournalRecord,
  runsOf,
  sessionHub,
} from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import { recordOfPast } from '@vitrine/inspect/internal/with-past';
import { type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { PanelSources } from '../../kit/contexts.ts';
import { preview } from '../../kit/format.ts';
import { Problem } from '../../kit/notice.tsx';
import { type Texts, useTexts } from '../../texts.ts';
import { diagnoseLate } from '../findings/findings.ts';
import { cutShort, durationOf, verdict } from '../stop/verdict.ts';

const everything: RunsFilter = {
  words: '',
  result: '',
  model: '',
  code: '',
  leastCost: '',
  leastSteps: '',
  since: '',
};
const fields = [
  ['words', 'search'],
  ['leastCost', 'number'],
  ['leastSteps', 'number'],
  ['since', 'search'],
] as const;
const results: readonly RunResult[] = ['finished', 'faulty', 'stopped', 'failed', 'open'];

/** The runs of all stored sessions, with a filter by each of their facts. */
export function RunsView({ source }: PanelTabProps): ReactNode {
  const { runs: words, formats } = useTexts();
  const { rows, sessions, unread, isReading, more, problem } = useListedRuns(source);
  const [filter, setFilter] = useState(everything);
  const shown = useMemo(() => filterRuns(rows, filter), [rows, filter]);
  const cost = shown.reduce((sum, row) => sum + (row.cost ?? 0), 0);
  return (
    <div className="detail scroll" tabIndex={0} role="group" aria-label={words.label}>
      <Filter {...{ rows, filter }} onFilter={setFilter} />
      <p className="facts" role="status">
        {isReading
          ? words.reading(sessions)
          : words.shown(shown.length, rows.length, sessions, formats.cost(cost))}
        {unread > 0 && ` ${words.unread(unread)}`}
      </p>
      <Problem text={problem} />
      <ol className="plain-list" aria-label={words.label}>
        {shown.map((row) => (
          <Row key={`${row.session.id} ${row.executionId}`} row={row} />
        ))}
      </ol>
      {more !== null && !isReading && <button onClick={more}>{words.more}</button>}
    </div>
  );
}

type Listed = {
  readonly rows: readonly ListedRun[];
  readonly sessions: number;
  readonly unread: number;
  readonly cursor: string | null;
  readonly isReading: boolean;
  readonly problem: string;
};

const unread: Listed = { rows: [], sessions: 0, unread: 0, cursor: null, isReading: true, problem: '' };

/** Reads the sessions of the store page by page, and the next page when `more` is called; null at the end. */
function useListedRuns(source: HubSource): Listed & { readonly more: (() => void) | null } {
  const texts = useTexts();
  const { read, detectors } = useContext(PanelSources);
  const [listed, setListed] = useState(unread);
  const [from, setFrom] = useState<string | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const change = (next: (before: Listed) => Partial<Listed>): void => {
      if (!signal.aborted) setListed((before) => ({ ...before, ...next(before) }));
    };
    async function readPage(): Promise<void> {
      const { sessions, cursor } = await listSessions(source, read, from);
      for (const session of sessions) {
        if (signal.aborted) return;
        // One that cannot be read must not hide the others.
        const found = await readRuns(session, { detectors, signal, texts }).catch(() => null);
        change((before) => ({
          rows: [...before.rows, ...(found ?? [])],
          sessions: before.sessions + 1,
          unread: before.unread + (found === null ? 1 : 0),
        }));
      }
      change(() => ({ cursor }));
    }
    change(() => (from === null ? unread : { isReading: true }));
    readPage()
      .catch((error: unknown) => change(() => ({ problem: redactText(String(error), 'message') })))
      .then(() => change(() => ({ isReading: false })));
    return () => ending.abort();
  }, [source, read, detectors, from, texts]);
  const { cursor } = listed;
  return { ...listed, more: cursor === null ? null : () => setFrom(cursor) };
}

type FilterProps = {
  readonly rows: readonly ListedRun[];
  readonly filter: RunsFilter;
  readonly onFilter: (filter: RunsFilter) => void;
};

function Filter({ rows, filter, onFilter }: FilterProps): ReactNode {
  const { runs: words, formats } = useTexts();
  const models = [...new Set(rows.map(({ model }) => model).filter((model) => model !== ''))].sort();
  const change = (name: keyof RunsFilter, value: string): void => onFilter({ ...filter, [name]: value });
  const choices: Readonly<Record<'result' | 'model' | 'code', readonly (readonly [string, string])[]>> = {
    result: results.map((result) => [result, words.results[result]]),
    model: models.map((model) => [model, model]),
    code: trendsOf(rows).map(({ code, count, since }) => [
      code,
      words.trend(code, count, rows.length, formats.day(since)),
    ]),
  };
  return (
    <div className="beside wrapping runs-filter" role="search" aria-label={words.filter}>
      {fields.map(([name, type]) => (
        <input
          key={name}
          type={type}
          aria-label={words[name]}
          placeholder={words[name]}
          value={filter[name]}
          onChange={({ target }) => change(name, target.value)}
        />
      ))}
      {(['result', 'model', 'code'] as const).map((name) => (
        <select
          key={name}
          aria-label={words[name]}
          value={filter[name]}
          onChange={({ target }) => change(name, target.value)}
        >
          <option value="">{words[name]}</option>
          {choices[name].map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ))}
    </div>
  );
}

/** A run in two lines; a press opens it. */
function Row({ row }: { readonly row: ListedRun }): ReactNode {
  const { runs: words, formats, header } = useTexts();
  const { show } = useContext(PanelSources);
  const [problem, setProblem] = useState('');
  const { session, number, result, sentence, steps, model, codes } = row;
  const open = async (): Promise<void> => {
    const record = await session.read();
    const run = record && runsOf(record).find(({ executionId }) => executionId === row.executionId);
    if (!record || !run) return setProblem(words.gone);
    const { name, id } = session;
    show({ id: `run-${id}-${number}`, name: words.opened(name, number) }, recordOfRun(record, run), name);
  };
  return (
    <li>
      <button
        className="bare-button"
        data-result={result}
        title={sentence}
        onClick={() =>
          void open().catch((error: unknown) => setProblem(redactText(String(error), 'message')))
        }
      >
        <span className="cut">{row.request || session.name}</span>
        <span className="figure">{row.cost === null ? header.costUnknown : formats.cost(row.cost)}</span>
        <span className="facts">
          <b>{words.results[result]}</b>
          {[
            '',
            words.steps(steps),
            formats.duration(row.durationMs),
            ...(model === '' ? [] : [model]),
            formats.day(row.startedAt),
            ...codes,
          ].join(' · ')}
        </span>
      </button>
      <Problem text={problem} />
    </li>
  );
}

/** The end of a run in a word; `faulty` finished with a fault or an answer that is not whole. */
type RunResult = 'finished' | 'faulty' | 'stopped' | 'failed' | 'open';

/** One run in the list of many sessions. */
type ListedRun = {
  readonly session: ListedSession;
  readonly executionId: string;
  readonly number: number;
  /** The user message before it, without secrets. */
  readonly request: string;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly result: RunResult;
  /** The sentence on why it stopped, or that it has not. */
  readonly sentence: string;
  readonly steps: number;
  /** Null when it is unknown. */
  readonly cost: number | null;
  /** The model that answered last; empty when it is unknown. */
  readonly model: string;
  /** The codes of its findings that nobody expects, each once. */
  readonly codes: readonly string[];
};

/** A session whose runs are listed: of this page, of its store, or both. */
type ListedSession = {
  readonly id: string;
  readonly name: string;
  readonly source: HubSource | undefined;
  readonly read: () => Promise<JournalRecord | null>;
};

/** Lists stored sessions page by page, newest first. Before the first page come those that are not stored. */
async function listSessions(
  { list, past }: Pick<HubSource, 'list' | 'past'>,
  readSource: (source: HubSource) => JournalRecord,
  cursor: string | null,
): Promise<{ readonly sessions: readonly ListedSession[]; readonly cursor: string | null }> {
  const sources = sessionHub().sources();
  const unstored = sources.filter((source) => source.past === undefined);
  const own = (cursor === null ? unstored : []).map((source) => ({
    id: source.id,
    name: source.name,
    source,
    read: () => Promise.resolve(readSource(source)),
  }));
  if (list === undefined || past === undefined) return { sessions: own, cursor: null };
  const page = await list({ limit: 20, ...(cursor !== null && { cursor }) });
  const stored = page.sessions.map(({ id, agentName: name }) => ({
    id,
    name,
    source: sources.find((source) => source.id === id),
    async read() {
      const found = await past(id);
      return found === null ? null : recordOfPast(found);
    },
  }));
  return { sessions: [...own, ...stored], cursor: page.cursor };
}

type ReadOptions = {
  readonly detectors: readonly Detector[] | undefined;
  readonly signal: AbortSignal;
  readonly texts: Texts;
};

/** Reads the runs of a session, the newest first, each with its findings. Runs of which only messages are left are no rows. */
async function readRuns(session: ListedSession, options: ReadOptions): Promise<readonly ListedRun[]> {
  const record = await session.read();
  if (record === null) return [];
  const source = session.source ?? {};
  const all = await diagnoseLate(record, source, options);
  const rows: ListedRun[] = [];
  for (const run of runsOf(record)) {
    if (run.known === 'messages') continue;
    const own = recordOfRun(record, run);
    const { executionId } = run;
    const found = run.known === 'stored' ? await diagnoseLate(own, source, options) : all;
    const ofRun = found.filter(
      ({ address, isExpected }) => address.executionId === executionId && !isExpected,
    );
    rows.push({
      session,
      executionId,
      number: run.number,
      request: preview(run.request, ['text'], 120),
      ...factsOf(own.state, ofRun, options.texts),
    });
  }
  return rows.reverse();
}

function factsOf(
  state: AgentState,
  findings: readonly Finding[],
  texts: Texts,
): Omit<ListedRun, 'session' | 'executionId' | 'number' | 'request'> {
  const answer = AgentState.steps(state).findLast((step) => step.sent !== null);
  const isFaulty = cutShort(state) !== null || findings.some(({ severity }) => severity === 'fault');
  return {
    startedAt: state.execution?.startedAt ?? 0,
    durationMs: durationOf(state),
    result: resultOf(state, isFaulty),
    sentence: verdict(state, null, texts),
    steps: AgentState.stepCount(state),
    cost: AgentState.usage(state).cost,
    model: answer?.inferenceResponse?.model ?? answer?.sent?.model ?? '',
    codes: [...new Set(findings.map(({ code }) => code))],
  };
}

function resultOf(state: AgentState, isFaulty: boolean): RunResult {
  const status = AgentState.status(state);
  if (status === 'stopped' || status === 'failed') return status;
  if (status !== 'completed') return 'open';
  return isFaulty ? 'faulty' : 'finished';
}

/** The filter of the list; an empty text and null let all through. */
type RunsFilter = {
  readonly words: string;
  readonly result: RunResult | '';
  readonly model: string;
  readonly code: string;
  readonly leastCost: string;
  readonly leastSteps: string;
  /** A day as `2026-11-24`, in the time of the page. */
  readonly since: string;
};

function filterRuns(rows: readonly ListedRun[], filter: RunsFilter): readonly ListedRun[] {
  const { words, result, model, code, leastCost, leastSteps, since } = filter;
  const wanted = words.trim().toLowerCase();
  const start = new Date(`${since}T00:00`).getTime() || 0;
  return rows.filter(
    (row) =>
      (result === '' || row.result === result) &&
      (model === '' || row.model === model) &&
      (code === '' || row.codes.includes(code)) &&
      (row.cost ?? 0) >= Number(leastCost) &&
      row.steps >= Number(leastSteps) &&
      row.startedAt >= start &&
      `${row.request} ${row.sentence} ${row.session.name}`.toLowerCase().includes(wanted),
  );
}

type Trend = { readonly code: string; readonly count: number; readonly since: number };

/** The findings of the runs, the most frequent first, each with the time of the first run that has it. */
function trendsOf(rows: readonly ListedRun[]): readonly Trend[] {
  const found = new Map<string, Trend>();
  for (const { codes, startedAt } of rows)
    for (const code of codes) {
      const { count, since } = found.get(code) ?? { count: 0, since: Infinity };
      found.set(code, { code, count: count + 1, since: Math.min(since, startedAt) });
    }
  return [...found.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}
