import { equalJson, type JsonObject } from '../kit/json.ts';
import { mapSame } from '../kit/memoize.ts';
import type { ErrorInfo } from './error-info.ts';
import type { ToolCallPart, ToolResultPart, Message } from './message.ts';
import { mapSteps } from './execution-state.ts';
import { empty } from './message-store.ts';
import { isFinished, toolErrorPrefix } from './tool-execution.ts';
import type { AgentState, AgentStep, SentRequest, ToolExecution } from './types.ts';

/** The text that replaces the error message of a removed call. */
const erasedText = 'erased';
const ownTags = ['step_id', 'execution_id', 'agent_id', 'is_trace'];

/** True for the remainder of a removed message in a step: its id, without its content. */
export function isErased({ metadata }: Message): boolean {
  return metadata['erased'] === true;
}

/** The message with its id, role and time, and without its content. */
export function erasedMessage(message: Message): Message {
  const kept = ownTags.flatMap((tag) => {
    const value = message.metadata[tag];
    return value === undefined ? [] : [[tag, value] as const];
  });
  return { ...message, parts: [], metadata: { ...Object.fromEntries(kept), erased: true } };
}

/** The ids of the changed messages of a state, and of those whose former texts must be deleted everywhere. */
export type ChangedMessages = { readonly changed: Ids; readonly erased: Ids };

type Ids = { readonly has: (id: string) => boolean };

/**
 * The steps and retained messages of a state after its messages changed. Steps name messages by id: they hold the
 * current version, and only the id of an erased message that is in no section.
 */
export function withChangesFollowed(
  state: AgentState,
  { changed, erased }: ChangedMessages,
): Pick<AgentState, 'execution' | 'retained'> {
  const { execution } = state;
  const retained = withoutErased(state.retained, erased);
  if (execution === null) return { execution, retained };
  const standing = standingIn(state, changed);
  const versionOf = (message: Message): Message => {
    if (!changed.has(message.id)) return message;
    const version = standing.get(message.id);
    return version ?? (erased.has(message.id) ? erasedMessage(message) : message);
  };
  return { execution: mapSteps(execution, (step) => followStep(step, versionOf, erased)), retained };
}

/** The messages of these ids in the sections of a state. */
export function standingIn(state: AgentState, ids: Ids): ReadonlyMap<string, Message> {
  const standing = new Map<string, Message>();
  for (const { messages } of state.context.store.sections)
    for (const message of messages) if (ids.has(message.id)) standing.set(message.id, message);
  return standing;
}

function withoutErased(retained: AgentState['retained'], erased: Ids): AgentState['retained'] {
  const isGone = ({ id }: Message): boolean => erased.has(id);
  const entries = Object.entries(retained);
  if (!entries.some(([, message]) => isGone(message))) return retained;
  return Object.fromEntries(
    entries.map(([key, message]) => [key, isGone(message) ? erasedMessage(message) : message]),
  );
}

function followStep(step: AgentStep, versionOf: (message: Message) => Message, erased: Ids): AgentStep {
  const sent = step.sent === null ? null : sentWithout(step.sent, erased);
  const outputMessages = mapSame(step.outputMessages, versionOf);
  if (outputMessages === step.outputMessages) return sent === step.sent ? step : { ...step, sent };
  const changes = step.outputMessages.flatMap((before, at) => {
    const after = outputMessages[at] as Message;
    return before === after ? [] : [{ before, after }];
  });
  return withCalls({ ...step, sent, outputMessages }, (call) =>
    // A call that has not run yet keeps its arguments; it is updated when it is archived.
    isFinished(call)
      ? changes.reduce((entry, { before, after }) => followedCall(entry, before, after), call)
      : call,
  );
}

function sentWithout(sent: SentRequest, erased: Ids): SentRequest {
  const extra = mapSame(sent.extra, (message) => (erased.has(message.id) ? erasedMessage(message) : message));
  return extra === sent.extra ? sent : { ...sent, extra };
}

/** Updates the calls of a step. An error that a call shares with its step is replaced in both. */
function withCalls(step: AgentStep, update: (call: ToolExecution) => ToolExecution): AgentStep {
  const renewed: { before: ErrorInfo; after: ErrorInfo }[] = [];
  const toolExecutions = mapSame(step.toolExecutions, (call) => {
    const next = update(call);
    if (call.error !== null && next.error !== null && call.error !== next.error)
      renewed.push({ before: call.error, after: next.error });
    return next;
  });
  if (toolExecutions === step.toolExecutions) return step;
  const errors = step.errors.map(
    (error) => renewed.find(({ before }) => equalJson(before, error))?.after ?? error,
  );
  return { ...step, toolExecutions, errors: renewed.length === 0 ? step.errors : errors };
}

function followedCall(call: ToolExecution, before: Message, after: Message): ToolExecution {
  const asked = callIn(before, call.id) === undefined ? call : withInput(call, callIn(after, call.id));
  return resultIn(before, call.id) === undefined ? asked : withResult(asked, resultIn(after, call.id));
}

/** The step in flight as it is archived: its calls get the arguments that its answer shows. */
export function withCallsAsShown(step: AgentStep): AgentStep {
  const [answer] = step.outputMessages;
  if (answer === undefined) return step;
  const shown = new Map<string, ToolCallPart>();
  for (const part of answer.parts) if (part.type === 'tool-call') shown.set(part.toolCallId, part);
  return withCalls(step, (call) => withInput(call, shown.get(call.id)));
}

function withInput(call: ToolExecution, part: ToolCallPart | undefined): ToolExecution {
  const { toolName = call.toolCall.name, input = null } = part ?? {};
  const { toolCall } = call;
  if (toolName === toolCall.name && (input === toolCall.input || equalJson(input, toolCall.input)))
    return call;
  return { ...call, toolCall: { ...toolCall, name: toolName, input } };
}

/** The call with the output that its message shows. Without a message, only numbers of the result are kept. */
function withResult(call: ToolExecution, part: ToolResultPart | undefined): ToolExecution {
  const { error } = call;
  if (part === undefined) {
    return {
      ...call,
      ...('result' in call ? { result: null } : {}),
      error: error === null ? null : { ...error, message: erasedText, data: {}, cause: null },
      progress: null,
      childState: call.childState === null ? null : withoutTexts(call.childState),
    };
  }
  if (call.status === 'completed') return { ...call, result: part.output };
  if (error === null || typeof part.output !== 'string') return call;
  const message = part.output.startsWith(toolErrorPrefix)
    ? part.output.slice(toolErrorPrefix.length)
    : part.output;
  return message === error.message ? call : { ...call, error: { ...error, message, data: {}, cause: null } };
}

/** The state of a subagent with only its ids, times and usage. */
function withoutTexts(state: AgentState): AgentState {
  const { context, execution, retained } = state;
  const metadata: JsonObject = {};
  const bare = { ...context, store: empty(), metadata, systemPrompt: '' };
  const all = { changed: everything, erased: everything };
  const followedState = withChangesFollowed({ ...state, context: bare, execution, retained }, all);
  // Steps still name the hashes.
  const texts = Object.fromEntries(Object.keys(state.texts).map((hash) => [hash, null]));
  return { ...state, plugins: {}, texts, context: bare, ...followedState };
}

const everything: Ids = { has: () => true };

function callIn({ parts }: Message, id: string): ToolCallPart | undefined {
  return parts.find((part): part is ToolCallPart => part.type === 'tool-call' && part.toolCallId === id);
}

function resultIn({ parts }: Message, id: string): ToolResultPart | undefined {
  return parts.find((part): part is ToolResultPart => part.type === 'tool-result' && part.toolCallId === id);
}
