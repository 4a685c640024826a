import type { AgentEvent, AgentState } from '@vitrine/core';
import type { SessionSettings } from '@vitrine/core/types';
import { warnOnce } from './development.ts';

/** A component that uses a session, with the settings of its last committed render. */
export type SessionUser = {
  readonly settings: () => SessionSettings;
  readonly update: (settings: SessionSettings) => void;
};

/** Creates a user with its settings. */
export function createSessionUser(initial: SessionSettings): SessionUser {
  let settings = initial;
  return {
    settings: () => settings,
    update(next) {
      settings = next;
    },
  };
}

/** The components that share one session, and their merged settings. */
export type SessionUsers = {
  readonly count: () => number;
  readonly add: (user: SessionUser) => void;
  readonly remove: (user: SessionUser) => void;
  /**
   * Merges the settings: callbacks of all; the agent of the elected user; `publish`, `onBusy` and
   * `onConflict` of the first that sets one; `resume` if any sets it.
   */
  readonly settings: () => SessionSettings;
  /**
   * Chooses the user whose agent answers. Call it only between commits, when all components have updated
   * their settings.
   */
  readonly elect: () => void;
};

/**
 * Creates the set of users of a session. The first agent answers as long as a component names it, so that
 * two agents never alternate from render to render. Development builds warn about a second agent.
 */
export function createSessionUsers(first: SessionSettings, name: () => string): SessionUsers {
  const users = new Set<SessionUser>();
  let agent = first.agent;
  let elected: SessionUser | null = null;

  const callEach = (call: (settings: SessionSettings) => void): void => {
    for (const user of users) callSafely(() => call(user.settings()));
  };

  function elect(): void {
    const all = [...users];
    if (elected === null || !users.has(elected))
      elected = all.find((user) => user.settings().agent === agent) ?? all[0] ?? null;
    if (elected === null) return;
    agent = elected.settings().agent;
    const other = all.find((user) => user.settings().agent !== agent);
    if (other === undefined) return;
    const [kept, second] = [agent, other.settings().agent];
    warnOnce(users, ({ twoAgents }) => twoAgents(name(), kept, second));
  }

  return {
    count: () => users.size,
    add: (user) => void users.add(user),
    remove: (user) => void users.delete(user),
    elect,
    settings() {
      if (elected !== null && users.has(elected)) agent = elected.settings().agent;
      const all = users.size === 0 ? [first] : [...users].map((user) => user.settings());
      return {
        agent,
        publish: all.find(({ publish }) => publish !== undefined)?.publish,
        onBusy: all.find(({ onBusy }) => onBusy !== undefined)?.onBusy,
        onConflict: all.find(({ onConflict }) => onConflict !== undefined)?.onConflict,
        resume: all.some(({ resume }) => resume === true),
        onFinish: (info) => callEach(({ onFinish }) => onFinish?.(info)),
        onError: (error) => callEach(({ onError }) => onError?.(error)),
        onEvent: (event: AgentEvent, state: AgentState) => callEach(({ onEvent }) => onEvent?.(event, state)),
      };
    },
  };
}

/** Tells whether settings differ in more than callbacks, so that the session must be configured again. */
export function differ(a: SessionSettings, b: SessionSettings): boolean {
  const keys = ['agent', 'publish', 'onBusy', 'onConflict', 'resume'] as const;
  return keys.some((key) => a[key] !== b[key]);
}

/** Calls a callback; its error is rethrown asynchronously, so that the other callbacks run. */
function callSafely(call: () => void): void {
  try {
    call();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
