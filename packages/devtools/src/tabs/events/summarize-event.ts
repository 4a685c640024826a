import type { AgentEvent, Message } from '@vitrine/core';
import { type RecordedEvent, redact, redacted } from '@vitrine/inspect';
import { redactText } from '@vitrine/inspect/internal/redact';
import type { AgentEventOf } from '@vitrine/core/types';
import type { Texts } from '../../texts.ts';

type Summary<Event> = (event: Event, tool: string, texts: Texts) => string;

const byTool: Summary<unknown> = (_event, tool) => tool;
const byHook: Summary<{ readonly hook: string; readonly point: string }> = (
  { hook, point },
  _tool,
  { summaries },
) => summaries.hookAt(hook, point);
const byAuthor: Summary<{ readonly source: string | null }> = ({ source }, _tool, texts) =>
  authorOf(source, texts) ?? '';

const summaryOf: { readonly [Type in AgentEvent['type']]: Summary<AgentEventOf<Type>> } = {
  'execution-start': ({ model }) => model ?? '',
  'execution-pause': byTool,
  'execution-resume': byTool,
  'execution-end': ({ status }) => status,
  'step-start': byTool,
  'step-end': ({ durationMs }, _tool, { formats }) => formats.duration(durationMs),
  'inference-start': ({ attempt, sent }, _tool, { summaries }) => {
    // The source of the run does not tell the request.
    if (sent.prompt === '') return '';
    const messages = sent.messages.reduce((sum, { count }) => sum + count, 0);
    return summaries.attempt(attempt, messages, sent.model);
  },
  'inference-end': ({ response }, _tool, { summaries }) =>
    response.usage.totalTokens === 0
      ? response.finishReason
      : summaries.finished(response.finishReason, response.usage.totalTokens),
  'inference-retry': ({ delayMs, error }, _tool, { summaries }) =>
    summaries.retry(delayMs, redactText(error.message, 'message')),
  'first-delta': ({ afterMs }, _tool, { formats }) => formats.duration(afterMs),
  'text-delta': byTool,
  'reasoning-delta': byTool,
  file: byTool,
  source: byTool,
  'attachment-missing': ({ filename }, _tool, { summaries }) => summaries.attachmentMissing(filename),
  'usage-charge': ({ usage, hook, reason }, _tool, { summaries }) =>
    hook === null
      ? summaries.chargeOfCall(usage.totalTokens, usage.isEstimated === true, reason)
      : summaries.chargeOfHook(usage.totalTokens, usage.isEstimated === true, hook),
  'budget-grant': ({ grant, source }, _tool, texts) =>
    withDetail(
      Object.entries(grant)
        .map(([measure, amount]) => `${measure} ${amount}`)
        .join(', '),
      authorOf(source, texts),
    ),
  'budget-wait': ({ held }, _tool, { summaries }) => summaries.held(held.tokens),
  'price-record': ({ model, price }, _tool, { summaries }) =>
    price === null ? summaries.unknownPrice(model) : summaries.price(model, price.input, price.output),
  'tool-call-start': byTool,
  'tool-call-delta': byTool,
  'tool-call': byTool,
  'output-request': byTool,
  'tool-start': byTool,
  'tool-progress': byTool,
  'tool-end': ({ status, error }, tool) => withDetail(`${tool}: ${status}`, error?.message),
  'call-settle': ({ outcome }, tool) => `${tool}: ${outcome}`,
  'tool-elsewhere': ({ outcome }, tool) => `${tool}: ${outcome}`,
  'call-change': ({ source }, tool, { summaries }) =>
    withDetail(tool, source === null ? undefined : summaries.changedBy(source)),
  'approval-request': ({ reason }, tool) => withDetail(tool, reason ?? undefined),
  'approval-answer': ({ decision, comment }, tool) =>
    withDetail(`${tool}: ${decision}`, comment ?? undefined),
  'approval-remember': ({ decision, scope }, tool, { summaries }) =>
    summaries.remembered(tool, decision, scope),
  'subagent-start': ({ name }) => name,
  'subagent-end': ({ status }, tool) => `${tool}: ${status}`,
  'hook-end': byHook,
  'hook-violation': byHook,
  'continuation-evaluate': ({ evaluation: { shouldStop, branch, at } }, _tool, { summaries }) =>
    summaries.evaluation(shouldStop, branch, at),
  'continuation-request': byAuthor,
  'stop-signal': ({ signal }) => withDetail(signal.reason, signal.message || undefined),
  'error-record': ({ error }) => redactText(error.message, 'message'),
  // The principal who gave a message follows it, and says more than that it is a user's.
  'message-add': ({ message, section, source, by }, _tool, texts) =>
    withDetail(
      texts.summaries.messageIn(message.role, section),
      by === undefined ? authorOf(source, texts) : undefined,
    ),
  'section-change': ({ name, put, source }, _tool, texts) =>
    withDetail(`${name}${put.some(isRated) ? ', feedback' : ''}`, authorOf(source, texts)),
  'plugin-change': ({ pluginId, source }, _tool, texts) => withDetail(pluginId, authorOf(source, texts)),
  'metadata-change': ({ set, removed, source }, _tool, texts) =>
    withDetail([...Object.keys(set), ...removed].join(', '), authorOf(source, texts)),
  'context-change': byAuthor,
  'break-set': ({ on, isOnce }, _tool, { summaries }) => summaries.breakSet(on?.type ?? null, isOnce),
  'break-hit': ({ place }, _tool, { summaries }) => summaries.breakHit(place.point, place.step),
  'break-release': ({ edit = [] }, _tool, { summaries }) => summaries.breakRelease(edit),
};

/** The summary of an event beside its type, on one line and with secrets redacted. */
export function summarizeEvent({ event, toolName }: RecordedEvent, texts: Texts): string {
  const tool = toolName ?? '';
  const summary: Summary<AgentEvent> = Object.hasOwn(summaryOf, event.type)
    ? (summaryOf[event.type] as Summary<AgentEvent>)
    : ofNewer;
  return redactText(withGiver(summary(event, tool, texts), event, texts), 'summary');
}

const ofNewer: Summary<unknown> = (_event, tool, { summaries }) => summaries.ofNewer(tool);

const isRated = ({ metadata }: Message): boolean => 'feedback' in metadata;

function authorOf(source: string | null, { summaries }: Texts): string | undefined {
  return source === null ? undefined : summaries.by(source);
}

/** The events that name the principal whose command caused them. The `by` of others is a hook. */
const given: ReadonlySet<string> = new Set<AgentEvent['type']>([
  'execution-start',
  'message-add',
  'approval-answer',
  'approval-remember',
  'tool-end',
  'stop-signal',
  'budget-grant',
  'break-release',
]);

function withGiver(
  text: string,
  event: { readonly type: string; readonly by?: unknown },
  texts: Texts,
): string {
  const by = given.has(event.type) && typeof event.by === 'string' ? event.by : null;
  return [text, authorOf(by, texts)].filter(Boolean).join(', ');
}

function withDetail(text: string, detail: string | undefined): string {
  return detail === undefined ? text : `${text}, ${redactText(detail, 'message')}`;
}

/** An event with secrets redacted, including a secret that spans several deltas. */
export function shownEvent(events: readonly RecordedEvent[], index: number, texts: Texts): unknown {
  const event = events[index]?.event;
  if (event?.type === 'tool-call-delta') return redact({ ...event, delta: inputOf(event.delta, texts) });
  if (event?.type !== 'text-delta' && event?.type !== 'reasoning-delta') return redact(event);
  const whole = piecesAround(events, index, event).join('');
  return redact(redactText(whole, 'delta') === whole ? event : { ...event, delta: redacted });
}

/** The parsed input of a call, so that secret names are recognised; for a partial input, its length. */
function inputOf(text: string, { events }: Texts): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return events.partialInput(text.length);
  }
}

/** All deltas of the answer part that a delta belongs to. */
function piecesAround(
  events: readonly RecordedEvent[],
  index: number,
  { path, type, partId }: Extract<AgentEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>,
): readonly string[] {
  const agent = path.join('/');
  const own = events.flatMap(({ event }, at) => (event.path.join('/') === agent ? [{ event, at }] : []));
  // Part ids start anew in every answer.
  const isStart = ({ event }: (typeof own)[number]): boolean => event.type === 'inference-start';
  const from = own.findLastIndex((entry) => entry.at < index && isStart(entry));
  const to = own.findIndex((entry) => entry.at > index && isStart(entry));
  return own
    .slice(Math.max(0, from), to < 0 ? undefined : to)
    .flatMap(({ event }) => (event.type === type && event.partId === partId ? [event.delta] : []));
}
