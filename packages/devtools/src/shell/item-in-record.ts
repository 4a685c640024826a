import { AgentState, AgentStep } from '@vitrine/core';
import { eventsOf, type JournalRecord, type RecordedRun, runsOf } from '@vitrine/inspect';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import type { PanelFocus } from '../define-panel-tab.ts';
import { type Place, placeOfRun } from './place.ts';
import type { PageItem } from '../kit/page-items.ts';

/** Finds the step that made a call, gave an answer or first sent a message; null when it is unknown. */
export function itemInRecord(
  record: JournalRecord,
  { kind, id }: Pick<PageItem, 'kind' | 'id'>,
): { readonly place: Place; readonly focus: PanelFocus } | null {
  for (const run of [...runsOf(record)].reverse()) {
    if (run.known === 'messages') continue;
    const focus = focusIn(record, run, kind, id);
    if (focus) return { place: placeOfRun(record, run), focus };
  }
  return null;
}

function focusIn(
  record: JournalRecord,
  run: RecordedRun,
  kind: PageItem['kind'],
  id: string,
): PanelFocus | null {
  const { state } = recordOfRun(record, run);
  const steps = AgentState.steps(state);
  for (const step of steps) {
    if (kind === 'call' && holdsCall(step, id))
      return { stepId: makesCall(step, id) ? step.id : id, view: 'tools', item: `call:${id}` };
    if (kind === 'message' && step.outputMessages.some((message) => message.id === id))
      return { stepId: step.id, view: 'received', item: `out:${id}` };
  }
  const first = steps[0];
  if (kind === 'call' || !first || !wasSaidIn(record, run, id)) return null;
  return { stepId: first.id, view: 'sent', item: id };
}

/** True for the step that made a call itself, and not by a subagent. */
function makesCall({ toolExecutions }: AgentStep, id: string): boolean {
  return toolExecutions.some((call) => call.id === id);
}

/** Tells whether a step contains a call, also in its subagents. */
function holdsCall(step: AgentStep, id: string): boolean {
  return step.toolExecutions.some(
    (call) =>
      call.id === id ||
      (call.childState !== null && AgentState.steps(call.childState).some((below) => holdsCall(below, id))),
  );
}

/** Tells whether a person's message was added before or during a run. */
function wasSaidIn(record: JournalRecord, run: RecordedRun, id: string): boolean {
  if (run.known === 'state')
    return AgentState.messages(recordOfRun(record, run).state).some((message) => message.id === id);
  return eventsOf(record)
    .slice(Math.max(0, run.first), run.last + 1)
    .some(({ event }) => event.type === 'message-add' && event.message.id === id);
}
