import { pendingApprovals } from '@vitrine/core/internal/graph/agent-state/accessors';
import { systemEnv } from '@vitrine/core/internal/graph/env';
import { type FilePart, type Message, text as textIn } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { isPlainObject, type JsonObject, type JsonValue } from '@vitrine/core/internal/kit/json';
import { isUuid } from '@vitrine/core/internal/kit/ids';
import { textOf } from '@vitrine/core/internal/kit/text';
import { toJson, toJsonObject } from '@vitrine/core/internal/kit/to-json';
import type {
  AgentSession,
  Decision,
  OutgoingMessage,
  Turn,
} from '@vitrine/core/internal/session/agent-session';
import type { TurnEnd } from '@vitrine/core/internal/session/turn-end';
import { clientIdKey, clientMessages, type ResultIds } from './client-messages.ts';
import { assemble } from '@vitrine/messages/internal/reading/assemble';
import { resultValue } from '@vitrine/messages/internal/reading/part';
import { Import } from '@vitrine/messages/internal/reading/reading';
import { contentText, readAgUi } from '@vitrine/messages/internal/ag-ui/messages';
import type { AgUiMessage } from '@vitrine/messages/internal/ag-ui/protocol';
import type { RunIds } from './run-writer.ts';

type Fields = { readonly [key: string]: unknown };

/** A `RunAgentInput`, as far as this bridge reads it. */
export type RunInput = {
  readonly ids: RunIds;
  readonly messages: readonly Fields[];
  readonly resume: readonly Fields[];
  /** The state that the client shares; null for none. */
  readonly state: JsonObject | null;
  /** The tools and the context that the client offers, unchecked; see `readOffer`. */
  readonly given: { readonly tools: unknown; readonly context: unknown };
};

/** The key of the metadata of a message with the run that it begins, in a session that runs on a server. */
export const runKey = 'agUiRun';

/** Most characters of the id of a thread, which stands in the ids of events. */
const longestThread = 200;

/** Reads the body of a request; null for anything but a `RunAgentInput`. */
export function runInputOf(value: unknown): RunInput | null {
  if (!isPlainObject(value)) return null;
  const { threadId, runId, messages, resume, state, tools, context, protocolVersion } = value;
  if (typeof threadId !== 'string' || threadId.length > longestThread || /\p{Cs}/u.test(threadId))
    return null;
  if (typeof runId !== 'string' || !Array.isArray(messages)) return null;
  const isShared = isPlainObject(state) && Object.keys(state).length > 0;
  return {
    ids: { threadId, runId, ...(typeof protocolVersion === 'string' ? { protocolVersion: '1.0' } : {}) },
    messages: messages.filter(isPlainObject),
    resume: Array.isArray(resume) ? resume.filter(isPlainObject) : [],
    state: isShared ? toJsonObject(state) : null,
    given: { tools, context },
  };
}

/** The messages of the client before its new ones, for a session that has none. */
export function historyOf({ context }: AgentState, { messages }: RunInput): readonly Message[] {
  if (context.store.sections.some((section) => section.messages.length > 0)) return [];
  const end = messages.findLastIndex(({ role }) => role !== 'user') + 1;
  const head = messages.slice(0, end).filter(({ role }) => role !== 'system' && role !== 'developer');
  const reading = new Import(systemEnv);
  const found = readAgUi(head, reading).map((message) => ({
    ...message,
    // A message without parts counts as well: the client may speak of it by its id.
    isOurs: true,
    metadata: { ...message.metadata, [clientIdKey]: textOf(message.id) },
  }));
  return assemble(found, reading, { trust: 'full', isKept: isUuid }).messages;
}

/** The messages of the user at the end of a client's list. Those that the session lacks are sent. */
export function sentIn(messages: readonly Fields[]): readonly Fields[] {
  return messages.slice(messages.findLastIndex(({ role }) => role !== 'user') + 1);
}

/** The ids of the results in a client's list. The result of a call that waits for an approval comes from here. */
export function resultsIn(state: AgentState, messages: readonly Fields[]): ResultIds {
  const asked = new Set<unknown>(
    pendingApprovals(state).flatMap(({ id, status }) => (status === 'awaiting-approval' ? [id] : [])),
  );
  return new Map(
    messages
      .filter(({ role, toolCallId }) => role === 'tool' && !asked.has(toolCallId))
      .map(({ toolCallId, id }) => [textOf(toolCallId), textOf(id)]),
  );
}

/** The commands that an input means. */
export type RunPlan = {
  readonly results: ResultIds;
  /** True when calls that wait are answered. */
  readonly isAnswer: boolean;
  /** Ids by the client of the messages that are sent. */
  readonly sent: readonly string[];
  /** The messages of the run's beginning, for a client that lacks some; null when it has all. */
  readonly snapshot: readonly AgUiMessage[] | null;
  /** Gives the commands; null when there is nothing to do. The turns end in order. */
  readonly begin: (() => readonly Promise<TurnEnd>[]) | null;
};

type PlanOptions = {
  /** True when all clients have left the run that goes on, which a new message stops then. */
  readonly isLeft: boolean;
  /** The names of the run, for its first message to keep; null where the session keeps them. */
  readonly name: JsonObject | null;
};

/** The commands of an input in the present state of a session: answers first, then new messages. */
export function planOf(
  session: AgentSession,
  state: AgentState,
  input: RunInput,
  { isLeft, name }: PlanOptions,
): RunPlan {
  const waiting = pendingApprovals(state);
  const results = resultsIn(state, input.messages);
  const ours = clientMessages(state, results);
  const decisions = decisionsOf(state, input);
  const known = new Set(ours.map(({ id }) => id));
  const fresh = sentIn(input.messages).filter(({ id }) => !known.has(textOf(id)));
  const sent = fresh.map(({ id }) => textOf(id));
  const target = targetOf(ours, input.messages, fresh.length);
  const kept = target === null ? ours : ours.slice(0, ours.indexOf(target));
  const theirs = new Set(input.messages.map(({ id }) => id));
  const isKnown = kept.every(({ id, role }) => role === 'tool' || theirs.has(id));
  const snapshot = isKnown ? null : [...kept, ...(fresh as unknown as readonly AgUiMessage[])];
  const answers = Object.keys(decisions).length > 0 ? [() => session.respondAll(decisions)] : [];
  const isAbandoned = waiting.some(({ id }) => decisions[id] === undefined);
  const onBusy = isAbandoned || isLeft ? 'interrupt' : 'queue';
  const targetId = target === null ? null : ourId(state, target.id);
  const sends = fresh.map((raw, at) => (): Promise<Turn> => {
    const message = toOutgoing(raw, at === 0 ? name : null);
    return at === 0 && targetId !== null
      ? session.edit(targetId, message)
      : session.sendMessage(message, { onBusy });
  });
  const again =
    answers.length + sends.length === 0 && targetId !== null ? [() => session.regenerate(targetId)] : [];
  const commands = [...answers, ...sends, ...again];
  return {
    results,
    isAnswer: answers.length > 0,
    sent,
    snapshot,
    begin: commands.length === 0 ? null : () => commands.map((command) => command()),
  };
}

/** The message that the client replaces, or wants to be answered again: ours behind the last one that both have. */
function targetOf(
  ours: readonly AgUiMessage[],
  theirs: readonly Fields[],
  fresh: number,
): AgUiMessage | null {
  const last = theirs.at(-1 - fresh);
  const at = last === undefined ? -1 : ours.findIndex(({ id }) => id === last['id']);
  if (at < 0) return null;
  if (fresh === 0) return ours[at]?.role === 'user' ? (ours[at] ?? null) : null;
  return ours.slice(at + 1).find(({ role }) => role === 'user') ?? null;
}

function ourId(state: AgentState, clientId: string): string {
  const message = state.context.store.sections
    .flatMap(({ messages }) => messages)
    .find(({ metadata }) => metadata[clientIdKey] === clientId);
  return message?.id ?? clientId;
}

/** A message of the client as the session sends it. */
function toOutgoing(raw: Fields, name: JsonObject | null): OutgoingMessage {
  const parts = readAgUi([raw], new Import(systemEnv))[0]?.parts ?? [];
  const files = parts.filter((part): part is FilePart => part.type === 'file');
  return {
    text: textIn({ parts }),
    files,
    metadata: { [clientIdKey]: textOf(raw['id']), ...(name && { [runKey]: name }) },
  };
}

/** The answers to calls that wait: results in the messages, and entries of `resume`. */
function decisionsOf(state: AgentState, { messages, resume }: RunInput): Readonly<Record<string, Decision>> {
  const results = new Map(
    messages
      .filter(({ role }) => role === 'tool')
      .map(({ toolCallId, content, error }) => [toolCallId, contentText(content) || textOf(error)]),
  );
  const resumed = new Map(resume.map((entry) => [entry['interruptId'], entry]));
  return Object.fromEntries(
    pendingApprovals(state).flatMap(({ id, status, approval }): [string, Decision][] => {
      const entry = resumed.get(id);
      if (status === 'awaiting-approval')
        return entry === undefined ? [] : [[id, decisionOf(entry, approval?.form !== undefined)]];
      const result = results.get(id);
      return result === undefined ? [] : [[id, { output: resultValue(result) }]];
    }),
  );
}

function decisionOf({ status, payload }: Fields, isForm: boolean): Decision {
  if (status === 'resolved' && isForm) return { approved: true, input: toJson(payload) };
  const { approved, editedArgs, reason } = isPlainObject(payload) ? payload : {};
  if (status === 'resolved' && (approved === true || payload === true)) {
    const input: JsonValue | undefined = editedArgs === undefined ? undefined : toJson(editedArgs);
    return { approved: true, ...(input === undefined ? {} : { input }) };
  }
  return { approved: false, ...(typeof reason === 'string' ? { reason } : {}) };
}
