import { messages } from '../../graph/agent-state/accessors.ts';
import { withChoiceTaken } from '../../graph/agent-state/chosen-model.ts';
import { withMessages } from '../../graph/agent-state/transitions.ts';
import type { Env } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import { normalizeMessages } from '../../graph/normalize-message.ts';
import type { AgentState } from '../../graph/types.ts';
import { freeze } from '../../kit/freeze.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { isAgentState, stateChanges } from '../../run/state-changes.ts';
import type { AttachedSession, Persistence, StoreEffect } from '../persistence.ts';
import { toThrown } from '../replies.ts';
import type { SessionRunner } from './runner.ts';
import type { SessionEffect } from '../machine/session-effect.ts';
import { isOpen } from '../machine/state-facts.ts';
import type { SessionJournal } from './session-journal.ts';
import { toUserMessage } from './user-message.ts';

/** A session as its effects see it. */
export type PerformingSession = AttachedSession & {
  readonly journal: SessionJournal;
  readonly runner: SessionRunner;
  readonly persistence: Persistence;
  readonly afterwards: (callback: () => void) => void;
  readonly leave: () => Promise<void>;
};

type EffectOf<Type extends SessionEffect['type']> = Extract<SessionEffect, { readonly type: Type }>;
type Performer<Effect extends SessionEffect> = (session: PerformingSession, effect: Effect) => unknown;

const inStore: Performer<StoreEffect & SessionEffect> = ({ persistence }, effect) =>
  persistence.perform(effect);

const performers: { readonly [Type in SessionEffect['type']]: Performer<EffectOf<Type>> } = {
  commit: ({ journal }, { events }) => events.forEach(({ path, body }) => journal.commit(body, path)),
  'add-message': ({ env, journal }, { message }) => journal.add(toUserMessage(message, env), message.by),
  'take-back-message': (session, effect) => removeMessages(session, ({ id }) => id === effect.id),
  'drop-incomplete-answer': (session) => removeMessages(session, incompleteIn(session.state)),
  update: updateState,
  'new-journal'({ journal, persistence }, { base, behind }) {
    journal.replace(base, behind, persistence.journalOf(base));
    if (base === null) persistence.perform({ type: 'erase' });
  },
  follow,
  fork: (session, { commandId, sessionId, end }) =>
    session.fork(session.state, sessionId, end).then(
      () => session.replies.resolve(commandId, null),
      (thrown: unknown) => session.replies.reject(commandId, thrown),
    ),
  run(session, { runId, options, stop }) {
    const { agent } = session.settings();
    // A run that goes on keeps its model.
    if (!isOpen(session.state)) change(session, 'user', (state) => withChoiceTaken(state, agent.llmConfig));
    session.runner.run(runId, options, stop);
  },
  abort: ({ runner }, { runId, message }) => runner.abort(runId, message),
  abandon: ({ runner }, { runId, message }) => runner.abandon(runId, message),
  reply,
  reject: ({ replies }, { commandId, error }) => replies.reject(commandId, toThrown(error)),
  finish,
  report(session, { error }) {
    session.publisher.flush();
    session.afterwards(() => session.settings().onError?.(error));
  },
  'open-again': (session, { commandId }) => session.openAgain(commandId),
  'forget-store'(session, effect) {
    session.endLife();
    session.persistence.perform(effect);
  },
  store: inStore,
  'read-again': inStore,
  'watch-run': inStore,
  'save-soon': inStore,
  'fall-silent': inStore,
  leave: (session) => session.leave(),
};

/** Performs an effect of the machine. The results of slow effects come back as inputs. */
export function performEffect(session: PerformingSession, effect: SessionEffect): void {
  (performers[effect.type] as Performer<SessionEffect>)(session, effect);
}

function change(
  { env, journal, state: before }: PerformingSession,
  source: 'app' | 'user',
  update: (state: AgentState) => AgentState,
): void {
  const after: unknown = update(before);
  if (!isAgentState(after)) {
    const message =
      'update(): the function did not return an AgentState. Return the given state, changed or not, and not a promise.';
    throw new AgentError('state-invalid', message);
  }
  // Messages that a user removes to retry stay in the steps; those that the application removes do not.
  const changes = stateChanges(before, after, source, env, { isErasing: source === 'app' });
  changes.forEach((body) => journal.commit(body));
}

function removeMessages(session: PerformingSession, isGone: (message: Message) => boolean): void {
  change(session, 'user', (state) => without(state, isGone, session.env));
}

function updateState(session: PerformingSession, { id, update, isErasing }: EffectOf<'update'>): void {
  const { env, persistence, publisher, replies, post } = session;
  try {
    change(session, 'app', (state) =>
      update(state, (given, next) => withMessages(given, normalizeMessages(next, env), env)),
    );
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
function follow(
  { journal, persistence, state }: PerformingSession,
  { document, events }: EffectOf<'follow'>,
): void {
  if (document !== null && document.state !== state)
    journal.replace(freeze(document.state), [], document.journalId);
  if (!events.every((event) => journal.current().take(event)))
    persistence.perform({ type: 'request-document' });
}

function reply(session: PerformingSession, { commandId, turn, when }: EffectOf<'reply'>): void {
  const { persistence, publisher, replies } = session;
  publisher.flush();
  if (when === 'now') return replies.resolve(commandId, turn);
  void persistence.settle(when === 'saved' ? turn : null).then(({ stored, forkedTo }) => {
    publisher.flush();
    const { phase, error } = session.model;
    // The turn was over when another runner was found to have its session.
    const lost = phase === 'ended' && !stored ? { status: 'overtaken' as const, error } : {};
    const kept = turn && { stored: stored || turn.forkedTo !== null, forkedTo: turn.forkedTo ?? forkedTo };
    replies.resolve(commandId, turn && { ...turn, ...lost, ...kept });
  });
}

function finish(session: PerformingSession, { turn }: EffectOf<'finish'>): void {
  const { state } = session;
  const { error } = turn;
  session.publisher.flush();
  if (error !== null) session.afterwards(() => session.settings().onError?.(error));
  session.afterwards(() => session.settings().onFinish?.({ turn, state }));
  session.persistence.perform({ type: 'save-soon' });
}

/** The incomplete messages since the last one of the user, which a retry replaces. */
function incompleteIn(state: AgentState): (message: Message) => boolean {
  const said = messages(state);
  const turn = new Set(said.slice(said.findLastIndex(({ role }) => role === 'user') + 1));
  return (message) => message.metadata['incomplete'] === true && turn.has(message);
}

function without(state: AgentState, isGone: (message: Message) => boolean, env: Env): AgentState {
  const kept = messages(state).filter((message) => !isGone(message));
  return kept.length === messages(state).length ? state : withMessages(state, kept, env);
}
