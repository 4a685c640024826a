import { currentStep } from '../../graph/agent-state/accessors.ts';
import { request } from '../../graph/sent.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Message } from '../../graph/message.ts';
import type { JsonObject, JsonValue } from '../../kit/json.ts';
import { redact } from '../redact.ts';
import { memoize } from '../../kit/memoize.ts';
import { apply } from '../../run/apply.ts';
import type { AgentChange, AgentEventBody } from '../../run/events.ts';
import { stateAt } from '../../run/state-at.ts';

/** What an event tells that an equal run tells as well: without ids and times, and without the answers of the recording. */
export function told(event: AgentEventBody): JsonValue {
  switch (event.type) {
    case 'step-start':
    case 'inference-end':
    case 'execution-pause':
    case 'execution-resume':
    case 'budget-wait':
      return {};
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
      // Where it stands depends on what others added meanwhile.
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

/** A message without its id and times; the same value for the same message, so that a long history costs nothing. */
const contentOf: (message: Message) => JsonObject = memoize(
  ({ role, parts, metadata }) => ({ role, parts, metadata }) as unknown as JsonObject,
);
const maskedContentOf: (message: Message) => JsonObject = memoize(
  (message) => redact(contentOf(message)) as JsonObject,
);

/** The part of an event that says what it is about: two that share it are the same deed, done alike or not. */
export function slotOf(event: AgentEventBody): string {
  const call = isAboutCall(event) ? event.toolCallId : '';
  const source = 'source' in event ? event.source : '';
  return [event.type, call, source].join(' ');
}

function isAboutCall(event: AgentEventBody): event is AgentEventBody & { readonly toolCallId: string } {
  return 'toolCallId' in event && event.type !== 'tool-call' && event.type !== 'tool-call-start';
}

/** The model call of an `inference-start`, put together in the state that it is committed to. */
export function promptOf(root: AgentState, event: AgentChange, isMasked: boolean): JsonValue {
  const agent = stateAt(apply(root, event), event.path);
  const step = agent === null ? null : currentStep(agent);
  const whole = agent === null || step === null ? null : request(agent, step);
  if (whole === null) return {};
  const { messages, ...rest } = whole;
  const content = isMasked ? maskedContentOf : contentOf;
  return { ...(comparable(rest as JsonValue, isMasked) as JsonObject), messages: messages.map(content) };
}

/** As it is compared: of a recording without secrets those of the replay do not count either. */
export function comparable(value: JsonValue, isMasked: boolean): JsonValue {
  return isMasked ? (redact(value) as JsonValue) : value;
}
