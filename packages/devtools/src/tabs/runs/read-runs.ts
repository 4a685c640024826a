import { AgentState } from '@vitrine/core';
import {
  type Detector,
  type Finding,
  type HubSource,
  type JournalRecord,
  runsOf,
  sessionHub,
} from '@vitrine/inspect';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import { recordOfPast } from '@vitrine/inspect/internal/with-past';
import { preview } from '../../kit/format.ts';
import type { Texts } from '../../texts.ts';
import { diagnoseLate } from '../findings/findings.ts';
import { cutShort, durationOf, verdict } from '../stop/verdict.ts';

/** The end of a run in a word; `faulty` finished with a fault or an answer that is not whole. */
export type RunResult = 'finished' | 'faulty' | 'stopped' | 'failed' | 'open';

/** One run in the list of many sessions. */
export type ListedRun = {
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
export type ListedSession = {
  readonly id: string;
  readonly name: string;
  readonly source: HubSource | undefined;
  readonly read: () => Promise<JournalRecord | null>;
};

/** Lists stored sessions page by page, newest first. Before the first page come those that are not stored. */
export async function listSessions(
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
export async function readRuns(session: ListedSession, options: ReadOptions): Promise<readonly ListedRun[]> {
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
export type RunsFilter = {
  readonly words: string;
  readonly result: RunResult | '';
  readonly model: string;
  readonly code: string;
  readonly leastCost: string;
  readonly leastSteps: string;
  /** A day as `2026-11-24`, in the time of the page. */
  readonly since: string;
};

export function filterRuns(rows: readonly ListedRun[], filter: RunsFilter): readonly ListedRun[] {
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

export type Trend = { readonly code: string; readonly count: number; readonly since: number };

/** The findings of the runs, the most frequent first, each with the time of the first run that has it. */
export function trendsOf(rows: readonly ListedRun[]): readonly Trend[] {
  const found = new Map<string, Trend>();
  for (const { codes, startedAt } of rows)
    for (const code of codes) {
      const { count, since } = found.get(code) ?? { count: 0, since: Infinity };
      found.set(code, { code, count: count + 1, since: Math.min(since, startedAt) });
    }
  return [...found.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}
