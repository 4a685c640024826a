import type { AgentDefinition } from '../agent/agent-definition.ts';
import { AgentStopError } from '../graph/agent-stop-error.ts';
import { of as signalOf } from '../graph/stop-signal.ts';
import { type Env, systemEnv } from '../graph/env.ts';
import { AgentError } from '../kit/agent-error.ts';
import { type ErrorInfo, errorInfo } from '../graph/error-info.ts';
import type { AgentEvent } from '../run/agent-event.ts';
import type { Message } from '../graph/message.ts';
import { messages, pendingApprovals } from '../graph/agent-state/accessors.ts';
import { withMessages, withUserMessage } from '../graph/agent-state/context-transitions.ts';
import { create } from '../graph/agent-state/create.ts';
import type { AgentState } from '../graph/types.ts';
import type {
  AgentSession,
  AgentSessionOptions,
  AgentSessionSnapshot,
  OutgoingMessage,
  SessionCallbacks,
  SessionStatus,
  TurnResult,
} from './agent-session.ts';
import { createFrameGate } from '../kit/frame-gate.ts';
import { callSafely, createListeners, onPageHide } from '../kit/listeners.ts';
import { createMessageQueue } from './message-queue.ts';
import { sessionHub } from './hub.ts';
import { createSessionSaver } from './session-saver.ts';
import { steeringHook } from './steering-hook.ts';
import {
  answerEvents,
  isInterrupted,
  runError,
  savingEvents,
  toUserMessage,
  turnResult,
  withoutIncompleteAnswer,
  withoutTransientPlugins,
} from './session-state.ts';

type Engine = typeof import('../run/session-engine.ts');

const loadEngine = (): Promise<Engine> => import('../run/session-engine.ts');

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
  const queue = createMessageQueue();
  const steering: Message[] = [];
  const listeners = createListeners<void>();
  const eventListeners = createListeners<AgentEvent>();

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
      queue: queue.messages(),
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
    listeners.notify();
  }

  function change(next: AgentState): void {
    state = next;
    gate.touch();
  }

  function onEvent(event: AgentEvent): void {
    // Events of subagents pass by; their states are parts of this one.
    if (event.agentId === state.agentId) {
      state = event.state;
      hasStarted ||= answerEvents.has(event.type);
      gate.touch();
      if (savingEvents.has(event.type)) saver.schedule();
    }
    eventListeners.notify(event);
    callSafely(() => callbacks.onEvent?.(event));
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
      return turnResult(state);
    })();
    running = { controller, done };
    gate.touch();
    return done;
  }

  function finish(): void {
    error ??= runError(state);
    gate.touch();
    gate.flush();
    if (error !== null) callSafely(() => callbacks.onError?.(error as ErrorInfo));
    if (!isInterrupted(state)) callSafely(() => callbacks.onFinish?.({ ...turnResult(state), state }));
    if (!isDisposed) runQueued();
  }

  /** A queue pauses at an error, and while the user is asked something. */
  function runQueued(): void {
    if (running !== null || error !== null || pendingApprovals(state).length > 0) return;
    const next = queue.next();
    if (next !== null) void begin(next.message).then(next.settle);
  }

  async function begin(message: OutgoingMessage): Promise<TurnResult> {
    const { endInterrupted } = await loadEngine();
    // Another message may have begun while the engine was loading.
    if (running !== null) return session.sendMessage(message);
    state = withUserMessage(settled(state, endInterrupted), toUserMessage(message, env), env);
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
    return pendingApprovals(state).length > 0 ? turnResult(state) : run();
  }

  /** After a conflict: what is stored has won, and what the user said last is put behind it. */
  async function adoptStored(): Promise<void> {
    const said = messages(state).at(-1);
    const record = await saver.load();
    if (record === null) return;
    const isNew = said?.role === 'user' && messages(record.state).every(({ id: known }) => known !== said.id);
    state = isNew ? withUserMessage(record.state, said, env) : record.state;
  }

  async function hydrate(): Promise<void> {
    if (sessions === undefined) return;
    try {
      const record = await saver.load();
      if (record !== null) state = record.state;
      error = runError(state);
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
    if (leave === null) {
      const removePageHide = onPageHide(() => void saver.flush().catch(() => undefined));
      const leaveHub = sessionHub().register(session);
      leave = () => {
        removePageHide();
        leaveHub();
      };
    }
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
      return listeners.add(listener);
    },
    onEvent: eventListeners.add,
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
        steering.push(toUserMessage(message, env));
        return running.done;
      }
      if (policy === 'interrupt') {
        session.stop('Interrupted by a new message');
        await running?.done;
        return begin(message);
      }
      const turn = queue.add({ ...message, id: env.id() });
      gate.touch();
      return turn;
    },
    stop(message = 'Stopped by the user') {
      const signal = signalOf('user-requested', { message, source: 'user' }, env);
      if (running !== null) return running.controller.abort(new AgentStopError(signal));
      if (!isInterrupted(state) && pendingApprovals(state).length === 0) return;
      void loadEngine().then(({ endInterrupted }) => {
        if (running !== null) return;
        change(endInterrupted(state, signal, { toolTrace: agent.toolTrace }, env));
        saver.schedule();
        callSafely(() => callbacks.onFinish?.({ ...turnResult(state), state }));
        runQueued();
      });
    },
    detach() {
      isDetached = true;
    },
    async resume() {
      await start();
      if (running !== null) return running.done;
      return isInterrupted(state) ? run() : turnResult(state);
    },
    async retry() {
      await start();
      const { endInterrupted } = await loadEngine();
      assertIdle('retry()');
      if (error?.code === 'session-conflict') await adoptStored();
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
    setMessages(next) {
      session.update((current) => withMessages(current, next, env));
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
      runQueued();
    },
    reset() {
      assertIdle('reset()');
      error = null;
      change(create({}, env));
      saver.schedule();
    },
    cancelQueued(queuedId) {
      queue.cancel(queuedId, turnResult(state));
      gate.touch();
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
