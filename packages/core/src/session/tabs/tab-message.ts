import type { ErrorInfo } from '../../graph/error-info.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { Turn } from '../agent-session.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import type { TabDocument } from '../machine/tab-document.ts';
import type { TabView } from '../machine/tab-view.ts';

/** The form of what tabs say to each other; another one is not understood. */
export const tabFormat = 1;

/** Where a runner stands in what it tells: its reign, raised with every runner, and the number of the message in it. */
export type Place = { readonly reign: number; readonly n: number };

export type TabMessage =
  /** Of a follower, which wants the document. */
  | { readonly type: 'hello' }
  /** Of a follower, which has something to do that no other tab can. */
  | { readonly type: 'wanted' }
  | { readonly type: 'command'; readonly command: SessionCommand }
  /** Of a new runner. */
  | { readonly type: 'reign'; readonly reign: number }
  | ({ readonly type: 'document'; readonly document: TabDocument } & Place)
  /** What has happened since the message before: events, merged, and what has changed of the view. */
  | ({
      readonly type: 'batch';
      readonly events: readonly AgentEvent[];
      readonly view: Partial<TabView>;
    } & Place)
  /** What came of a command; it is shown with the message of the same number. */
  | ({
      readonly type: 'answer';
      readonly commandId: string;
      readonly turn: Turn | null;
      readonly error: ErrorInfo | null;
    } & Place);

/** What a runner says. */
export type RunnerMessage = Exclude<TabMessage, { readonly type: 'hello' | 'wanted' | 'command' }>;

type Sealed = { readonly format: typeof tabFormat; readonly message: TabMessage };

export function sealed(message: TabMessage): Sealed {
  return { format: tabFormat, message };
}

/** What another tab says; null when it speaks another format. */
export function opened(data: unknown): TabMessage | null {
  const given = data as Partial<Sealed> | null;
  return given?.format === tabFormat ? (given.message ?? null) : null;
}
