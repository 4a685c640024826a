import { AgentStopError } from '../../graph/agent-stop-error.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import type { Env } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { JournalRun, runOnJournal as RunOnJournal } from '../../agent-loop/run-on-journal.ts';
import type { EffectLog } from '../../run/effect-log.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { AttachedSession, Persistence } from '../persistence.ts';
import type { SessionJournal } from './session-journal.ts';
import type { QueuedMessage, TurnOptions } from '../store/queued-message.ts';
import { toUserMessage } from './user-message.ts';
import type { RunEnd } from '../../run/slots.ts';

/** Runs an agent over the journal of a session. The machine guarantees one run at a time. */
export type SessionRunner = ReturnType<typeof createRunner>;

type Active = { readonly controller: AbortController; readonly revoke: () => void };

/** The parts of all runs of a session that come from outside: the ledger above theirs, and their features. */
export type SharedRuns = Pick<JournalRun, 'ledger' | 'features'>;

export type RunnerOptions = {
  readonly effects: EffectLog | null;
  /** The principal to whom the session belongs; null in a page. */
  readonly owner: string | null;
  readonly runs: SharedRuns;
};

/** Creates the runner of a session. `runOnJournal` is the agent loop. */
export function createRunner(
  session: Pick<AttachedSession, 'env' | 'id' | 'model' | 'post' | 'sessions' | 'settings'> & {
    readonly life: AbortController;
    readonly journal: Pick<SessionJournal, 'current'>;
    readonly persistence: Pick<Persistence, 'whenStored' | 'untilWritten'>;
  },
  { effects, owner, runs }: RunnerOptions,
  runOnJournal: typeof RunOnJournal,
) {
  const { env, sessions, post } = session;
  const active = new Map<string, Active>();

  function abort(runId: string, message: string): void {
    active.get(runId)?.controller.abort(stopError(message, session));
  }

  /** Returns the steered messages since the last call. */
  function takeSteered(runId: string): readonly Message[] {
    const steered = steeredInto(session.model, runId);
    if (steered.length > 0) post({ type: 'steered', runId, ids: steered.map(({ id }) => id) });
    return steered.map((message) => toUserMessage(message, env));
  }

  const records = effects === null ? null : createForgetting(effects, session);

  return {
    /** Starts a run. With a `stop` message it is stopped before it begins. */
    run(runId: string, options: TurnOptions, stop: string | null): void {
      const controller = new AbortController();
      const { lease, revoke } = session.journal.current().lease();
      const mine: Active = { controller, revoke };
      active.set(runId, mine);
      if (stop !== null) abort(runId, stop);
      // A dead run must not write to the journal.
      let isLeft = false;
      const over = (end: 'ended' | 'paused'): void => {
        const outcome = isLeft ? 'left' : end;
        revoke();
        if (active.get(runId) === mine) active.delete(runId);
        if (outcome === 'ended') records?.forget(lease.state());
        post({ type: 'run-over', runId, outcome });
      };
      const { id: turnId = null, by = owner } = session.model.run?.turn ?? {};
      const begin = (): Promise<RunEnd> =>
        runOnJournal({
          agent: session.settings().agent,
          lease,
          env,
          effects,
          ...runs,
          signal: controller.signal,
          model: options.model ?? null,
          turnId,
          by,
          takeSteered: () => takeSteered(runId),
          checkpoint: () => leavingAfterStep(session, () => (isLeft = true)),
          whenStored: session.persistence.whenStored,
          untilWritten: session.persistence.untilWritten,
          readBlob: sessions === undefined ? null : async (hash) => (await sessions.blobs?.get(hash)) ?? null,
          life: { sessionId: session.id(), signal: session.life.signal },
        });
      const waits = records?.forgetting(lease.state()) ?? null;
      void (waits === null ? begin() : waits.then(begin)).then(over, () => over('ended'));
    },
    abort,
    /** Aborts a run and keeps its later events out of the journal. */
    abandon(runId: string, message: string): void {
      abort(runId, message);
      active.get(runId)?.revoke();
    },
  };
}

/** The reason of a stop, with the principal who asked for it. */
function stopError(
  message: string,
  { env, model }: { readonly env: Env; readonly model: SessionModel },
): AgentStopError {
  const by = model.run?.stoppedBy;
  const context = by === undefined ? {} : { by };
  return new AgentStopError(signalOf('user-requested', { message, source: 'user', context }, env));
}

/** Ends a run after a step, where no call is in flight, when the session moves. */
async function leavingAfterStep(
  { model }: { readonly model: SessionModel },
  onLeave: () => void,
): Promise<void> {
  if (model.departing === undefined || model.isDisposed) return;
  onLeave();
  throw new Error('The session moves to another store.');
}

/** The deletion of the records of ended executions. */
function createForgetting(
  log: EffectLog,
  session: { readonly persistence: Pick<Persistence, 'whenStored'> },
) {
  const ended = new Set<string>();
  let last: Promise<unknown> | null = null;
  return {
    /** Deletes the records once the end is stored; after a failed write, with the next end. */
    forget({ execution }: AgentState): void {
      if (execution !== null) ended.add(execution.executionId);
      const each = (id: string): Promise<unknown> => log.forget(id).then(() => ended.delete(id));
      const stored = session.persistence.whenStored?.() ?? Promise.resolve();
      last = stored.then(() => Promise.all([...ended].map(each))).catch(() => undefined);
    },
    /** Resolves when no record of an execution that goes on can be deleted any more; null when none is. */
    forgetting({ execution }: AgentState): Promise<unknown> | null {
      if (execution?.status !== 'in-progress') return null;
      return ended.delete(execution.executionId) ? last : null;
    },
  };
}

/** The messages that wait to join the run; none when it is not the active one or is being stopped. */
function steeredInto({ run, queue }: SessionModel, runId: string): readonly QueuedMessage[] {
  if (run === null || run.id !== runId || run.isStopping) return [];
  return queue.filter(({ lane }) => lane === 'steered').map(({ message }) => message);
}
