import type { Env } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { Replies } from '../replies.ts';
import type { SessionSaver } from '../saving/session-saver.ts';
import type { SessionInput } from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { SessionOutbox } from '../stores/session-outbox.ts';
import type { TabLink } from '../stores/tab-link.ts';

/** The parts of a session that its tab link uses. */
export type SessionTabsOptions = {
  readonly env: Env;
  readonly link: TabLink;
  /** The name of the lock and of the channel of this session. */
  readonly name: string;
  readonly sessionId: string;
  /** The stored queue of commands for the next leader; null when the store has none. */
  readonly outbox: SessionOutbox | null;
  readonly agentVersion: () => string | null;
  readonly model: () => SessionModel;
  readonly state: () => AgentState;
  readonly saver: Pick<SessionSaver, 'flush' | 'pause' | 'title' | 'persistence'>;
  readonly publisher: Pick<Publisher, 'flush'>;
  readonly replies: Replies;
  readonly post: (input: SessionInput) => void;
  /** Called when this tab gets the lock: reads the store and continues the session. */
  readonly takeOver: () => void;
};
