import { messages } from '../../graph/agent-state/accessors.ts';
import { withMessages } from '../../graph/agent-state/transitions.ts';
import type { Env } from '../../graph/env.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { Message } from '../../graph/message.ts';
import { normalizeMessages } from '../../graph/normalize-message.ts';
import type { AgentState } from '../../graph/types.ts';
import { freeze } from '../../kit/freeze.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { AgentEventBody } from '../../run/events.ts';
import { isAgentState, stateChanges } from '../../run/state-changes.ts';
import type { SessionSettings, Turn } from '../agent-session.ts';
import type { Publisher } from '../publishing/publisher.ts';
import { type Replies, toThrown } from '../replies.ts';
import type { Persistence } from '../persistence.ts';
import type { SessionRunner } from './runner.ts';
import type { SessionEffect } from '../machine/session-effect.ts';
import type { SessionInput } from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { SessionJournal } from './session-journal.ts';
import { toUserMessage } from './user-message.ts';

/** A session as its effects see it. */
export type PerformingSession = {
  readonly env: Env;
  readonly settings: () => SessionSettings;
  readonly model: SessionModel;
  readonly journal: SessionJournal;
  readonly runner: SessionRunner;
  readonly persistence: Persistence;
  readonly publisher: Publisher;
  readonly replies: Replies;
  readonly post: (input: SessionInput) => void;
  readonly openAgain: (commandId: string | null) => void;
  readonly fork: (state: AgentState, sessionId: string, end: number) => Promise<void>;
  readonly afterwards: (callback: () => void) => void;
  readonly leave: () => Promise<void>;
};

type EffectOf<Type extends SessionEffect['type']> = Extract<SessionEffect, { readonly type: Type }>;

/** Performs an effect of the machine. The results of slow effects come back as inputs. */
export function performEffect(session: PerformingSession, effect: SessionEffect): void {
  const { env, journal, runner, persistence, replies } = session;
  switch (effect.type) {
    case 'commit':
      return effect.events.forEach(({ path, body }) => journal.commit(body, path));
    case 'add-message':
      return journal.add(toUserMessage(effect.message, env), effect.message.by);
    case 'take-back-message':
      return removeMessages(session, ({ id }) => id === effect.id);
    case 'drop-incomplete-answer':
      return removeMessages(session, incompleteIn(lastTurn(journal.state())));
    case 'update':
      return updateState(session, effect);
    case 'new-journal':
      journal.replace(effect.base, effect.behind, persistence.journalOf(effect.base));
      return effect.base === null ? persistence.perform({ type: 'erase' }) : undefined;
    case 'follow':
      return follow(session, effect);
    case 'fork':
      return fork(session, effect);
    case 'run':
      return runner.run(effect.runId, effect.options, effect.stop);
    case 'abort':
      return runner.abort(effect.runId, effect.message);
    case 'abandon':
      return runner.abandon(effect.runId, effect.message);
    case 'reply':
      return reply(session, effect);
    case 'reject':
      return replies.reject(effect.commandId, toThrown(effect.error));
    case 'finish':
      return finish(session, effect);
    case 'report':
      return report(session, effect.error);
    case 'open-again':
      return session.openAgain(effect.commandId);
    case 'store':
    case 'read-again':
    case 'watch-run':
    case 'save-soon':
    case 'forget-store':
    case 'fall-silent':
      return persistence.perform(effect);
    case 'leave':
      return void session.leave();
  }
}

function change(
  { env, journal }: PerformingSession,
  source: 'app' | 'user',
  update: (state: AgentState) => AgentState,
): void {
  changesBy(update, journal.state(), source, env).forEach((body) => journal.commit(body));
}

function removeMessages(session: PerformingSession, isGone: (message: Message) => boolean): void {
  change(session, 'user', (state) => without(state, isGone, session.env));
}

function updateState(session: PerformingSession, { id, update, isErasing }: EffectOf<'update'>): void {
  const { env, persistence, publisher, replies, post } = session;
  try {
    change(session, 'app', (state) => update(state, settingMessages(env)));
    if (isErasing) {
      post({ type: 'erased' });
      persistence.perform({ type: 'erase' });
    } else persistence.perform({ type: 'save-soon' });
    publisher.flush();
    replies.resolve(id, null);
  } catch (thrown) {
    replies.reject(id, thrown);
  }
}

/** Follows another tab. A gap in its messages makes this tab ask for the document again. */
function follow({ journal, persistence }: PerformingSession, { document, events }: EffectOf<'follow'>): void {
  if (document !== null && document.state !== journal.state())
    journal.replace(freeze(document.state), [], document.journalId);
  if (!events.every(journal.take)) persistence.perform({ type: 'request-document' });
}

function fork(session: PerformingSession, { commandId, sessionId, end }: EffectOf<'fork'>): void {
  const { journal, replies } = session;
  void session.fork(journal.state(), sessionId, end).then(
    () => replies.resolve(commandId, null),
    (thrown: unknown) => replies.reject(commandId, thrown),
  );
}

function reply(session: PerformingSession, { commandId, turn, when }: EffectOf<'reply'>): void {
  const { persistence, publisher, replies } = session;
  publisher.flush();
  if (when === 'now') return replies.resolve(commandId, turn);
  void persistence.settle(when === 'saved' ? turn : null).then(({ stored, forkedTo }) => {
    publisher.flush();
    const ended = turn && { ...turn, ...lostIn(session, stored), stored: stored || turn.forkedTo !== null };
    replies.resolve(commandId, ended && { ...ended, forkedTo: ended.forkedTo ?? forkedTo });
  });
}

/** The end of a turn that was over when another runner was found to have its session. */
function lostIn({ model }: PerformingSession, isStored: boolean): Partial<Turn> {
  return model.phase === 'ended' && !isStored ? { status: 'overtaken', error: model.error } : {};
}

function finish(session: PerformingSession, { turn }: EffectOf<'finish'>): void {
  const state = session.journal.state();
  const { error } = turn;
  session.publisher.flush();
  if (error !== null) session.afterwards(() => session.settings().onError?.(error));
  session.afterwards(() => session.settings().onFinish?.({ turn, state }));
  session.persistence.perform({ type: 'save-soon' });
}

function report(session: PerformingSession, error: ErrorInfo): void {
  session.publisher.flush();
  session.afterwards(() => session.settings().onError?.(error));
}

/**
 * Changes the state by events. Messages that a user removes to retry stay in the steps; those that the
 * application removes do not.
 */
function changesBy(
  update: (state: AgentState) => AgentState,
  before: AgentState,
  source: 'app' | 'user',
  env: Env,
): AgentEventBody[] {
  const after: unknown = update(before);
  if (!isAgentState(after)) throw notAState();
  return stateChanges(before, after, source, env, { isErasing: source === 'app' });
}

/** Returns the function by which an application sets the messages of a state. */
function settingMessages(env: Env): (state: AgentState, next: readonly Message[]) => AgentState {
  return (state, next) => withMessages(state, normalizeMessages(next, env), env);
}

/** The messages since the last one of the user, which a retry replaces. */
function lastTurn(state: AgentState): ReadonlySet<Message> {
  const said = messages(state);
  return new Set(said.slice(said.findLastIndex(({ role }) => role === 'user') + 1));
}

function incompleteIn(turn: ReadonlySet<Message>): (message: Message) => boolean {
  return (message) => message.metadata['incomplete'] === true && turn.has(message);
}

function without(
  state: AgentState,
  isGone: (message: ReturnType<typeof messages>[number]) => boolean,
  env: Env,
): AgentState {
  const kept = messages(state).filter((message) => !isGone(message));
  return kept.length === messages(state).length ? state : withMessages(state, kept, env);
}

function notAState(): AgentError {
  return new AgentError(
    'state-invalid',
    'update(): the function did not return an AgentState. Return the given state, changed or not, and not a promise.',
  );
}
