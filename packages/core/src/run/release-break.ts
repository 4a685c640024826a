import { type AgentBreak, breakHits } from '../graph/agent-state/accessors.ts';
import { section } from '../graph/message-store.ts';
import { type Message, type MessagePart, text as textOf } from '../graph/message.ts';
import { isFinished } from '../graph/tool-execution.ts';
import type { AgentState, BreakAddress, BreakEdit, ToolExecution } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import { equalJson } from '../kit/json.ts';
import { textOrNull } from '../kit/text.ts';
import { toJson } from '../kit/to-json.ts';
import type { AddressedEvent } from './answer-call.ts';
import type { AgentEventBody } from './events.ts';
import { callOf, stateAtPath } from './state-at.ts';

/** The place of an agent that waits at a breakpoint. */
export type BreakPlace = BreakAddress & { readonly path: readonly string[] };

export function placeOfBreak({ path, at }: AgentBreak): BreakPlace {
  return { ...at, path };
}

/** The wait at a place; without a place the first of the tree. Undefined when nobody waits there (any more). */
export function breakAt(state: AgentState, place?: BreakPlace): AgentBreak | undefined {
  return breakHits(state).find((hit) => place === undefined || equalJson(placeOfBreak(hit), place));
}

/**
 * Returns the events that edit an agent at a breakpoint and let it go on. All values of the edit are copied as JSON.
 * @throws AgentError `edit-invalid` when the edit does not fit the place.
 */
export function releaseBreak(state: AgentState, hit: AgentBreak, edit: BreakEdit = {}): AddressedEvent[] {
  const { path } = hit;
  const agent = stateAtPath(state, path) ?? state;
  const events = editEvents(agent, edit, hit.at.toolCallId);
  const edited = fields.filter((field) => edit[field] !== undefined);
  const release = { type: 'break-release', ...(edited.length === 0 ? {} : { edit: edited }) } as const;
  return [...events, release].map((body) => ({ path, body }));
}

/**
 * The events of an edit of an agent. `toolCallId` is the call of arguments and results, where the edit names none.
 * @throws AgentError `edit-invalid`
 */
export function editEvents(agent: AgentState, edit: BreakEdit, toolCallId: string | null): AgentEventBody[] {
  const { systemPrompt } = edit;
  return [
    ...callEvents(agent, edit.toolCallId ?? toolCallId ?? '', edit),
    ...(edit.message === undefined ? [] : messageEvents(agent, edit.message)),
    ...(systemPrompt === undefined
      ? []
      : [{ type: 'context-change', source: 'user', systemPrompt: textOrNull(systemPrompt) ?? '' } as const]),
  ];
}

const fields = ['input', 'result', 'message', 'systemPrompt'] as const satisfies readonly (keyof BreakEdit)[];

function callEvents(agent: AgentState, toolCallId: string, edit: BreakEdit): AgentEventBody[] {
  if (edit.input === undefined && edit.result === undefined) return [];
  const call = callOf(agent, toolCallId);
  if (call === null) throw unfit(`There is no call ${JSON.stringify(toolCallId)} in the step.`);
  if (edit.result !== undefined) return [resultEvent(call, toJson(edit.result))];
  if (call.status !== 'requested') throw unfit('The call has begun, so its arguments cannot be changed.');
  return [{ type: 'call-change', source: 'user', toolCallId, input: toJson(edit.input) }];
}

/** A call that has not begun is answered in place of its tool; the result of one that has ended is replaced. */
function resultEvent(call: ToolExecution, result: ReturnType<typeof toJson>): AgentEventBody {
  const given = { toolCallId: call.id, status: 'completed', result, error: null } as const;
  if (isFinished(call)) return { type: 'call-change', source: 'user', ...given };
  if (call.status !== 'requested')
    throw unfit('The call runs or waits, so it cannot be given a result here.');
  return { type: 'tool-end', ...given, durationMs: null, pluginWrites: [] };
}

function messageEvents(agent: AgentState, { id, text }: { id: string; text: string }): AgentEventBody[] {
  for (const { name } of agent.context.store.sections) {
    const found = section(agent.context.store, name).find((message) => message.id === id);
    if (found === undefined) continue;
    if (found.role === 'tool')
      throw unfit('The message holds a result. Edit the result of its call instead.');
    const put = [withText(found, textOrNull(text) ?? '')];
    return textOf(found) === text
      ? []
      : [{ type: 'section-change', source: 'user', name, removed: [], put, added: [] }];
  }
  throw unfit(`The agent has no message ${JSON.stringify(id)}.`);
}

/** The message with its texts replaced by one, in the place of the first; other parts are kept. */
export function withText(message: Message, text: string): Message {
  const at = message.parts.findIndex(({ type }) => type === 'text');
  const others = (from: number, to?: number): readonly MessagePart[] =>
    message.parts.slice(from, to).filter(({ type }) => type !== 'text');
  const part = { type: 'text', text } as const;
  if (at < 0) return { ...message, parts: [part, ...others(0)] };
  return { ...message, parts: [...others(0, at), part, ...others(at + 1)] };
}

function unfit(why: string): AgentError {
  return new AgentError('edit-invalid', `The edit does not fit its place in the run: ${why}`);
}
