import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import type { CommandDispatcher } from './dispatcher.ts';
import { isRefusal } from '../store/session-move.ts';
import type { SessionStore } from '../store/session-store.ts';

type LeavingSession = {
  readonly id: string | null;
  readonly agentName: string;
  readonly sessions: SessionStore | undefined;
  readonly dispatcher: CommandDispatcher;
};

/**
 * Moves a session to a store whose sessions a server runs. The mark in the stored session decides where it is: before it
 * is written nothing has changed, and after it nothing runs here. A page that dies later leaves the mark, with which the
 * same move is finished.
 */
export async function moveSession(session: LeavingSession, to: SessionStore): Promise<void> {
  const { id, sessions, agentName, dispatcher } = session;
  const { served, identity: place } = to;
  if (sessions?.served !== undefined)
    throw refusal(
      'this session runs on its server, with tools and data that only the server has, so it stays there. Fork or export it to go on here.',
    );
  if (served === undefined || typeof place !== 'string')
    throw refusal('this store takes no session that runs. Give it the `sessions` of agentServer().');
  if (sessions === undefined || id === null)
    throw refusal('there is no stored session yet. Give it `sessions`, and send a message first.');
  const at = { sessionId: id, agentName };
  const before = dispatcher.model.moved ?? null;
  if (before?.isThere === true && before.place === place) return;
  // Whatever the server would refuse it refuses before anything has changed.
  if (before === null) await served.check(at);
  const turn = await dispatcher.request((commandId) => ({ type: 'depart', id: commandId, place }));
  const { moveId = '' } = dispatcher.model.moved ?? {};
  const arrive = (isThere: boolean): Promise<unknown> =>
    dispatcher.request((commandId) => ({ type: 'arrive', id: commandId, moveId, isThere }));
  if (turn?.stored !== true) {
    await arrive(false);
    throw refusal(
      'the session could not be stored here first, so it stays here and goes on. Try again when `persistence.status` is not `degraded`.',
    );
  }
  try {
    await served.take(at, moveId, sessions);
  } catch (thrown) {
    const error = isAgentError(thrown) ? thrown : null;
    if (error !== null && !isRefusal(error) && error.code !== 'session-not-found')
      throw onItsWay(place, error);
    // A session that was deleted there had arrived, so it does not come back here.
    await arrive(error?.code === 'session-deleted');
    throw thrown;
  }
  await arrive(true);
}

function refusal(sentence: string): AgentError {
  return new AgentError('session-storage', `moveTo(): ${sentence}`);
}

function onItsWay(place: string, cause: AgentError): AgentError {
  const message = `The session is on its way to ${place}, which has not answered yet: ${cause.message} It does not run here meanwhile. Call moveTo() again to finish the move.`;
  return new AgentError('session-moved', message, { data: { retryable: true }, cause });
}
