import type { Env } from '../graph/env.ts';
import { section } from '../graph/sections.ts';
import { toJson, toJsonObject } from '../kit/to-json.ts';
import type { BusyPolicy, Decision, OutgoingMessage, SessionCommands, Turn } from './agent-session.ts';
import type { Door, MakeCommand } from './door.ts';
import { newTurn } from './machine/new-turn.ts';
import { plainInfo } from './refused.ts';
import type { MoveRequest, StateUpdate } from './machine/session-input.ts';

const nothing = (): undefined => undefined;

type CommandOptions = {
  readonly env: Env;
  readonly onBusy: () => BusyPolicy;
};

/** The commands of a session, as letters to its one mailbox. */
export function createCommands({ ask, tell }: Door, { env, onBusy }: CommandOptions): SessionCommands {
  const askForTurn = (make: MakeCommand): Promise<Turn> => ask(make) as Promise<Turn>;
  const askToDo = (make: MakeCommand): Promise<void> => ask(make).then(nothing);
  const decide = (given: Readonly<Record<string, Decision>>): Promise<Turn> => {
    const entries = Object.entries(given).map(([id, decision]) => [id, copiedDecision(decision)] as const);
    return askForTurn((id) => ({ type: 'answer', id, decisions: Object.fromEntries(entries) }));
  };
  const move = (request: Omit<MoveRequest, 'at'>): Promise<Turn> =>
    askForTurn((id) => ({ ...request, type: 'move', id, at: env.now() }));
  const change = (update: StateUpdate, isErasing: boolean): Promise<void> =>
    askToDo((id) => ({ type: 'update', id, update, isErasing }));

  /** What cannot be copied is refused in its turn, like what is refused later. */
  const say = async (
    kind: Turn['kind'],
    content: string | OutgoingMessage,
    send: (message: OutgoingMessage) => Promise<Turn>,
  ): Promise<Turn> => {
    try {
      return await send(copied(content));
    } catch (thrown) {
      return { ...newTurn(env.id(), kind, 'refused'), error: plainInfo(thrown) };
    }
  };

  return {
    sendMessage: (content, options = {}) =>
      say('send', content, (message) => {
        const policy = options.onBusy ?? onBusy();
        return askForTurn((id) => ({ type: 'send', id, message, options, onBusy: policy }));
      }),
    edit: (messageId, content, options = {}) =>
      say('edit', content, (message) => move({ kind: 'edit', messageId, message, options })),
    regenerate: (messageId, options = {}) =>
      move({ kind: 'regenerate', messageId: messageId ?? null, message: null, options }),
    switchBranch: (messageId) => move({ kind: 'switch', messageId, message: null, options: {} }),
    fork({ messageId, stepId } = {}) {
      const sessionId = env.id();
      const point = {
        ...(messageId === undefined ? {} : { messageId }),
        ...(stepId === undefined ? {} : { stepId }),
      };
      return ask((id) => ({ ...point, type: 'fork', id, sessionId })).then(() => sessionId);
    },
    stop: (message = 'Stopped by the user') => askToDo((id) => ({ type: 'stop', id, message })),
    resume: () => askForTurn((id) => ({ type: 'resume', id, isAutomatic: false })),
    retry: () => askForTurn((id) => ({ type: 'retry', id })),
    approve: (toolCallId, options = {}) => decide({ [toolCallId]: { ...options, approved: true } }),
    reject: (toolCallId, options = {}) => decide({ [toolCallId]: { ...options, approved: false } }),
    respond: (toolCallId, output) => decide({ [toolCallId]: { output } }),
    respondAll: decide,
    setMessages: (next) =>
      change(
        (state, setMessages) =>
          setMessages(state, typeof next === 'function' ? next(section(state.context.store)) : next),
        true,
      ),
    update: (update) => change((state) => update(state), false),
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

/** What a person sends, copied at the door: what becomes of it later does not reach the session. */
function copied(content: string | OutgoingMessage): OutgoingMessage {
  if (typeof content === 'string') return { text: content };
  const { text, files, data, metadata } = content;
  return {
    text: typeof text === 'string' ? text : '',
    ...(files ? { files: files.map((file) => (file instanceof Blob ? file : { ...file })) } : {}),
    ...(data ? { data: toJsonObject(data) } : {}),
    ...(metadata ? { metadata: toJsonObject(metadata) } : {}),
  };
}
