import type { ErrorInfo } from '../../graph/error-info.ts';
import type { AgentErrorCode } from '../../kit/agent-error.ts';
import type { OutgoingMessage } from '../agent-session.ts';
import type { SessionMove } from '../store/session-move.ts';
import { disposedError, refusalOf } from './transition.ts';
import { isElsewhere, type SessionModel } from './session-model.ts';

const sentences = {
  deleted: ['session-deleted', 'This session was deleted. Start a new one.'],
  unstored: [
    'session-storage',
    'moveTo(): this session has no store, so it cannot be moved without a risk. Give it `sessions`.',
  ],
  replaced: [
    'session-conflict',
    'Another process runs this session now, so this one has ended. What it had stored is kept. Open the session again to follow it.',
  ],
  busy: ['session-busy', 'The agent is still at work. Wait for its answer, or stop it first.'],
  queueFull: [
    'session-busy',
    'Too much waits for the agent: at most 50 messages, and 16 MiB with their files. Wait for its answer, or cancel a waiting message.',
  ],
  busyElsewhere: [
    'session-busy',
    'Another page or device is still at work on this turn. Its answer is shown here when it is stored. If that device is gone, the run can be resumed here after two minutes.',
  ],
  idle: ['session-idle', 'There is no run to continue. Send a message first.'],
  nothingGranted: [
    'session-idle',
    'The run stopped at a limit of which nothing can be granted: the limit is 0, or the price of a model is not known. Give continueRun an amount, or change the budget of the agent.',
  ],
  answered: [
    'session-idle',
    'The last message has its answer. Call regenerate() for another one, or send a message.',
  ],
  emptyMessage: ['message-empty', 'The message has no text, file or data. Write something first.'],
  noAnswer: ['approval-unknown', 'No call waits for this answer; it may have been answered already.'],
  noBreak: ['session-idle', 'No run waits at this breakpoint; it may have been released already.'],
  asksForPolicy: [
    'session-conflict',
    'Another page or device changed the session, and the local changes are not saved. Call resolveConflict("rebase") to continue from the stored session, or resolveConflict("fork") to keep the local changes as a session of their own.',
  ],
  changedElsewhere: [
    'session-conflict',
    'Another page or device changed the session, so this request no longer applies. Check the current messages and repeat the request.',
  ],
  unreadable: ['state-invalid', 'The stored session cannot be read. It was not changed.'],
} as const satisfies Readonly<Record<string, readonly [code: AgentErrorCode, sentence: string]>>;

/** The name of a refusal that is always the same. */
export type RefusalName = keyof typeof sentences;

export function namedRefusal(name: RefusalName): ErrorInfo {
  const [code, sentence] = sentences[name];
  return refusalOf(code, sentence);
}

/** Returns the error for commands that the session refuses now; null when it takes commands. */
export function refusal(model: SessionModel): ErrorInfo | null {
  if (model.phase === 'deleted') return namedRefusal('deleted');
  if (model.phase === 'ended') return namedRefusal('replaced');
  if (model.isDisposed) return disposedError();
  if ((model.moved ?? null) !== null) return movedAway(model.moved as SessionMove);
  if (model.phase === 'unreadable') return model.error ?? namedRefusal('unreadable');
  return null;
}

/** Returns the error for commands that need the current state: as `refusal`, and while a conflict is unresolved. */
export function unsettledError(model: SessionModel): ErrorInfo | null {
  const { conflict = null } = model;
  if (conflict === null || model.phase !== 'open') return refusal(model);
  return (
    refusal(model) ??
    (conflict.phase === 'asking'
      ? namedRefusal('asksForPolicy')
      : (model.error ?? namedRefusal('changedElsewhere')))
  );
}

export function movedAway({ place, isThere }: SessionMove): ErrorInfo {
  const next = isThere ? 'Open it there.' : 'Call moveTo() again to finish that, or open it there.';
  return refusalOf('session-moved', `This session moved to ${place} and goes on there. ${next}`);
}

export function messageNotFound(id: string): ErrorInfo {
  const what = `The active branch has no message ${JSON.stringify(id)} that this action applies to.`;
  return refusalOf('message-not-found', `${what} Take the id from messages, or switch to its branch first.`);
}

/** As `unsettledError`, and for commands that would call the model for a turn which another device runs. */
export function unsettledRun(model: SessionModel): ErrorInfo | null {
  return unsettledError(model) ?? (isElsewhere(model) ? namedRefusal('busyElsewhere') : null);
}

export function isEmptyMessage({ text, files = [], data = {} }: OutgoingMessage): boolean {
  return text.trim() === '' && files.length === 0 && Object.keys(data).length === 0;
}
