import { isTrace, type Message } from '../../graph/message.ts';
import { section } from '../../graph/message-store.ts';
import type { AgentState } from '../../graph/types.ts';
import { memoize } from '../../kit/memoize.ts';

/** The messages of a state with the trace of its run behind them; the same array for the same sections. */
export function branchMessages({ context: { store } }: AgentState): readonly Message[] {
  const said = section(store);
  const trace = section(store, 'execution_buffer');
  return trace.length === 0 ? said : joinMessages(said)(trace);
}

const joinMessages = memoize((said: readonly Message[]) =>
  memoize((trace: readonly Message[]): readonly Message[] => [...said, ...trace]),
);

export const placesIn: (messages: readonly Message[]) => ReadonlyMap<string, number> = memoize(
  (messages) => new Map(messages.map(({ id }, at) => [id, at])),
);

/** True for a message of the user. An instruction of a run to its model is none. */
export function isOfUser(message: Message): boolean {
  return message.role === 'user' && !isTrace(message);
}

/** The index of the user message that the message at `at` is or answers; -1 when there is none. */
export function turnAt(messages: readonly Message[], at: number): number {
  let place = Math.min(at, messages.length - 1);
  while (place >= 0 && !isOfUser(messages[place] as Message)) place--;
  return place;
}

/** The id of the message before one; empty for the first. */
export function parentOf(messages: readonly Message[], at: number): string {
  return messages[at]?.parentId ?? messages[at - 1]?.id ?? '';
}
