import { AgentState } from '@vitrine/core';
import { redact } from '@vitrine/core/inspect';
import type { StepViewId } from '../../define-panel-tab.ts';
import { shownEvent } from '../events/shown-event.ts';
import { curlOf } from './curl-of.ts';
import { evaluationsOf } from '../stop/evaluations-of.ts';
import type { StepRecord } from './step-record.ts';
import { stepVerdict } from './step-verdict.ts';

/** The form in which a view of a step is taken along. */
export type CopyFormat = 'JSON' | 'Markdown' | 'curl';

/** The forms in which a view of a step can be taken along: a request as a command too. */
export function copyFormats({ request }: StepRecord, view: StepViewId): readonly CopyFormat[] {
  return view === 'sent' && request !== null ? ['JSON', 'Markdown', 'curl'] : ['JSON', 'Markdown'];
}

/**
 * What a view of a step shows, as text.
 * @param isRedacted Without values under names of secrets and without texts that look like secrets.
 */
export function stepDocument(
  record: StepRecord,
  view: StepViewId,
  { format, isRedacted }: { readonly format: CopyFormat; readonly isRedacted: boolean },
): string {
  if (format === 'curl') {
    const { request } = record;
    if (request === null) return '';
    return curlOf(isRedacted ? (redact(request) as typeof request) : request);
  }
  const content = contentOf(record, view, isRedacted);
  // Its own names are ours, or those of tools, and no names of secrets.
  const safe = (part: unknown, name: string): unknown =>
    redact(part, { path: view === 'tools' ? ['toolExecutions'] : [name] });
  const value = Object.fromEntries(
    Object.entries(content).map(([name, part]) => [name, isRedacted ? safe(part, name) : part]),
  );
  if (format === 'JSON') return JSON.stringify(value, null, 2);
  const parts = Object.entries(value).map(([name, part]) => {
    if (typeof part === 'string' && !part.includes('```')) return `## ${name}\n\n${part}`;
    return `## ${name}\n\n${fenced(JSON.stringify(part, null, 2))}`;
  });
  return [`# Step ${record.number}: ${view}`, ...parts].join('\n\n');
}

function contentOf(record: StepRecord, view: StepViewId, isRedacted: boolean): Record<string, unknown> {
  const { step, events, request, leftOut, after } = record;
  switch (view) {
    case 'sent':
      return { ...request, leftOut };
    case 'received':
      return {
        messages: step.outputMessages,
        response: step.inferenceResponse,
        // What came in pieces is looked at as a whole.
        events: events.map(({ event }, index) => (isRedacted ? shownEvent(events, index) : event)),
      };
    case 'tools':
      return Object.fromEntries(
        step.toolExecutions.map((execution) => [`${execution.toolCall.name} ${execution.id}`, execution]),
      );
    case 'state':
      return { ...AgentState.toJSON(after.state) };
    case 'why':
      return {
        verdict: stepVerdict(record),
        signals: AgentState.stopSignals(after.state),
        checks: evaluationsOf(after),
      };
  }
}

/** A fence that is longer than every one in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}
