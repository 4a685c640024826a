import { messages } from '../graph/agent-state/accessors.ts';
import { withMessages } from '../graph/agent-state/transitions.ts';
import type { Env } from '../graph/env.ts';
import type { Message } from '../graph/message.ts';
import { normalizeMessages } from '../graph/normalize-message.ts';
import type { AgentState } from '../graph/types.ts';
import { freeze } from '../kit/freeze.ts';
import { AgentError } from '../kit/agent-error.ts';
import type { AgentEventBody } from '../run/events.ts';
import { isAgentState, stateChanges } from '../run/state-changes.ts';
import type { SessionSettings } from './agent-session.ts';
import type { Publisher } from './publishing/publisher.ts';
import { type Replies, toThrown } from './replies.ts';
import { readStored } from './read-stored.ts';
import type { SessionRunner } from './runner.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import type { SessionEffect } from './machine/session-effect.ts';
import type { SessionInput } from './machine/session-input.ts';
import type { SessionJournal } from './session-journal.ts';
import type { TakeUp } from './take-up.ts';
import { toUserMessage } from './to-user-message.ts';

/** The parts of a session that perform effects. */
export type SessionParts = {
  readonly env: Env;
  readonly settings: () => SessionSettings;
  readonly journal: SessionJournal;
  readonly runner: SessionRunner;
  readonly saver: SessionSaver;
  readonly publisher: Publisher;
  readonly replies: Replies;
  readonly post: (input: SessionInput) => void;
  /** Saves a new session that begins with the first `end` messages of a state. */
  readonly fork: (state: AgentState, sessionId: string, end: number) => Promise<void>;
  /** Schedules a callback after the input is handled and its changes are published. */
  readonly afterwards: (callback: () => void) => void;
  /** Requests the document again after a gap in the messages of another tab. */
  readonly onLost: () => void;
  /** Reads the stored session again. */
  readonly openAgain: (commandId: string | null) => void;
  /** Reads the stored session now and then while another device runs the turn. */
  readonly watchRun: () => void;
  /** Ends subscriptions and timers when no work is active. */
  readonly leave: () => void;
} & TakeUp;

type Performers = {
  readonly [Type in SessionEffect['type']]: (effect: Extract<SessionEffect, { readonly type: Type }>) => void;
};

/** Creates the performer of effects. The results of slow effects come back as inputs. */
export function createPerformer(parts: SessionParts): (effect: SessionEffect) => void {
  const { env, journal, runner, saver, publisher, replies, post, afterwards } = parts;

  const change = (update: (state: AgentState) => AgentState, source: 'app' | 'user'): void =>
    changesBy(update, journal.state(), source, env).forEach((body) => journal.commit(body));

  const performers: Performers = {
    commit: ({ events }) => events.forEach(({ path, body }) => journal.commit(body, path)),
    'add-message': ({ message }) => journal.add(toUserMessage(message, env)),
    'take-back-message': ({ id }) =>
      change((state) => without(state, (message) => message.id === id, env), 'user'),
    'drop-incomplete-answer': () =>
      change((state) => without(state, incompleteIn(lastTurn(state)), env), 'user'),
    update({ id, update, isErasing }) {
      try {
        change((state) => update(state, settingMessages(env)), 'app');
        if (isErasing) {
          post({ type: 'erased' });
          saver.erase();
        } else saver.schedule();
        publisher.flush();
        replies.resolve(id, null);
      } catch (thrown) {
        replies.reject(id, thrown);
      }
    },
    'new-journal'({ base, behind }) {
      journal.replace(base, behind, saver.journalOf(base));
      if (base === null) saver.erase();
    },
    follow({ document, events }) {
      if (document !== null) journal.replace(freeze(document.state), [], document.journalId);
      if (!events.every(journal.take)) parts.onLost();
    },
    fork: ({ commandId, sessionId, end }) =>
      void parts.fork(journal.state(), sessionId, end).then(
        () => replies.resolve(commandId, null),
        (thrown: unknown) => replies.reject(commandId, thrown),
      ),
    store: ({ runId }) =>
      void saver.claim().then((outcome) => {
        // A conflict comes as an input of its own.
        if (outcome !== 'conflict') post({ type: 'stored', runId });
      }),
    'read-again': (conflict) => parts.during(readStored(parts, conflict)),
    'watch-run': () => parts.watchRun(),
    run: ({ runId, options, stop }) => runner.run(runId, options, stop),
    abort: ({ runId, message }) => runner.abort(runId, message),
    abandon: ({ runId, message }) => runner.abandon(runId, message),
    'save-soon': () => saver.schedule(),
    reply({ commandId, turn, when }) {
      publisher.flush();
      if (when === 'now') return replies.resolve(commandId, turn);
      void parts.settled(when === 'saved' ? turn : null).then(({ stored, forkedTo }) => {
        publisher.flush();
        const told = turn && { ...turn, stored: stored || turn.forkedTo !== null };
        replies.resolve(commandId, told && { ...told, forkedTo: told.forkedTo ?? forkedTo });
      });
    },
    reject: ({ commandId, error }) => replies.reject(commandId, toThrown(error)),
    finish({ turn }) {
      const state = journal.state();
      const { error } = turn;
      publisher.flush();
      if (error !== null) afterwards(() => parts.settings().onError?.(error));
      afterwards(() => parts.settings().onFinish?.({ turn, state }));
      saver.schedule();
    },
    report({ error }) {
      publisher.flush();
      afterwards(() => parts.settings().onError?.(error));
    },
    'open-again': ({ commandId }) => parts.openAgain(commandId),
    'forget-store': () => saver.close(),
    leave: () => void parts.allSettled().then(parts.leave),
  };
  return (effect) => (performers[effect.type] as (effect: SessionEffect) => void)(effect);
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
