import { withMessages } from '../graph/agent-state/context-transitions.ts';
import { messages } from '../graph/agent-state/accessors.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import { checkedDataPart } from '../agent/checked-data-part.ts';
import type { Env } from '../graph/env.ts';
import { errorInfo } from '../graph/error-info.ts';
import { normalizeMessages } from '../graph/normalize-message.ts';
import type { AgentState } from '../graph/types.ts';
import type { JsonObject } from '../kit/json.ts';
import { toJson, toJsonObject } from '../kit/to-json.ts';
import type { BusyPolicy, Decision, OutgoingMessage, SessionCommands, Turn } from './agent-session.ts';
import type { Door, MakeCommand } from './door.ts';
import { toUserMessage } from './to-user-message.ts';
import { newTurn } from './transition.ts';

const nothing = (): undefined => undefined;

type CommandOptions = {
  readonly env: Env;
  readonly agent: () => AgentDefinition;
  readonly onBusy: () => BusyPolicy;
};

/** The commands of a session, as letters to its one mailbox. */
export function createCommands({ ask, tell }: Door, { env, agent, onBusy }: CommandOptions): SessionCommands {
  const askForTurn = (make: MakeCommand): Promise<Turn> => ask(make) as Promise<Turn>;
  const askToDo = (make: MakeCommand): Promise<void> => ask(make).then(nothing);
  const decide = (given: Readonly<Record<string, Decision>>): Promise<Turn> => {
    const entries = Object.entries(given).map(([id, decision]) => [id, copiedDecision(decision)] as const);
    return askForTurn((id) => ({ type: 'answer', id, decisions: Object.fromEntries(entries) }));
  };
  const change = (update: (state: AgentState) => AgentState, isErasing: boolean): Promise<void> =>
    askToDo((id) => ({ type: 'update', id, update, isErasing }));

  return {
    async sendMessage(content, options = {}) {
      const given = copied(content, agent(), env);
      if ('error' in given) {
        return { ...newTurn(env.id(), 'send', 'refused'), error: errorInfo(given.error) };
      }
      const policy = options.onBusy ?? onBusy();
      return askForTurn((id) => ({ type: 'send', id, message: given.message, options, onBusy: policy }));
    },
    stop: (message = 'Stopped by the user') => askToDo((id) => ({ type: 'stop', id, message })),
    resume: () => askForTurn((id) => ({ type: 'resume', id, isAutomatic: false })),
    retry: () => askForTurn((id) => ({ type: 'retry', id })),
    approve: (toolCallId, options = {}) => decide({ [toolCallId]: { ...options, approved: true } }),
    reject: (toolCallId, options = {}) => decide({ [toolCallId]: { ...options, approved: false } }),
    respond: (toolCallId, output) => decide({ [toolCallId]: { output } }),
    respondAll: decide,
    setMessages: (next) =>
      change((state) => {
        const list = typeof next === 'function' ? next(messages(state)) : next;
        return withMessages(state, normalizeMessages(list, env), env);
      }, true),
    update: (update) => change(update, false),
    rename: (title) => askToDo((id) => ({ type: 'rename', id, title })),
    clearError: () => tell((id) => ({ type: 'clear-error', id })),
    reset: () => askToDo((id) => ({ type: 'reset', id })),
    cancelQueued: (queuedId) => tell((id) => ({ type: 'cancel-queued', id, queuedId })),
    setDraft: (draft) => tell((id) => ({ type: 'set-draft', id, draft: String(draft) })),
  };
}

/** An answer of the application, as JSON. */
function copiedDecision(decision: Decision): Decision {
  if ('output' in decision) return { output: toJson(decision.output) };
  if (!decision.approved || decision.input === undefined) return { ...decision };
  return { ...decision, input: toJson(decision.input) };
}

/** What a person sends, copied and checked at the door; what cannot be a message is refused. */
function copied(
  content: string | OutgoingMessage,
  agent: AgentDefinition,
  env: Env,
): { message: OutgoingMessage } | { error: unknown } {
  try {
    if (typeof content === 'string') return { message: { text: content } };
    const { text, files, data, metadata } = content;
    const message: OutgoingMessage = {
      text: typeof text === 'string' ? text : '',
      ...(files ? { files: files.map((file) => ({ ...file })) } : {}),
      ...(data ? { data: checkedData(data, agent) } : {}),
      ...(metadata ? { metadata: toJsonObject(metadata) } : {}),
    };
    toUserMessage({ ...message, id: 'checked', isSteered: false }, env);
    return { message };
  } catch (error) {
    return { error };
  }
}

/** Data parts as the agent declares them. */
function checkedData(data: JsonObject, agent: AgentDefinition): JsonObject {
  const parts = Object.entries(toJsonObject(data));
  return Object.fromEntries(parts.map(([name, part]) => [name, checkedDataPart(agent, name, part)]));
}
