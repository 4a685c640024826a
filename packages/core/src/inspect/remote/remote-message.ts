import type { AgentEvent } from '../../run/events.ts';
import type { JournalDocument } from '../replay/journal-document.ts';

/** The form of what pages say to each other; another one is not understood. */
export const remoteVersion = 1;
const remoteFormat = 'vitrine-remote';

/** Which session of which page. */
type Address = { readonly page: string; readonly source: string };

/** What a page tells of one session; `n` counts its messages, so that one that was lost is missed. */
export type ToldMessage =
  /** Its journals, oldest first, as far as they go: who has a part of them takes the rest. */
  | (Address & {
      readonly type: 'journals';
      readonly n: number;
      readonly name: string;
      readonly journals: readonly JournalDocument[];
    })
  | (Address & {
      readonly type: 'events';
      readonly n: number;
      readonly journalId: string;
      readonly events: readonly AgentEvent[];
    })
  /** It is not announced any more. */
  | (Address & { readonly type: 'gone' });

export type RemoteMessage =
  | ToldMessage
  /** Of a page that shares: who watches already says hello again. */
  | { readonly type: 'here' }
  /** Of a page that watches: whoever has sessions tells of all. */
  | { readonly type: 'hello' }
  /** Of a page that watches and has missed something of one session. */
  | (Address & { readonly type: 'again' })
  /** Of a page that tells nothing more, of any of its sessions. */
  | { readonly type: 'bye'; readonly page: string };

export function sealed(message: RemoteMessage): object {
  return { format: remoteFormat, version: remoteVersion, message };
}

/** What the other page says; its version where that is another one; null when it is none of ours. */
export function opened(data: unknown): RemoteMessage | { readonly otherVersion: number } | null {
  const given = data as {
    readonly format?: unknown;
    readonly version?: unknown;
    readonly message?: unknown;
  } | null;
  if (given?.format !== remoteFormat) return null;
  if (given.version !== remoteVersion) return { otherVersion: Number(given.version) };
  return isMessage(given.message) ? given.message : null;
}

/** How each message looks from outside; what is inside of journals and events is read where it is used. */
const fields: Readonly<
  Record<RemoteMessage['type'], Readonly<Record<string, 'string' | 'number' | 'object'>>>
> = {
  here: {},
  hello: {},
  bye: { page: 'string' },
  again: { page: 'string', source: 'string' },
  gone: { page: 'string', source: 'string' },
  journals: { page: 'string', source: 'string', n: 'number', name: 'string', journals: 'object' },
  events: { page: 'string', source: 'string', n: 'number', journalId: 'string', events: 'object' },
};

function isMessage(value: unknown): value is RemoteMessage {
  if (typeof value !== 'object' || value === null) return false;
  const message = value as Readonly<Record<string, unknown>>;
  const { type } = message;
  if (typeof type !== 'string' || !Object.hasOwn(fields, type)) return false;
  return Object.entries(fields[type as RemoteMessage['type']]).every(
    ([name, kind]) => typeof message[name] === kind && message[name] !== null,
  );
}
