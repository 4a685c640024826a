import type { AgentEvent } from '@vitrine/core/internal/run/events';
import type { SourceKnowledge } from '@vitrine/core/internal/session/hub';
import { type Envelope, envelopeIn } from '@vitrine/persist/internal/link/protocol';
import type { JournalDocument } from '../replay/journal-document.ts';

/** The protocol between a page and a panel elsewhere; other versions are not read. */
export const remote = { format: 'vitrine-remote', version: 1 } as const;

type Address = { readonly page: string; readonly source: string };

/** A message about one session; `n` counts its messages, so that a gap shows a lost one. */
export type SessionMessage =
  /** The journals, oldest first and as far as they go. A receiver with a part of them takes the rest. */
  | (Address & {
      readonly type: 'journals';
      readonly n: number;
      readonly name: string;
      readonly knows?: SourceKnowledge;
      readonly journals: readonly JournalDocument[];
    })
  | (Address & {
      readonly type: 'events';
      readonly n: number;
      readonly journalId: string;
      readonly events: readonly AgentEvent[];
    })
  /** The session is not announced any more. */
  | (Address & { readonly type: 'gone' });

export type RemoteMessage =
  | SessionMessage
  /** A page starts to share. Watching pages answer with `hello`. */
  | { readonly type: 'here' }
  /** A page starts to watch. Sharing pages answer with all their sessions. */
  | { readonly type: 'hello' }
  /** A watching page missed a message of a session. */
  | (Address & { readonly type: 'again' })
  /** A page stops sharing all its sessions. */
  | { readonly type: 'bye'; readonly page: string };

export function sealRemote(message: RemoteMessage): Envelope {
  return { ...remote, message };
}

/** Unwraps a message of another page: its version when that differs, null when it is not ours. */
export function openRemote(data: unknown): RemoteMessage | { readonly otherVersion: number } | null {
  const given = envelopeIn(data, remote);
  if (given === null) return null;
  if (given.version !== remote.version) return { otherVersion: Number(given.version) };
  return isMessage(given.message) ? given.message : null;
}

/** The field types of each message. The content of journals and events is checked where it is used. */
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
