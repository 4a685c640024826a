import type { AgentChange, AgentEvent } from '@vitrine/core/internal/run/events';
import type { ErrorInfo } from '@vitrine/core/internal/graph/error-info';
import type { Turn } from '@vitrine/core/internal/session/agent-session';
import type { SessionCommand } from '@vitrine/core/internal/session/machine/session-input';
import type { Cursor, TabDocument, TabView } from '@vitrine/core/internal/session/machine/session-model';

/** A protocol between pages, by its name and version. */
type Protocol = { readonly format: string; readonly version: number };

export type Envelope = Protocol & { readonly message: unknown };

/** The envelope of a protocol in any version; null for anything else. */
export function envelopeIn(data: unknown, { format }: Protocol): Envelope | null {
  const given = data as Envelope | null;
  return given?.format === format ? given : null;
}

/** The protocol between a runner and its followers. Messages of another version are ignored. */
const link: Protocol = { format: 'vitrine-link', version: 3 };

/** The position of a live message: the leadership term, higher with every leader, and the message number within it. */
export type Place = { readonly term: number; readonly n: number };

/** The messages between the session that runs, the leader, and those that follow it. */
export type LinkMessage =
  /**
   * From a follower: the cursor that it has, null for none, and the last live message of the current term that it took.
   */
  | { readonly type: 'hello'; readonly id: string; readonly have: Cursor | null; readonly seen: Place | null }
  /** From a follower that leaves. */
  | { readonly type: 'bye'; readonly id: string }
  /** From the transport of a follower, to it alone: the connection was made again, so messages may be missing. */
  | { readonly type: 'lost' }
  /** From the transport of a follower, to it alone: it cannot follow, and why. */
  | { readonly type: 'problem'; readonly error: ErrorInfo }
  /** From a follower with a command that only it can do: requests the lock. */
  | { readonly type: 'wanted' }
  | { readonly type: 'command'; readonly command: SessionCommand }
  /** From a new leader, and the answer to a follower that is up to date. */
  | { readonly type: 'term'; readonly term: number }
  /** The whole state, for the follower that asked, or for all (`to: null`) when a new journal begins. */
  | ({
      readonly type: 'document';
      readonly to: string | null;
      /** The cursor of the state; null while a part of it is not stored. */
      readonly at: Cursor | null;
      readonly document: TabDocument;
      readonly view: TabView;
    } & Place)
  /** The events that the follower which asked lacks: those of the stored records, and the live ones behind them. */
  | ({
      readonly type: 'records';
      readonly to: string;
      readonly from: Cursor;
      readonly at: Cursor;
      readonly records: readonly AgentChange[];
      readonly preview: readonly AgentChange[];
      readonly view: TabView;
    } & Place)
  /** The merged events since the message before, and the changed fields of the view. */
  | ({
      readonly type: 'batch';
      readonly events: readonly AgentEvent[];
      readonly view: Partial<TabView>;
    } & Place)
  /** The result of a command, shown after the message with the same number. */
  | ({
      readonly type: 'answer';
      readonly commandId: string;
      readonly turn: Turn | null;
      readonly error: ErrorInfo | null;
    } & Place);

/** The answer of the leader to a command. */
export type Answer = Extract<LinkMessage, { readonly type: 'answer' }>;

export type LeaderMessage = Extract<LinkMessage, { readonly term: number }>;

export function seal(message: LinkMessage): Envelope {
  return { ...link, message };
}

/** The message of another tab; null when it has another format. */
export function unseal(data: unknown): LinkMessage | null {
  const given = envelopeIn(data, link);
  return given?.version === link.version ? ((given.message ?? null) as LinkMessage | null) : null;
}
