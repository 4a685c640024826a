import { redactText, type RecordedEvent } from '@vitrine/core/inspect';
import { formatCount, formatDuration } from '../../kit/format.ts';

/** The summary of an event beside its type, on one line and with secrets redacted. */
export function summarizeEvent(entry: RecordedEvent): string {
  return redactText(gistOf(entry), 'summary');
}

const chargeCauses = {
  failed: 'failed',
  aborted: 'was aborted',
  interrupted: 'was interrupted',
  hook: 'a hook made',
} as const;

function gistOf({ event, toolName }: RecordedEvent): string {
  const tool = toolName ?? '';
  switch (event.type) {
    case 'execution-start':
      return event.model ?? '';
    case 'execution-end':
      return event.status;
    case 'step-end':
      return formatDuration(event.durationMs);
    case 'inference-start': {
      const messages = event.sent.messages.reduce((sum, { count }) => sum + count, 0);
      return `attempt ${event.attempt}, ${formatCount(messages, 'message')}${event.sent.model === null ? '' : `, ${event.sent.model}`}`;
    }
    case 'inference-end':
      return `${event.response.finishReason}, ${formatCount(event.response.usage.totalTokens, 'token')}`;
    case 'inference-retry':
      return `in ${formatDuration(event.delayMs)}: ${redactText(event.error.message, 'message')}`;
    case 'attachment-missing':
      return `${event.filename ?? 'a file'} is not in the store`;
    case 'usage-charge': {
      const tokens = `${formatCount(event.usage.totalTokens, 'token')}${event.usage.isEstimated ? ', estimated' : ''}`;
      return event.hook === null
        ? `${tokens} of a call that ${chargeCauses[event.reason]}`
        : `${tokens} by ${event.hook}`;
    }
    case 'budget-wait':
      return `${formatCount(event.held.tokens, 'token')} held by others`;
    case 'tool-end':
      return withDetail(`${tool}: ${event.status}`, event.error?.message);
    case 'call-settle':
      return `${tool}: ${event.outcome}`;
    case 'call-change':
      return withDetail(tool, event.source === null ? undefined : `changed by ${event.source}`);
    case 'approval-request':
      return withDetail(tool, event.reason ?? undefined);
    case 'approval-answer':
      return withDetail(`${tool}: ${event.decision}`, event.comment ?? undefined);
    case 'approval-remember':
      return `${tool}: ${event.decision} for the ${event.scope}`;
    case 'subagent-start':
      return event.name;
    case 'subagent-end':
      return `${tool}: ${event.status}`;
    case 'hook-end':
    case 'hook-violation':
      return `${event.hook} at ${event.point}`;
    case 'continuation-evaluate': {
      const { shouldStop, branch, at } = event.evaluation;
      return `${shouldStop ? 'stop' : 'go on'}: ${branch} (${at})`;
    }
    case 'stop-signal':
      return withDetail(event.signal.reason, event.signal.message || undefined);
    case 'error-record':
      return redactText(event.error.message, 'message');
    case 'message-add':
      return withDetail(`${event.message.role} in ${event.section}`, authorOf(event.source));
    case 'section-change':
      return withDetail(event.name, authorOf(event.source));
    case 'plugin-change':
      return withDetail(event.pluginId, authorOf(event.source));
    case 'metadata-change':
      return withDetail([...Object.keys(event.set), ...event.removed].join(', '), authorOf(event.source));
    case 'context-change':
    case 'continuation-request':
      return authorOf(event.source) ?? '';
    default:
      return tool;
  }
}

function authorOf(source: string | null): string | undefined {
  return source === null ? undefined : `by ${source}`;
}

function withDetail(text: string, detail: string | undefined): string {
  return detail === undefined ? text : `${text}, ${redactText(detail, 'message')}`;
}
