import { AgentState } from '@vitrine/core';
import {
  type Detector,
  diagnose,
  eventsOf,
  type Finding,
  type FindingSeverity,
  type JournalRecord,
} from '@vitrine/inspect';
import { type Context, createContext } from 'react';
import type { PanelFocus, StepViewId } from '../../define-panel-tab.ts';

/** The findings of the shown run, and those of each of its steps and calls by their ids. */
export type RunFindings = {
  /** The worst first. */
  readonly all: readonly Finding[];
  readonly byId: ReadonlyMap<string, readonly Finding[]>;
};

const none: RunFindings = { all: [], byId: new Map() };

/** Context: the findings of the shown run. */
export const Findings: Context<RunFindings> = createContext(none);

const weights: Readonly<Record<FindingSeverity, number>> = { error: 0, warning: 1, note: 2 };

/**
 * The findings of a run up to a moment.
 * @param whole The whole record, so that a diagnosis continues the last one.
 * @param shown The record of the run up to the moment.
 * @param detectors Those of the application.
 */
export function findingsOf(
  whole: JournalRecord,
  shown: JournalRecord,
  detectors: readonly Detector[] | undefined,
): RunFindings {
  const { state } = shown;
  const executionId = state.execution?.executionId ?? null;
  const ids = new Set(idsIn(state));
  const isSeen = ({ address: { path, seq, executionId: run } }: Finding): boolean =>
    run === executionId && (path.length === 0 ? seq <= state.seq : ids.has(path[0] ?? ''));
  const all = findFaults(whole, detectors)
    .filter(isSeen)
    .sort((a, b) => weights[a.severity] - weights[b.severity]);
  if (all.length === 0) return none;
  const byId = new Map<string, Finding[]>();
  for (const finding of all) {
    const { stepId, toolCallId } = finding.address;
    const id = toolCallId ?? stepId;
    if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), finding]);
  }
  return { all, byId };
}

function findFaults(record: JournalRecord, detectors: readonly Detector[] | undefined): readonly Finding[] {
  try {
    return diagnose(record, detectors === undefined ? {} : { detectors });
  } catch {
    // A record that cannot be diagnosed can still be inspected.
    return none.all;
  }
}

function idsIn(state: AgentState): readonly string[] {
  return AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions.map(({ id }) => id));
}

/** The views of findings by the beginning of their code. */
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

/** The item of a finding on its page. */
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
