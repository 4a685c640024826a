import type { Env } from '../../graph/env.ts';
import { breakHits } from '../../graph/agent-state/accessors.ts';
import { section } from '../../graph/message-store.ts';
import type { AgentState, BreakCondition, BreakEdit } from '../../graph/types.ts';
import { present } from '../../kit/json.ts';
import { toJson, toJsonObject } from '../../kit/to-json.ts';
import type { BreakPlace } from '../../run/release-break.ts';
import type {
  BusyPolicy,
  Decision,
  OutgoingMessage,
  ReleaseOptions,
  SessionCommands,
  Turn,
} from '../agent-session.ts';
import { newTurn } from '../machine/transition.ts';
import { plainInfo } from '../replies.ts';
import type { DebugAction, MoveRequest, StateUpdate } from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { CommandDispatcher, MakeCommand } from './dispatcher.ts';

const nothing = (): undefined => undefined;

type CommandOptions = {
  readonly env: Env;
  readonly onBusy: () => BusyPolicy;
  readonly moveTo: SessionCommands['moveTo'];
  readonly state: () => AgentState;
};

/** Creates the commands of a session. Each becomes an input of its mailbox. */
export function createCommands(
  dispatcher: CommandDispatcher,
  { env, onBusy, moveTo, state }: CommandOptions,
): SessionCommands {
  const requestTurn = (make: MakeCommand): Promise<Turn> => dispatcher.request(make) as Promise<Turn>;
  const requestDone = (make: MakeCommand): Promise<void> => dispatcher.request(make).then(nothing);
  const decide = (given: Readonly<Record<string, Decision>>): Promise<Turn> => {
    const entries = Object.entries(given).map(([id, decision]) => [id, copiedDecision(decision)] as const);
    return requestTurn((id) => ({ type: 'answer', id, decisions: Object.fromEntries(entries) }));
  };
  const move = (request: Omit<MoveRequest, 'at'>): Promise<Turn> =>
    requestTurn((id) => ({ ...request, type: 'move', id, at: env.now() }));
  const change = (update: StateUpdate, isErasing: boolean): Promise<void> =>
    requestDone((id) => ({ type: 'update', id, update, isErasing }));

  /** Refuses a message that cannot be copied in its turn, as the machine refuses others. */
  const say = async (
    kind: Turn['kind'],
    content: string | OutgoingMessage,
    send: (message: OutgoingMessage) => Promise<Turn>,
  ): Promise<Turn> => {
    try {
      return await send(copyMessage(content));
    } catch (thrown) {
      return { ...newTurn(env.id(), kind, 'refused'), error: plainInfo(thrown) };
    }
  };

  return {
    sendMessage: (content, options = {}) =>
      say('send', content, (message) => {
        const policy = options.onBusy ?? onBusy();
        return requestTurn((id) => ({ type: 'send', id, message, options, onBusy: policy }));
      }),
    edit: (messageId, content, options = {}) =>
      say('edit', content, (message) => move({ kind: 'edit', messageId, message, options })),
    regenerate: (messageId, options = {}) =>
      move({ kind: 'regenerate', messageId: messageId ?? null, message: null, options }),
    switchBranch: (messageId) => move({ kind: 'switch', messageId, message: null, options: {} }),
    fork({ messageId, stepId } = {}) {
      const sessionId = env.id();
      const point = present({ messageId, stepId });
      return dispatcher.request((id) => ({ ...point, type: 'fork', id, sessionId })).then(() => sessionId);
    },
    stop: (message = 'Stopped by the user') =>
      requestDone((id) => ({ type: 'stop', id, message, ...runningTurn(dispatcher.model) })),
    resume: () => requestTurn((id) => ({ type: 'resume', id, isAutomatic: false })),
    retry: () => requestTurn((id) => ({ type: 'retry', id })),
    continueRun: ({ grant = null } = {}) =>
      requestTurn((id) => ({
        type: 'continue',
        id,
        grant,
        ...shownRun(dispatcher.model, state()),
        at: env.now(),
      })),
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
    ...debugCommands(dispatcher, { env, state }),
    resolveConflict: (policy) => requestDone((id) => ({ type: 'resolve-conflict', id, policy })),
    moveTo,
    rate: (messageId, feedback) => requestDone((id) => ({ ...feedback, type: 'rate', id, messageId })),
    chooseModel: ({ model, reasoning = null }) =>
      requestDone((id) => ({ type: 'choose-model', id, model, reasoning })),
    rename: (title) => requestDone((id) => ({ type: 'rename', id, title })),
    clearError: () => dispatcher.send((id) => ({ type: 'clear-error', id })),
    reset: () => requestDone((id) => ({ type: 'reset', id })),
    cancelQueued: (queuedId) => dispatcher.send((id) => ({ type: 'cancel-queued', id, queuedId })),
    setDraft: (draft) => dispatcher.send((id) => ({ type: 'set-draft', id, draft: String(draft) })),
  };
}

function debugCommands(
  dispatcher: CommandDispatcher,
  { env, state }: Pick<CommandOptions, 'env' | 'state'>,
): Pick<SessionCommands, 'pause' | 'setBreakpoint' | 'removeBreakpoint' | 'stepOver' | 'releaseWith'> {
  const debug = (action: DebugAction): Promise<Turn | null> =>
    dispatcher.request((id) => ({ type: 'debug', id, action }));
  return {
    pause: () =>
      debug({ type: 'set', breakpoint: { id: env.id(), on: { type: 'next' }, isOnce: true } }).then(nothing),
    async setBreakpoint(on, { id = env.id() } = {}) {
      const breakpoint = { id, on: toJson(on) as BreakCondition, isOnce: false };
      await debug({ type: 'set', breakpoint });
      return id;
    },
    removeBreakpoint: (breakpointId) => debug({ type: 'remove', breakpointId }).then(nothing),
    stepOver: (options = {}) =>
      debug({ type: 'release', ...placeIn(state(), options), isStep: true }) as Promise<Turn>,
    releaseWith: (edit = {}, options = {}) =>
      debug({
        type: 'release',
        ...placeIn(state(), options),
        // A copy, without the fields that it leaves out.
        edit: toJson(edit) as BreakEdit,
      }) as Promise<Turn>,
  };
}

/** Names the wait that the caller saw, so that a late or repeated release never releases a later one. */
function placeIn(state: AgentState, { place }: ReleaseOptions): { readonly place?: BreakPlace } {
  if (place !== undefined) return { place };
  const [first] = breakHits(state);
  return first === undefined ? {} : { place: { ...first.at, path: first.path } };
}

/** Names the run that goes on when a stop is given; the stop may wait until the stored session is read. */
function runningTurn({ run, conflict }: SessionModel): { readonly turnId?: string } {
  const going = run ?? conflict?.run ?? null;
  return going === null ? {} : { turnId: going.turn.id };
}

/** Names the run that is meant, once the stored session is read. */
function shownRun(
  { phase }: SessionModel,
  { execution }: AgentState,
): { readonly executionId?: string | null } {
  return phase === 'loading' ? {} : { executionId: execution?.executionId ?? null };
}

/** Copies an answer of the application as JSON. */
function copiedDecision(decision: Decision): Decision {
  if ('output' in decision) return { output: toJson(decision.output) };
  if (!decision.approved || decision.input === undefined) return { ...decision };
  return { ...decision, input: toJson(decision.input) };
}

/** Copies a message when it is sent, so that later changes by the caller do not reach the session. */
function copyMessage(content: string | OutgoingMessage): OutgoingMessage {
  if (typeof content === 'string') return { text: content };
  const { text, files, data, metadata } = content;
  return {
    text: typeof text === 'string' ? text : '',
    ...(files ? { files: files.map((file) => (file instanceof Blob ? file : { ...file })) } : {}),
    ...(data ? { data: toJsonObject(data) } : {}),
    ...(metadata ? { metadata: toJsonObject(metadata) } : {}),
  };
}
