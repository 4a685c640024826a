import type { ErrorInfo } from '../../graph/error-info.ts';
import type { OutgoingMessage } from '../agent-session.ts';
import { disposed, refused } from '../refused.ts';
import type { SessionModel } from './session-model.ts';

/** Why a session takes no commands any more, or not yet; null when it does. */
export function refusal(model: SessionModel): ErrorInfo | null {
  if (model.phase === 'deleted') return gone();
  if (model.isDisposed) return disposed();
  if (model.phase === 'unreadable') return model.error ?? unreadable();
  return null;
}

export function gone(): ErrorInfo {
  return refused('session-deleted', 'This session was deleted. Start a new one.');
}

export function busy(): ErrorInfo {
  return refused('session-busy', 'The agent is still at work. Wait for its answer, or stop it first.');
}

export function idle(): ErrorInfo {
  return refused('session-idle', 'There is no run to go on with. Send a message first.');
}

export function emptyMessage(): ErrorInfo {
  return refused('message-empty', 'The message has no text, file or data. Write something first.');
}

export function messageNotFound(id: string): ErrorInfo {
  const what = `No message ${JSON.stringify(id)} that this can be done with is in the active line.`;
  return refused('message-not-found', `${what} Take its id from messages, or go to its branch first.`);
}

export function noAnswer(): ErrorInfo {
  return refused('approval-unknown', 'No call waits for this answer; it may have been answered already.');
}

export function asksForPolicy(): ErrorInfo {
  return refused(
    'session-conflict',
    'The session was changed elsewhere, and what is here is not saved. Set onConflict to "rebase" or "fork", and call retry().',
  );
}

export function changedElsewhere(): ErrorInfo {
  return refused(
    'session-conflict',
    'The session was changed elsewhere, and what was asked for no longer fits. Look at what is there now.',
  );
}

/** True for a message that says nothing: blank text, no files, no data. */
export function isEmptyMessage({ text, files = [], data = {} }: OutgoingMessage): boolean {
  return text.trim() === '' && files.length === 0 && Object.keys(data).length === 0;
}

function unreadable(): ErrorInfo {
  return refused('state-invalid', 'The stored session cannot be read. It was not changed.');
}
