import type { AgentEvent, AgentEventOf } from '@vitrine/core';
import { redactText, type RecordedEvent } from '@vitrine/core/inspect';
import { formatCount, formatDuration } from '../../kit/format.ts';

type Summary<Event> = (event: Event, tool: string) => string;

const byTool: Summary<unknown> = (_event, tool) => tool;
const byHook: Summary<{ readonly hook: string; readonly point: string }> = ({ hook, point }) =>
  `${hook} at ${point}`;
const byAuthor: Summary<{ readonly source: string | null }> = ({ source }) => authorOf(source) ?? '';

/** The cause of a charge that no hook made. */
const chargeCauses: { readonly [Reason in AgentEventOf<'usage-charge'>['reason']]: string } = {
  failed: 'failed',
  aborted: 'was aborted',
  interrupted: 'was interrupted',
  hook: 'a hook made',
};

/** The summary of every type of event. */
const summaries: { readonly [Type in AgentEvent['type']]: Summary<AgentEventOf<Type>> } = {
  'execution-start': ({ model }) => model ?? '',
  'execution-pause': byTool,
  'execution-resume': byTool,
  'execution-end': ({ status }) => status,
  'step-start': byTool,
  'step-end': ({ durationMs }) => formatDuration(durationMs),
  'inference-start': ({ attempt, sent }) => {
    const messages = sent.messages.reduce((sum, { count }) => sum + count, 0);
    return `attempt ${attempt}, ${formatCount(messages, 'message')}${sent.model === null ? '' : `, ${sent.model}`}`;
  },
  'inference-end': ({ response }) =>
    `${response.finishReason}, ${formatCount(response.usage.totalTokens, 'token')}`,
  'inference-retry': ({ delayMs, error }) =>
    `in ${formatDuration(delayMs)}: ${redactText(error.message, 'message')}`,
  'text-delta': byTool,
  'reasoning-delta': byTool,
  file: byTool,
  source: byTool,
  'attachment-missing': ({ filename }) => `${filename ?? 'a file'} is not in the store`,
  'usage-charge': ({ usage, hook, reason }) => {
    const tokens = `${formatCount(usage.totalTokens, 'token')}${usage.isEstimated ? ', estimated' : ''}`;
    // A newer version may know more causes.
    const cause = Object.hasOwn(chargeCauses, reason) ? chargeCauses[reason] : 'ended';
    return hook === null ? `${tokens} of a call that ${cause}` : `${tokens} by ${hook}`;
  },
  'budget-wait': ({ held }) => `${formatCount(held.tokens, 'token')} held by others`,
  'tool-call-start': byTool,
  'tool-call-delta': byTool,
  'tool-call': byTool,
  'output-request': byTool,
  'tool-start': byTool,
  'tool-progress': byTool,
  'tool-end': ({ status, error }, tool) => withDetail(`${tool}: ${status}`, error?.message),
  'call-settle': ({ outcome }, tool) => `${tool}: ${outcome}`,
  'call-change': ({ source }, tool) => withDetail(tool, source === null ? undefined : `changed by ${source}`),
  'approval-request': ({ reason }, tool) => withDetail(tool, reason ?? undefined),
  'approval-answer': ({ decision, comment }, tool) =>
    withDetail(`${tool}: ${decision}`, comment ?? undefined),
  'approval-remember': ({ decision, scope }, tool) => `${tool}: ${decision} for the ${scope}`,
  'subagent-start': ({ name }) => name,
  'subagent-end': ({ status }, tool) => `${tool}: ${status}`,
  'hook-end': byHook,
  'hook-violation': byHook,
  'continuation-evaluate': ({ evaluation: { shouldStop, branch, at } }) =>
    `${shouldStop ? 'stop' : 'go on'}: ${branch} (${at})`,
  'continuation-request': byAuthor,
  'stop-signal': ({ signal }) => withDetail(signal.reason, signal.message || undefined),
  'error-record': ({ error }) => redactText(error.message, 'message'),
  'message-add': ({ message, section, source }) =>
    withDetail(`${message.role} in ${section}`, authorOf(source)),
  'section-change': ({ name, source }) => withDetail(name, authorOf(source)),
  'plugin-change': ({ pluginId, source }) => withDetail(pluginId, authorOf(source)),
  'metadata-change': ({ set, removed, source }) =>
    withDetail([...Object.keys(set), ...removed].join(', '), authorOf(source)),
  'context-change': byAuthor,
};

/** The summary of an event beside its type, on one line and with secrets redacted. */
export function summarizeEvent({ event, toolName }: RecordedEvent): string {
  const tool = toolName ?? '';
  const summary: Summary<AgentEvent> = Object.hasOwn(summaries, event.type)
    ? (summaries[event.type] as Summary<AgentEvent>)
    : ofNewer;
  return redactText(summary(event, tool), 'summary');
}

/** The summary of an event that a newer version wrote. */
const ofNewer: Summary<unknown> = (_event, tool) =>
  tool === '' ? 'of a newer version' : `${tool}, of a newer version`;

function authorOf(source: string | null): string | undefined {
  return source === null ? undefined : `by ${source}`;
}

function withDetail(text: string, detail: string | undefined): string {
  return detail === undefined ? text : `${text}, ${redactText(detail, 'message')}`;
}
