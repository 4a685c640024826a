import { AgentState, type ToolExecution } from '@vitrine/core';
import {
  eventsOf,
  type JournalRecord,
  type RecordedEvent,
  type RecordedRun,
  redact,
  runsOf,
} from '@vitrine/inspect';
import { recordOfRun } from '@vitrine/inspect/internal/runs-of';
import type { PanelFocus, StepViewId } from '../define-panel-tab.ts';
import { summarizeEvent } from '../tabs/events/summarize-event.ts';
import { stepRecordOf, type StepRecord } from '../tabs/steps/step-record.ts';
import { nameOf } from '../tabs/steps/tools-view.tsx';
import { momentOf, type Place, placeOfRun } from './place.ts';
import type { Texts } from '../texts.ts';

export type RecordHit = {
  /** The run or moment to open. */
  readonly place: Place;
  readonly focus: PanelFocus;
  /** The location in words. */
  readonly where: string;
  /** The text around the match, on one line. */
  readonly text: string;
};

type Part = {
  readonly view: StepViewId;
  readonly item: string;
  readonly what: string;
  /** The key of the part in the index; requests of several steps share parts. */
  readonly key: unknown;
  readonly value: unknown;
};

export const mostRecordHits = 500;

/**
 * The searchable texts of the parts and events that were read, with their lower-case forms. While a person
 * types, each part is read once and not for each letter.
 */
export type SearchIndex = Map<unknown, readonly SearchableText[]>;
type SearchableText = { readonly text: string; readonly lower: string };

type SearchOptions = { readonly texts: Texts; readonly index: SearchIndex; readonly limit?: number };

/**
 * Searches the requests, answers, tool calls and events of all runs for a text. Secrets are not found. The
 * search yields after each part, so that it can be done in slices.
 */
export function* searchRecord(
  record: JournalRecord,
  wanted: string,
  { texts, index, limit = mostRecordHits }: SearchOptions,
): Generator<undefined, readonly RecordHit[]> {
  const lower = wanted.toLowerCase();
  const find = (key: unknown, value: () => unknown, path: readonly string[] = []): string | null => {
    const known = index.get(key) ?? textsOf(value(), path);
    index.set(key, known);
    return textAround(known, lower);
  };
  const hits: RecordHit[] = [];
  // Steps share parts of their requests, so each value is searched once.
  const seen = new Set<unknown>();
  for (const run of runsOf(record)) {
    if (run.known === 'messages') continue;
    const place = placeOfRun(record, run);
    for (const step of stepsOf(record, run)) {
      yield;
      for (const { view, item, what, key, value } of partsOf(step, texts)) {
        if (hits.length >= limit) return hits;
        if (seen.has(key)) continue;
        seen.add(key);
        const text = find(key, () => value, item === 'prompt' ? ['systemPrompt'] : []);
        const focus = { stepId: step.step.id, view, item };
        if (text !== null)
          hits.push({ place, focus, text, where: texts.search.inStep(run.number, step.number, what) });
        yield;
      }
    }
  }
  for (const entry of eventsOf(record)) {
    if (hits.length >= limit) return hits;
    const text = find(entry, () => contentOf(entry, texts));
    const where = texts.search.event(entry.number, entry.event.type);
    const place = momentOf(record, entry.number);
    if (text !== null) hits.push({ place, focus: { event: entry.number }, where, text });
    yield;
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
    ...step.toolExecutions.map((call) => ({
      ...part('tools', `call:${call.id}`, search.callOf(call.toolCall.name), gist(call)),
      key: call,
    })),
  ];
}

function part(view: StepViewId, item: string, what: string, value: unknown): Part {
  return { view, item, what, key: value, value };
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

/** The texts of an event: its type with its summary, and the content that no step has. */
function contentOf(entry: RecordedEvent, texts: Texts): readonly unknown[] {
  const { event } = entry;
  const summary = `${event.type} ${summarizeEvent(entry, texts)}`;
  return changes.has(event.type) ? [summary, event] : [summary];
}

const around = 60;

/** The text around the first match; null when there is none. */
function textAround(known: readonly SearchableText[], wanted: string): string | null {
  for (const { text, lower } of known) {
    const at = lower.indexOf(wanted);
    if (at < 0) continue;
    const from = Math.max(0, at - around);
    const piece = text.slice(from, at + wanted.length + around).replace(/\s+/g, ' ');
    return `${from > 0 ? '…' : ''}${piece}${at + wanted.length + around < text.length ? '…' : ''}`;
  }
  return null;
}

/** The searchable texts and numbers of a value, without names and ids. */
function textsOf(value: unknown, path: readonly string[]): readonly SearchableText[] {
  const texts: SearchableText[] = [];
  visit(redact(value, { path }));
  return texts;

  function visit(part: unknown): void {
    if (typeof part === 'string' || typeof part === 'number') {
      const text = String(part);
      texts.push({ text, lower: text.toLowerCase() });
    } else if (Array.isArray(part)) part.forEach(visit);
    else if (typeof part === 'object' && part !== null)
      for (const [name, child] of Object.entries(part)) if (!unread.test(name)) visit(child);
  }
}

const unread = /^(id|type|role|metadata|createdAt|at|seq|path|\w+Id|\w+At)$/;
