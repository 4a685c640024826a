import type { Env } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { Replies } from '../replies.ts';
import type { SessionSaver } from '../saving/session-saver.ts';
import type { SessionInput } from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { TabLink } from '../stores/tab-link.ts';

/** What a session brings along to be one of several tabs. */
export type SessionTabsOptions = {
  readonly env: Env;
  readonly link: TabLink;
  /** The lock and the channel of this session. */
  readonly name: string;
  readonly agentVersion: () => string | null;
  readonly model: () => SessionModel;
  readonly state: () => AgentState;
  readonly saver: Pick<SessionSaver, 'flush' | 'pause' | 'title' | 'persistence'>;
  readonly publisher: Pick<Publisher, 'flush'>;
  readonly replies: Replies;
  readonly post: (input: SessionInput) => void;
  /** The lock is here: reads what is stored and goes on. */
  readonly takeOver: () => void;
};
