import { isDevelopment } from '../../../kit/freeze.ts';
import { withChosenModel } from '../../../graph/agent-state/chosen-model.ts';
import { messages } from '../../../graph/agent-state/accessors.ts';
import type { Message } from '../../../graph/message.ts';
import type { AgentState } from '../../../graph/types.ts';
import { cancelTurns } from '../queue.ts';
import { messageNotFound, refusal, unsettledError } from '../refusals.ts';
import type { CommandOf, StateUpdate } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { andThen, refusalOf, reply, to, type Transition } from '../transition.ts';
import { pendingCancelled, runLeft } from '../run-control.ts';
import { emptyTree } from '../../branches/session-tree.ts';

/** Sets a title that later messages do not replace. */
export function rename(model: SessionModel, { id: commandId, title }: CommandOf<'rename'>): Transition {
  const error = refusal(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const reply = { type: 'reply', commandId, turn: null, when: 'saved' } as const;
  return to({ ...model, title }, { type: 'save-soon' }, reply);
}

export function setDraft(model: SessionModel, { draft }: CommandOf<'set-draft'>): Transition {
  return draft === model.draft ? to(model) : to({ ...model, draft }, { type: 'save-soon' });
}

/** Clears the error and releases the queue. */
export function clearError(model: SessionModel): Transition {
  return model.phase === 'open' ? to({ ...model, error: null, isHeld: false }) : to(model);
}

export function cancelQueued(model: SessionModel, { queuedId }: CommandOf<'cancel-queued'>): Transition {
  return andThen(
    cancelTurns(model, ({ turn }) => turn.id === queuedId),
    (next) => to(next, { type: 'save-soon' }),
  );
}

/** Changes the state by a function of the application, also during a run. */
export function update(model: SessionModel, command: CommandOf<'update'>): Transition {
  const { id: commandId } = command;
  const error = unsettledError(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  return to(model, { ...command, type: 'update' });
}

/** Writes what a person thinks of an answer into its message, also during a run. */
export function rate(model: SessionModel, command: CommandOf<'rate'>, state: AgentState): Transition {
  const { id: commandId, messageId, rating, text = '', by } = command;
  const isAnswer = ({ id, role }: Message): boolean => id === messageId && role === 'assistant';
  const error = unsettledError(model) ?? (messages(state).some(isAnswer) ? null : messageNotFound(messageId));
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const given = rating !== null && {
    feedback: rating,
    ...(by !== undefined && { feedback_by: by }),
    ...(text !== '' && { feedback_text: text }),
  };
  const withFeedback = (message: Message): Message => {
    const { feedback: _rating, feedback_text: _text, feedback_by: _by, ...metadata } = message.metadata;
    return isAnswer(message) ? { ...message, metadata: { ...metadata, ...given } } : message;
  };
  const change: StateUpdate = (now, setMessages) => setMessages(now, messages(now).map(withFeedback));
  return to(model, { type: 'update', id: commandId, update: change, isErasing: false });
}

declare const process: { env: { NODE_ENV?: string } };

/** Keeps the model that a person chose until the next run, which takes it. */
export function chooseModel(model: SessionModel, command: CommandOf<'choose-model'>): Transition {
  const { id: commandId, model: name, reasoning } = command;
  if (isDevelopment && process.env.NODE_ENV !== 'production' && ![name, reasoning].every(isNameOrNull)) {
    const what = 'chooseModel: model and reasoning must each be null or a text of 1 to 200 characters.';
    return to(model, { type: 'reject', commandId, error: refusalOf('id-invalid', what) });
  }
  const change: StateUpdate = (now) => withChosenModel(now, command);
  return update(model, { id: commandId, type: 'update', update: change, isErasing: false });
}

/** A server takes no longer names either. */
function isNameOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^[^]{1,200}$/.test(value));
}

/** Begins again on a blank state: ends the active run and cancels the queue. */
export function resetSession(model: SessionModel, { id: commandId }: CommandOf<'reset'>): Transition {
  const error = unsettledError(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const blank = {
    paused: null,
    goesOn: false,
    error: null,
    isHeld: false,
    elsewhere: null,
    retrying: [],
    tree: emptyTree,
  };
  return andThen(
    pendingCancelled(model),
    (next) => cancelTurns(next, () => true),
    (next) => runLeft(next, 'The session was reset'),
    (next) => to({ ...next, ...blank }, { type: 'new-journal', base: null, behind: [] }),
    (next) => to(next, { type: 'save-soon' }, reply(commandId, null)),
  );
}
