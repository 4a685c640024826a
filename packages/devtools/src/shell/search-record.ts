import { AgentState, type ToolExecution } from '@vitrine/core';
import {
  eventsOf,
  type JournalRecord,
  type RecordedRun,
  recordOfRun,
  redact,
  runsOf,
} from '@vitrine/core/inspect';
import type { PanelFocus, StepViewId } from '../define-panel-tab.ts';
import { summarizeEvent } from '../tabs/events/summarize-event.ts';
import { stepRecordOf, type StepRecord } from '../tabs/steps/step-record.ts';
import { nameOf } from '../tabs/steps/tools-view.tsx';
import { momentOf, type Place, placeOfRun } from './place.ts';
import type { Texts } from '../texts.ts';

/** A result of a search in a record. */
export type SearchHit = {
  /** The run or moment to open. */
  readonly place: Place;
  readonly focus: PanelFocus;
  /** The location in words. */
  readonly where: string;
  /** The text around the match, on one line. */
  readonly text: string;
};

/** A searchable part of a step. */
type Part = {
  readonly view: StepViewId;
  readonly item: string;
  readonly what: string;
  readonly value: unknown;
};

/** Maximum number of results. */
export const mostHits = 500;

/** Searches the requests, answers, tool calls and events of all runs for a text. Secrets are not found. */
export function searchRecord(
  record: JournalRecord,
  wanted: string,
  { texts, limit = mostHits }: { readonly texts: Texts; readonly limit?: number },
): readonly SearchHit[] {
  const find = finder(wanted);
  const hits: SearchHit[] = [];
  // Steps share parts of their requests, so each value is searched once.
  const seen = new Set<unknown>();
  for (const run of runsOf(record)) {
    if (run.known === 'messages') continue;
    const place = placeOfRun(record, run);
    for (const step of stepsOf(record, run)) {
      for (const { view, item, what, value } of partsOf(step, texts)) {
        if (hits.length >= limit) return hits;
        if (seen.has(value)) continue;
        seen.add(value);
        const text = find(value, item === 'prompt' ? ['systemPrompt'] : []);
        const focus = { stepId: step.step.id, view, item };
        if (text !== null)
          hits.push({ place, focus, text, where: texts.search.inStep(run.number, step.number, what) });
      }
    }
  }
  for (const entry of eventsOf(record)) {
    if (hits.length >= limit) return hits;
    const text =
      find(`${entry.event.type} ${summarizeEvent(entry, texts)}`) ?? findInChange(find, entry.event);
    const where = texts.search.event(entry.number, entry.event.type);
    const place = momentOf(record, entry.number);
    if (text !== null) hits.push({ place, focus: { event: entry.number }, where, text });
  }
  return hits;
}

function* stepsOf(record: JournalRecord, run: RecordedRun): Iterable<StepRecord> {
  const then = recordOfRun(record, run);
  for (let index = 0; index < AgentState.stepCount(then.state); index++) {
    const step = stepRecordOf(then, index);
    if (step) yield step;
  }
}

function partsOf({ step, request, leftOut, stateAtCall }: StepRecord, texts: Texts): readonly Part[] {
  const { search, sent } = texts;
  const tools = Array.isArray(request?.tools) ? request.tools : [];
  return [
    ...(request ? [part('sent', 'prompt', search.systemPrompt, request.systemPrompt)] : []),
    ...leftOut.map(({ message }) => part('sent', `left:${message.id}`, search.leftOut, message)),
    ...(request?.messages ?? []).map((message) =>
      part('sent', message.id, search.sent(message.role), message),
    ),
    ...tools.map((tool, index) =>
      part('sent', `tool:${nameOf(tool, index, sent.unnamedTool)}`, search.toolOffered, tool),
    ),
    ...Object.entries(stateAtCall.plugins).map(([id, { data }]) =>
      part('sent', `plugin:${id}`, search.plugin(id), data),
    ),
    ...(request ? [part('sent', 'settings', search.settings, request.settings)] : []),
    ...step.outputMessages
      .filter(({ role }) => role === 'assistant')
      .map((message) => part('received', `out:${message.id}`, search.received, message)),
    ...step.toolExecutions.map((call) =>
      part('tools', `call:${call.id}`, search.callOf(call.toolCall.name), gist(call)),
    ),
  ];
}

function part(view: StepViewId, item: string, what: string, value: unknown): Part {
  return { view, item, what, value };
}

/** A call without its subagent, whose steps are searched separately. */
function gist({ toolCall, result, error, progress, approval }: ToolExecution): unknown {
  return { name: toolCall.name, input: toolCall.input, result, error, progress, approval };
}

/** Events with more content than their summary, which no step contains. */
const changes = new Set([
  'metadata-change',
  'plugin-change',
  'context-change',
  'stop-signal',
  'error-record',
  'section-change',
]);

function findInChange(
  find: (value: unknown) => string | null,
  event: { readonly type: string },
): string | null {
  return changes.has(event.type) ? find(event) : null;
}

const around = 60;

/** Returns a function that gives the text around a match in a value, or null. */
function finder(wanted: string): (value: unknown, path?: readonly string[]) => string | null {
  const lower = wanted.toLowerCase();
  return (value, path = []) => {
    for (const text of textsOf(value, path)) {
      const at = text.toLowerCase().indexOf(lower);
      if (at < 0) continue;
      const from = Math.max(0, at - around);
      const piece = text.slice(from, at + lower.length + around).replace(/\s+/g, ' ');
      return `${from > 0 ? '…' : ''}${piece}${at + lower.length + around < text.length ? '…' : ''}`;
    }
    return null;
  };
}

/** The searchable texts and numbers of a value, without names and ids. */
function textsOf(value: unknown, path: readonly string[]): readonly string[] {
  const texts: string[] = [];
  visit(redact(value, { path }));
  return texts;

  function visit(part: unknown): void {
    if (typeof part === 'string' || typeof part === 'number') texts.push(String(part));
    else if (Array.isArray(part)) part.forEach(visit);
    else if (typeof part === 'object' && part !== null)
      for (const [name, child] of Object.entries(part)) if (!unread.test(name)) visit(child);
  }
}

/** Names of fields without text for people. */
const unread = /^(id|type|role|metadata|createdAt|at|seq|path|\w+Id|\w+At)$/;
