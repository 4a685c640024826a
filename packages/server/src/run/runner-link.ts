import { type LinkMessage, unseal, seal } from '@vitrine/persist/internal/link/protocol';
import { type LinkPosition, linkToJSON } from '@vitrine/persist/internal/link/link-json';
import type { SessionLoad, TabLink } from '@vitrine/persist';
import type { BusPlace, StoredAt } from './bus-message.ts';

/** A message that a runner sends to its followers. */
export type RunnerMessage = Extract<LinkMessage, { readonly term: number }>;

/** The link of a session that always leads, as its runner holds it. */
export type RunnerLink = ReturnType<typeof createRunnerLink>;

/** Creates the link of a runner. A server is the tab that always holds the lock. */
export function createRunnerLink(onMessage: (message: RunnerMessage) => void) {
  let receive = (_data: unknown): void => undefined;
  let load: SessionLoad | null = null;
  /** The cursor of the follower that is being answered, and the stored events between it and the runner. */
  let before: Before | null = null;

  function say(message: RunnerMessage): void {
    if (before === null || message.type !== 'records') return onMessage(message);
    onMessage({ ...message, from: before.from, records: [...before.records, ...message.records] });
  }

  return {
    /** Gives a message to the session, as a follower does. */
    give: (message: LinkMessage): void => receive(seal(message)),
    /** Notes the stored session with which the runner begins: it was told before by others. */
    began: (loaded: SessionLoad): void => void (load = load?.kind === 'there' ? load : loaded),
    /** Asks the session for what a follower at a position lacks. It answers at once. */
    greet(id: string, { have, seen }: LinkPosition): void {
      before = have && storedBehind(load, have);
      receive(seal({ type: 'hello', id, have: before?.at ?? have, seen }));
      before = null;
    },
    tabs: {
      lock(_name, onTurn) {
        queueMicrotask(() => onTurn(true));
        return () => undefined;
      },
      open(_name, listener) {
        receive = listener;
        return {
          post(data) {
            const message = unseal(data);
            if (message !== null && 'term' in message) say(message);
          },
          close: () => (receive = () => undefined),
        };
      },
    } satisfies TabLink,
  };
}

type Before = Pick<Extract<LinkMessage, { readonly type: 'records' }>, 'from' | 'at' | 'records'>;

/** The stored events behind a cursor, up to the end of what was read; null where they are folded, or of another journal. */
export function storedBehind(load: SessionLoad | null, from: Before['from']): Before | null {
  if (load?.kind !== 'there') return null;
  const { session, recordStarts = [] } = load;
  const { id: journalId, records, tail } = session.journal;
  const isLast = from.record === records;
  const start = isLast ? tail.length : recordStarts[from.record - (records - recordStarts.length)];
  if (journalId !== from.journalId || start === undefined) return null;
  return { from, at: { journalId, record: records }, records: tail.slice(start) };
}

/** A message of a runner as text, with the epoch of its lease as its term, and the prompts for who `inspects`. */
export function runnerText(message: RunnerMessage, epoch: number, inspects: boolean): string {
  const given = { ...message, term: epoch };
  const to = 'to' in given ? { to: null } : {};
  return JSON.stringify(linkToJSON({ ...given, ...to } as LinkMessage, { hidesPrompts: !inspects }));
}

/** The position of a message; a term alone stands before the first message. */
export function placeOf(message: RunnerMessage, epoch: number): BusPlace {
  return { epoch, n: 'n' in message ? message.n : 0 };
}

/** The stored place that a message tells; null for a whole state with unstored parts, undefined for none. */
export function storedIn(message: RunnerMessage): StoredAt | null | undefined {
  if (message.type === 'batch') return message.view.stored;
  if (message.type !== 'document' && message.type !== 'records') return undefined;
  return message.at && { ...message.at, n: message.n };
}
