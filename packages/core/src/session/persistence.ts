import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Plugin } from '../agent/plugin/plugin.ts';
import type { Env } from '../graph/env.ts';
import type { ErrorInfo } from '../graph/error-info.ts';
import type { AgentState } from '../graph/types.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import type { AgentEvent } from '../run/events.ts';
import type {
  FlushResult,
  PersistenceState,
  SessionPlace,
  SessionSettings,
  Turn,
  UnsentCommand,
} from './agent-session.ts';
import type { SessionEffect } from './machine/session-effect.ts';
import type { OutcomeOf, SessionInput } from './machine/session-input.ts';
import type { RunnerLimits, SessionModel } from './machine/session-model.ts';
import type { Others } from './machine/transition.ts';
import type { Replies } from './replies.ts';
import type { SessionMove } from './store/session-move.ts';
import type { SessionLoad, SessionRecord, SessionStore } from './store/session-store.ts';
import type { LinkConnection } from './store/tab-link.ts';

/** The part of a session that keeps it (its `SessionStore.attach` makes it), and shares it with other tabs. */
export type Persistence = {
  /** Resolves with the record of a read that is under way, and whether another tab leads. */
  readonly load: (begun: Promise<SessionLoad | null>) => Promise<Found>;
  /** Passes an input to the machine of this session, or to the one that leads. */
  readonly send: (input: SessionInput) => void;
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => void;
  /** Takes an event of that journal with the state after it. */
  readonly receive: (event: AgentEvent, after: AgentState) => void;
  readonly perform: (effect: StoreEffect) => void;
  /** Resolves when all changes were written or could not be, and no conflict is open; with a turn, of its own. */
  readonly settle: (turn?: Turn | null) => Promise<Settled>;
  /**
   * Resolves when all changes up to now are stored. Null without a store. Rejects with the error of the store
   * (`session-storage` when it is full or unavailable), or with `session-conflict` after a write of another writer.
   */
  readonly whenStored: (() => Promise<void>) | null;
  /** Writes what is due and resolves when that has ended, well or not; null while nothing is due. */
  readonly untilWritten: () => Promise<unknown> | null;
  /** The id of the stored journal that a new journal on this base continues; null for any other base. */
  readonly journalOf: (base: AgentState | null) => string | null;
  /** The facts that a snapshot shows of it. */
  readonly facts: () => ShownPersistence;
  /** Handles what other tabs and devices do to the stored session; null where nobody can. */
  readonly others: Others | null;
  /** The open promises of callers, here and in other tabs. */
  readonly replies: Replies;
  /** Performs the last write, then ends subscriptions and timers. */
  readonly close: () => Promise<void>;
};

/** A session as what keeps it sees it. */
export type AttachedSession = {
  readonly env: Env;
  readonly id: () => string | null;
  readonly sessions: SessionStore | undefined;
  readonly agent: AgentDefinition;
  readonly settings: () => SessionSettings;
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly mailbox: Mailbox<SessionInput>;
  readonly publisher: { readonly flush: () => void; readonly touch: () => void };
  /** The open promises of its own callers. */
  readonly replies: Replies;
  readonly post: (input: SessionInput) => void;
  /** Passes an input to the machine, performs its effects, and begins the next work. */
  readonly process: (input: SessionInput) => void;
  /** Reads the stored session again. */
  readonly openAgain: (commandId: string | null) => void;
  /** Ends what plugins have opened. */
  readonly endLife: () => void;
  /** The session apart from its journal, as it is now. */
  readonly current: () => Saved;
  /** Saves a new session that begins with the first `end` messages of a state. */
  readonly fork: (state: AgentState, sessionId: string, end: number) => Promise<void>;
};

/** An effect that changes or reads what is stored: one of the machine, or a note of the session. */
export type StoreEffect =
  | Extract<
      SessionEffect,
      { type: 'store' | 'read-again' | 'watch-run' | 'save-soon' | 'forget-store' | 'fall-silent' }
    >
  /** Records the id of a command, which is stored with its effects. */
  | { readonly type: 'note-command'; readonly id: string }
  /** Repeats a failed write soon. */
  | { readonly type: 'hurry' }
  /** Erases the stored old messages at once after they were replaced, and the title derived from them. */
  | { readonly type: 'erase' }
  /** Requests the document of the leader again after a gap. */
  | { readonly type: 'request-document' };

/** The result of reading a session. */
export type Found = {
  readonly record: SessionRecord | null;
  readonly error: ErrorInfo | null;
} & Pick<OutcomeOf<'opened'>, 'isFollowing' | 'takeover'>;

/** The outcome of writing all changes. */
export type Settled = FlushResult & {
  /** The id of the fork with unsaved answers, because another writer had changed the stored session. */
  readonly forkedTo: string | null;
};

/** The facts about the keeping of a session that its snapshot shows. */
export type ShownPersistence = {
  readonly title: string;
  readonly persistence: PersistenceState;
  readonly where: SessionPlace;
  readonly connection: LinkConnection;
  /** The commands of this tab that wait for the connection. */
  readonly unsent: readonly UnsentCommand[];
  /** The limits and the version of the agent that runs elsewhere; null when it runs here. */
  readonly limits: RunnerLimits | null;
  /** False while a write is due, active or failed, or a command of this tab has not reached the leader. */
  readonly isSettled: boolean;
};

/** The session apart from its journal, as its machine and its agent hold it. */
export type Saved = Pick<
  SessionRecord,
  'agentName' | 'queue' | 'draft' | 'branches' | 'checkpoints' | 'state'
> & {
  readonly id: string | null;
  /** True while the stored session could not be read. Nothing is written then. */
  readonly isUnread: boolean;
  /** All plugins; the state of those with `persist: 'none'` is not saved. */
  readonly plugins: readonly Plugin[];
  /** The title that a person chose; null derives it from the first message. */
  readonly title: string | null;
  /** The mark of a move; null for a session that runs here. */
  readonly movedTo: SessionMove | null;
};
