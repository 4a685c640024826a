import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { Message } from '@vitrine/core/internal/graph/message';
import { request } from '@vitrine/core/internal/graph/sent';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { equalJson, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { apply } from '@vitrine/core/internal/run/apply';
import type { AgentChange, AgentEventBody } from '@vitrine/core/internal/run/events';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import { redact } from '../redact.ts';

/** Event types that separate groups: events before one may change their order, but not cross it. */
export const barriers: ReadonlySet<string> = new Set([
  'step-start',
  'step-end',
  'inference-start',
  'inference-end',
  'execution-start',
  'execution-end',
]);

/** Event types that depend on timing: whether a run waited for an answer, or had it just in time. */
export const soft: ReadonlySet<string> = new Set([
  'execution-pause',
  'execution-resume',
  'budget-wait',
  'price-record',
  'first-delta',
]);

/** The start and the end of a wait for a person. */
export const waits: ReadonlySet<string> = new Set(['execution-pause', 'execution-resume']);

/** The acts with which a person lets a waiting agent go on. */
export const answers: ReadonlySet<string> = new Set(['approval-answer', 'tool-end', 'break-release']);

/** True for signals and errors of an application, which name the execution like those of hooks. */
export function isOfApplication(event: AgentChange): boolean {
  return (event.type === 'stop-signal' || event.type === 'error-record') && event.executionId !== undefined;
}

/** True when an event would change nothing. Of two hooks with the same change, the later one finds it done. */
export function changesNothing(root: AgentState, event: AgentChange): boolean {
  const before = stateAtPath(root, event.path);
  if (before === null || !('source' in event) || event.type === 'continuation-request') return false;
  const after = apply(before, { ...event, path: [], seq: before.seq + 1 });
  const content = ({ context, plugins, llmConfig, execution }: AgentState): JsonValue =>
    ({ context, plugins, llmConfig, execution }) as unknown as JsonValue;
  return equalJson(content(before), content(after));
}

/** The hook, tool or plugin that an event names as its author. */
export function sourceOf(event: AgentEventBody): string | null {
  return 'source' in event ? event.source : null;
}

export function describe(event: AgentEventBody): string {
  const source = sourceOf(event) === null ? '' : ` by ${sourceOf(event)}`;
  const tool = 'toolName' in event && event.toolName !== undefined ? ` of ${event.toolName}` : '';
  return `${event.type}${tool}${source}`;
}

/** The part of an event that an equal run repeats: without ids and times, and without the recorded answers. */
export function normalizedEvent(event: AgentEventBody): JsonValue {
  switch (event.type) {
    case 'step-start':
    case 'inference-end':
    case 'execution-pause':
    case 'execution-resume':
    case 'budget-wait':
    case 'first-delta':
      return {};
    // The output of an interrupted call is not in the recording in full.
    case 'usage-charge':
      return { reason: event.reason, hook: event.hook };
    // The schema of a tool may have changed what it makes of the arguments.
    case 'tool-start':
      return { toolCallId: event.toolCallId, key: event.key };
    case 'tool-end':
      return { toolCallId: event.toolCallId };
    case 'execution-start':
      return { model: event.model, forgottenPlugins: event.forgottenPlugins };
    case 'step-end':
      return { results: event.resultMessageIds.length, toolTrace: event.toolTrace };
    case 'inference-start':
      return { key: event.key, attempt: event.attempt };
    case 'text-delta':
    case 'reasoning-delta':
      return { delta: event.delta };
    case 'tool-call-start':
      return { toolName: event.toolName };
    case 'tool-call':
      return { toolName: event.toolName, input: event.input };
    case 'tool-elsewhere':
      return { outcome: event.outcome, result: event.result };
    case 'call-settle':
      return { toolCallId: event.toolCallId, outcome: event.outcome };
    case 'subagent-start':
      return { toolCallId: event.toolCallId, name: event.name };
    case 'stop-signal':
      return { reason: event.signal.reason, source: event.signal.source };
    case 'error-record':
      return { name: event.error.name, code: event.error.code };
    case 'continuation-evaluate': {
      const { at, stepNumber, shouldStop, branch } = event.evaluation;
      return { at, stepNumber, shouldStop, branch };
    }
    case 'message-add':
      return { source: event.source, section: event.section, message: contentOf(event.message) };
    case 'section-change': {
      const { source, name, removed, put, added } = event;
      // The position depends on messages that others added meanwhile.
      const contents = added.flatMap(({ messages }) => messages.map(contentOf));
      return { source, name, removed, put: put.map(contentOf), added: contents };
    }
    default:
      return bare(event);
  }
}

function bare(event: AgentEventBody): JsonValue {
  const { seq: _seq, at: _at, path: _path, executionId: _id, ...rest } = event as unknown as JsonObject;
  return rest;
}

/** A message without its id and times; memoised, so that a long history costs nothing. */
const contentOf: (message: Message) => JsonObject = memoize(
  ({ role, parts, metadata }) => ({ role, parts, metadata }) as unknown as JsonObject,
);
const maskedContentOf: (message: Message) => JsonObject = memoize(
  (message) => redact(contentOf(message)) as JsonObject,
);

/** The subject of an event: two events with an equal subject are the same action, with equal content or not. */
export function slotOf(event: AgentEventBody): string {
  const call = 'toolCallId' in event && !received.has(event.type) ? event.toolCallId : '';
  const source = 'source' in event ? event.source : '';
  return [event.type, call, source].join(' ');
}

/** Events of the receiver, which gives the calls of an answer new ids in a replay. */
const received: ReadonlySet<string> = new Set(['tool-call', 'tool-call-start', 'tool-elsewhere']);

/** The model call of an `inference-start`, assembled in the state after its commit. */
export function promptOf(root: AgentState, event: AgentChange, isMasked: boolean): JsonValue {
  const agent = stateAtPath(apply(root, event), event.path);
  const step = agent === null ? null : currentStep(agent);
  const whole = agent === null || step === null ? null : request(agent, step);
  if (whole === null) return {};
  const { messages, ...rest } = whole;
  const content = isMasked ? maskedContentOf : contentOf;
  return { ...(comparable(rest as JsonValue, isMasked) as JsonObject), messages: messages.map(content) };
}

/** The value as it is compared: secrets are removed when the recording has none. */
export function comparable(value: JsonValue, isMasked: boolean): JsonValue {
  return isMasked ? (redact(value) as JsonValue) : value;
}
