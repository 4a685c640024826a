import { AgentState } from '@vitrine/core';
import {
  type Detector,
  eventsOf,
  type Finding,
  type FindingSeverity,
  type HubSource,
  type JournalRecord,
} from '@vitrine/inspect';
import { type Context, createContext, useEffect, useMemo, useState } from 'react';
import type { PanelFocus, StepViewId } from '../../define-panel-tab.ts';
import { useLatest } from '../../kit/use-latest.ts';

/** The findings of the shown run, and those of each of its steps and calls by their ids. */
export type RunFindings = {
  /** Those that nobody expects, the worst first. */
  readonly all: readonly Finding[];
  /** Hints that the code expects, or that a person meant on this page. */
  readonly expected: readonly Finding[];
  /** Both, in an order that does not change when one is meant. */
  readonly listed: readonly Finding[];
  readonly byId: ReadonlyMap<string, readonly Finding[]>;
  /** False until the latest events are diagnosed. */
  readonly isComplete: boolean;
  /** Remembers for this page that a hint is meant. */
  readonly mean: (finding: Finding) => void;
};

const nothing = { all: [], expected: [], listed: [], byId: new Map() };
const none: RunFindings = { ...nothing, isComplete: false, mean: () => undefined };

export const Findings: Context<RunFindings> = createContext(none);

const weights: Readonly<Record<FindingSeverity, number>> = { fault: 0, hint: 1 };

/** The keys of hints that a person meant; they last as long as the page. */
let meant: ReadonlySet<string> = new Set();

const keyOf = ({ code, evidence: { who = '' } }: Finding): string => `${code}|${who}`;

/** The options of an agent, hook or tool by which a hint is expected. */
export function expectsLine({ code }: Finding): string {
  return `expects: ['${code}'],`;
}

/**
 * The findings of a run up to a moment.
 * @param whole The whole record, so that a diagnosis continues the last one.
 * @param shown The record of the run up to the moment.
 * @param detectors Those of the application.
 */
export function useFindings(
  whole: JournalRecord,
  shown: JournalRecord,
  source: HubSource,
  detectors: readonly Detector[] | undefined,
): RunFindings {
  /** The findings, and the last event that they know. */
  const [[found, upTo], setFound] = useState<readonly [readonly Finding[], object?]>([[]]);
  const [known, setKnown] = useState(meant);
  const latest = useLatest(whole);
  // The parts of an answer tell nothing before its end.
  const told = eventsOf(whole).findLast(({ event }) => !('delta' in event)) ?? whole;
  useEffect(() => {
    const reading = new AbortController();
    const { signal } = reading;
    diagnoseLate(latest.current, source, { detectors, signal })
      // A record that cannot be diagnosed can still be inspected.
      .catch(() => [])
      .then((findings) => signal.aborted || setFound([findings, told]));
    return () => reading.abort();
  }, [told, latest, source, detectors]);
  const isComplete = upTo === told;
  return useMemo(() => {
    const mean = (finding: Finding): void => setKnown((meant = new Set([...meant, keyOf(finding)])));
    return { ...findingsOf(found, shown, known), isComplete, mean };
  }, [found, shown, known, isComplete]);
}

type LateOptions = { readonly detectors: readonly Detector[] | undefined; readonly signal: AbortSignal };

/** Diagnoses a record by detectors that are loaded when they are first needed, without a long task. */
export async function diagnoseLate(
  record: JournalRecord,
  source: Pick<HubSource, 'agent'>,
  { detectors, signal }: LateOptions,
): Promise<readonly Finding[]> {
  const { diagnoseInSlices } = await import('./diagnosis.ts');
  const agent = source.agent?.();
  const options = {
    ...(detectors === undefined ? {} : { detectors }),
    ...(agent === undefined ? {} : { agent }),
  };
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  return diagnoseInSlices(record, options, { signal, now: () => performance.now(), pause });
}

function findingsOf(
  found: readonly Finding[],
  { state }: JournalRecord,
  known: ReadonlySet<string>,
): Omit<RunFindings, 'isComplete' | 'mean'> {
  const executionId = state.execution?.executionId ?? null;
  const ids = new Set(idsIn(state));
  const isSeen = ({ address: { path, seq, executionId: run } }: Finding): boolean =>
    run === executionId && (path.length === 0 ? seq <= state.seq : ids.has(path[0] ?? ''));
  const seen = found.filter(isSeen).sort((a, b) => weights[a.severity] - weights[b.severity]);
  if (seen.length === 0) return nothing;
  const isExpected = (finding: Finding): boolean =>
    finding.isExpected === true || (finding.severity === 'hint' && known.has(keyOf(finding)));
  const byId = new Map<string, Finding[]>();
  const all = seen.filter((finding) => !isExpected(finding));
  for (const finding of all) {
    const id = idOf(finding);
    if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), finding]);
  }
  return { all, expected: seen.filter(isExpected), listed: seen, byId };
}

export function idOf({ address: { stepId, toolCallId } }: Finding): string | undefined {
  return toolCallId ?? stepId;
}

function idsIn(state: AgentState): readonly string[] {
  return AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions.map(({ id }) => id));
}

const views: readonly (readonly [RegExp, StepViewId])[] = [
  [/^(answer|model|output|reasoning|usage|price)-/, 'received'],
  [/^(prompt|request|messages|context|file|result|tools|subagent)-/, 'sent'],
  [/^state-/, 'state'],
];

/** The page of the inspector on which a finding is explained. */
export function viewOf({ code, address: { toolCallId, statePath } }: Finding): StepViewId {
  if (toolCallId !== undefined) return 'tools';
  const named = views.find(([start]) => start.test(code))?.[1];
  return named ?? (statePath === undefined ? 'why' : 'state');
}

export function itemOf(finding: Finding): string {
  const { seq, path, toolCallId } = finding.address;
  return toolCallId === undefined ? `finding:${finding.code} ${path.join('/')} ${seq}` : `call:${toolCallId}`;
}

/** The place that shows a finding: its step, otherwise its event; null when neither is recorded. */
export function focusOf(finding: Finding, record: JournalRecord): PanelFocus | null {
  const { stepId, path, seq } = finding.address;
  if (stepId !== undefined) return { stepId, view: viewOf(finding), item: itemOf(finding) };
  const agent = path.join('/');
  const entry = eventsOf(record).find(({ event }) => event.seq === seq && event.path.join('/') === agent);
  return entry ? { event: entry.number } : null;
}

/** The weight of the worst finding; null when there is none. */
export function worstOf(findings: readonly Finding[] | undefined): FindingSeverity | null {
  return findings?.[0]?.severity ?? null;
}
