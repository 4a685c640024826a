import type { AgentDefinition } from '../agent/agent-definition.ts';
import { AgentStopError } from '../continuation/agent-stop-error.ts';
import { of as signalOf } from '../continuation/stop-signal.ts';
import { type Env, systemEnv } from '../env/env.ts';
import { AgentError } from '../errors/agent-error.ts';
import { type ErrorInfo, errorInfo } from '../errors/error-info.ts';
import type { AgentEvent } from '../events/agent-event.ts';
import { type Message, user } from '../messages/message.ts';
import { errors, pendingApprovals, status as executionStatus, stopReason } from '../state/accessors.ts';
import { withMessages, withUserMessage } from '../state/context-transitions.ts';
import { create } from '../state/create.ts';
import type { AgentState } from '../state/types.ts';
import type {
  AgentSession,
  AgentSessionOptions,
  AgentSessionSnapshot,
  OutgoingMessage,
  QueuedMessage,
  SessionCallbacks,
  SessionStatus,
  TurnResult,
} from './agent-session.ts';
import { createFrameGate } from './frame-gate.ts';
import { sessionHub } from './session-hub.ts';
import { createSessionSaver } from './session-saver.ts';
import { steeringHook } from './steering-hook.ts';
import { withoutIncompleteAnswer, withoutTransientPlugins } from './session-state.ts';

type Engine = typeof import('../loop/session-engine.ts');
type Waiting = QueuedMessage & { readonly settle: (result: TurnResult) => void };

const loadEngine = (): Promise<Engine> => import('../loop/session-engine.ts');

/**
 * The controller of one conversation: runs its agent, publishes snapshots at most once per frame, and saves.
 * Nothing about it knows a user interface.
 */
export function createAgentSession(options: AgentSessionOptions & { env?: Env }): AgentSession {
  const { sessions, env = systemEnv } = options;
  const id = options.sessionId ?? env.id();
  let agent = options.agent;
  let callbacks: SessionCallbacks = options;
  let state = options.initialState ?? create({}, env);
  let isHydrated = sessions === undefined;
  let isDisposed = false;
  let hydration: Promise<void> | null = null;
  let leave: (() => void) | null = null;
  let isDetached = false;
  let hasStarted = false;
  let running: { controller: AbortController; done: Promise<TurnResult> } | null = null;
  let error: ErrorInfo | null = null;
  let queue: readonly Waiting[] = [];
  const steering: Message[] = [];
  const listeners = new Set<() => void>();
  const eventListeners = new Set<(event: AgentEvent) => void>();

  const saver = createSessionSaver({
    id,
    agentName: () => agent.name,
    sessions,
    env,
    read: () => withoutTransientPlugins(state, agent.plugins),
    onChange: () => gate.touch(),
  });
  const gate = createFrameGate(publish, options.publish ?? 'frame');
  let snapshot = makeSnapshot();
  const initialSnapshot = snapshot;

  function makeSnapshot(): AgentSessionSnapshot {
    return {
      id,
      isHydrated,
      title: saver.title(),
      state,
      budget: agent.budget,
      status: status(),
      error,
      queue: visibleQueue(queue),
      persistence: saver.persistence(),
    };
  }

  function status(): SessionStatus {
    if (running !== null) return hasStarted ? 'streaming' : 'submitted';
    if (pendingApprovals(state).length > 0) return 'awaiting-input';
    return error === null ? 'ready' : 'error';
  }

  function publish(): void {
    snapshot = makeSnapshot();
    for (const listener of listeners) listener();
  }

  function change(next: AgentState): void {
    state = next;
    gate.touch();
  }

  function onEvent(event: AgentEvent): void {
    // Events of subagents pass by; their states are parts of this one.
    if (event.agentId === state.agentId) {
      state = event.state;
      hasStarted ||=
        event.type === 'text-delta' ||
        event.type === 'reasoning-delta' ||
        event.type === 'tool-call-start' ||
        event.type === 'tool-call';
      gate.touch();
      if (savedAt.has(event.type)) saver.schedule();
    }
    for (const listener of eventListeners) call(() => listener(event));
    call(() => callbacks.onEvent?.(event));
  }

  /** Runs the agent over the present state until it ends or waits. */
  function run(): Promise<TurnResult> {
    const controller = new AbortController();
    hasStarted = false;
    error = null;
    const steered: AgentDefinition = { ...agent, hooks: [...agent.hooks, steeringHook(steering)] };
    const done = (async (): Promise<TurnResult> => {
      try {
        // A conflict with another tab is found here, before the model is called.
        await saver.flush();
        const { createAgentLoop } = await loadEngine();
        const loop = createAgentLoop(steered, { env, onEvent });
        state = await loop.execute(state, { signal: controller.signal });
      } catch (thrown) {
        error = errorInfo(thrown);
      }
      running = null;
      finish();
      await saver.flush().catch(() => undefined);
      gate.flush();
      return turnResult();
    })();
    running = { controller, done };
    gate.touch();
    return done;
  }

  function finish(): void {
    const isPaused = executionStatus(state) === 'in-progress';
    if (error === null && endedInError(state)) error = lastError(state);
    gate.touch();
    gate.flush();
    if (error !== null) call(() => callbacks.onError?.(error as ErrorInfo));
    if (!isPaused) call(() => callbacks.onFinish?.({ ...turnResult(), state }));
    if (!isDisposed) void runQueued();
  }

  function runQueued(): Promise<void> | undefined {
    const [next, ...rest] = queue;
    if (next === undefined || running !== null || error !== null || pendingApprovals(state).length > 0)
      return undefined;
    queue = rest;
    return begin(next).then(next.settle);
  }

  async function begin(message: OutgoingMessage): Promise<TurnResult> {
    const { endInterrupted } = await loadEngine();
    // Another message may have begun while the engine was loading.
    if (running !== null) return session.sendMessage(message);
    state = withUserMessage(settled(state, endInterrupted), toMessage(message, env), env);
    return run();
  }

  /** A run that nobody goes on with must not swallow what the user says next. */
  function settled(current: AgentState, endInterrupted: Engine['endInterrupted']): AgentState {
    const signal = signalOf(
      'user-requested',
      { message: 'The user went on before the run had ended', source: 'user' },
      env,
    );
    return endInterrupted(current, signal, { toolTrace: agent.toolTrace }, env);
  }

  function turnResult(): TurnResult {
    return { status: executionStatus(state), stopReason: stopReason(state) };
  }

  function assertIdle(what: string): void {
    if (running === null) return;
    throw new AgentError(
      'session-busy',
      `${what} is not possible while the agent runs. Stop it first, or wait for it to end.`,
      { data: { id } },
    );
  }

  async function decide(answer: (state: AgentState, engine: Engine) => AgentState): Promise<TurnResult> {
    change(answer(state, await loadEngine()));
    saver.schedule();
    return pendingApprovals(state).length > 0 ? turnResult() : run();
  }

  async function hydrate(): Promise<void> {
    if (sessions === undefined) return;
    try {
      const record = await saver.load();
      if (record !== null) state = record.state;
    } catch (thrown) {
      error = errorInfo(thrown);
    }
    isHydrated = true;
    gate.touch();
    gate.flush();
    if (options.resume === true && isInterrupted(state)) void run();
  }

  /** Nothing reaches outside before somebody looks or acts, so that a session may be made while rendering. */
  function start(): Promise<void> {
    if (isDisposed) return Promise.resolve();
    // Ready by the time that somebody has typed something.
    void loadEngine().catch(() => undefined);
    leave ??= join([
      sessionHub().register(session),
      onPageHide(() => void saver.flush().catch(() => undefined)),
    ]);
    return (hydration ??= hydrate());
  }

  const session: AgentSession = {
    id,
    get ready() {
      return start();
    },
    getSnapshot: () => snapshot,
    getInitialSnapshot: () => initialSnapshot,
    subscribe(listener) {
      void start();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onEvent(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    agent: () => agent,
    setAgent(next) {
      agent = next;
    },
    setCallbacks(next) {
      callbacks = next;
    },
    async sendMessage(content, sendOptions = {}) {
      const message: OutgoingMessage = typeof content === 'string' ? { text: content } : content;
      await start();
      const policy = sendOptions.onBusy ?? options.onBusy ?? 'queue';
      if (running === null && pendingApprovals(state).length === 0) return begin(message);
      if (policy === 'reject') {
        throw new AgentError(
          'session-busy',
          'The agent is still running, and this session rejects messages meanwhile.',
          { data: { id } },
        );
      }
      if (policy === 'steer' && running !== null) {
        steering.push(toMessage(message, env));
        return running.done;
      }
      if (policy === 'interrupt') {
        session.stop('Interrupted by a new message');
        await running?.done;
        return begin(message);
      }
      return new Promise((settle) => {
        queue = [...queue, { ...message, id: env.id(), settle }];
        gate.touch();
      });
    },
    stop(message = 'Stopped by the user') {
      const signal = signalOf('user-requested', { message, source: 'user' }, env);
      if (running !== null) return running.controller.abort(new AgentStopError(signal));
      if (!isInterrupted(state) && pendingApprovals(state).length === 0) return;
      void loadEngine().then(({ endInterrupted }) => {
        if (running !== null) return;
        change(endInterrupted(state, signal, { toolTrace: agent.toolTrace }, env));
        saver.schedule();
        call(() => callbacks.onFinish?.({ ...turnResult(), state }));
        void runQueued();
      });
    },
    detach() {
      isDetached = true;
    },
    async resume() {
      await start();
      if (running !== null) return running.done;
      return isInterrupted(state) ? run() : turnResult();
    },
    async retry() {
      await start();
      const { endInterrupted } = await loadEngine();
      assertIdle('retry()');
      state = withoutIncompleteAnswer(settled(state, endInterrupted), env);
      return run();
    },
    approve: (toolCallId, approveOptions = {}) =>
      decide((current, { withApproval }) => withApproval(current, toolCallId, approveOptions, env)),
    reject: (toolCallId, rejectOptions = {}) =>
      decide((current, { withRejection }) => withRejection(current, toolCallId, rejectOptions, env)),
    respondAll: (decisions) =>
      decide((current, { withApproval, withRejection }) =>
        Object.entries(decisions).reduce((next, [toolCallId, { approved, ...rest }]) => {
          const answer = approved ? withApproval : withRejection;
          return answer(next, toolCallId, rest, env);
        }, current),
      ),
    setMessages(messages) {
      session.update((current) => withMessages(current, messages, env));
    },
    update(update) {
      assertIdle('Changing the state');
      change(update(state));
      saver.schedule();
    },
    async rename(title) {
      saver.setTitle(title);
      gate.touch();
      await saver.flush();
    },
    clearError() {
      error = null;
      gate.touch();
      void runQueued();
    },
    reset() {
      assertIdle('reset()');
      error = null;
      change(create({}, env));
      saver.schedule();
    },
    cancelQueued(queuedId) {
      const cancelled = queue.find((message) => message.id === queuedId);
      queue = queue.filter((message) => message !== cancelled);
      gate.touch();
      cancelled?.settle(turnResult());
    },
    flush: () => saver.flush(),
    async dispose() {
      if (isDisposed) return;
      isDisposed = true;
      if (!isDetached) session.stop('The session was closed');
      await running?.done;
      await saver.flush().catch(() => undefined);
      saver.dispose();
      gate.dispose();
      leave?.();
    },
  };
  return session;
}

/** Events after which something is worth saving; deltas are not among them. */
const savedAt: ReadonlySet<AgentEvent['type']> = new Set([
  'execution-start',
  'inference-end',
  'approval-request',
  'tool-end',
  'step-end',
  'execution-pause',
  'execution-end',
]);

const visible = new WeakMap<readonly Waiting[], readonly QueuedMessage[]>();

function visibleQueue(queue: readonly Waiting[]): readonly QueuedMessage[] {
  const known = visible.get(queue) ?? queue.map(({ settle: _settle, ...message }) => message);
  visible.set(queue, known);
  return known;
}

function isInterrupted(state: AgentState): boolean {
  return executionStatus(state) === 'in-progress';
}

/** A failed run, or one whose attempts were used up: the user should see it and may retry. */
function endedInError(state: AgentState): boolean {
  return executionStatus(state) === 'failed' || stopReason(state) === 'retry-limit-reached';
}

function lastError(state: AgentState): ErrorInfo {
  return (
    errors(state).at(-1) ??
    errorInfo(new AgentError('inference-failed', 'The run failed without saying why.'))
  );
}

function toMessage({ text, files = [], metadata = {} }: OutgoingMessage, env: Env): Message {
  return user([{ type: 'text', text }, ...files], { metadata }, env);
}

function onPageHide(listener: () => void): () => void {
  if (typeof window === 'undefined' || typeof window.addEventListener !== 'function') return () => undefined;
  window.addEventListener('pagehide', listener);
  return () => window.removeEventListener('pagehide', listener);
}

function join(functions: readonly (() => void)[]): () => void {
  return () => functions.forEach((run) => run());
}

/** What an application's callback throws must not end up in the run. */
function call(callback: () => void): void {
  try {
    callback();
  } catch (thrown) {
    if (typeof reportError === 'function') reportError(thrown);
  }
}
