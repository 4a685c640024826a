import type { AgentEvent, AgentState } from '@vitrine/core';
import type { SessionSettings } from '@vitrine/core/types';
import { complainOnce } from './development.ts';

/** One component that uses a session, with the settings of its last committed render. */
export type SessionUser = {
  readonly settings: () => SessionSettings;
  readonly update: (settings: SessionSettings) => void;
};

/** Remembers what a component wants of its session. */
export function createSessionUser(initial: SessionSettings): SessionUser {
  let settings = initial;
  return {
    settings: () => settings,
    update(next) {
      settings = next;
    },
  };
}

/** The components that share one session, and what follows from their settings together. */
export type SessionUsers = {
  readonly count: () => number;
  readonly add: (user: SessionUser) => void;
  readonly remove: (user: SessionUser) => void;
  /** Callbacks of all; the agent of the first; `publish`, `onBusy` and `onConflict` of the first that names one; `resume` if any wants it. */
  readonly settings: () => SessionSettings;
  /** Finds out whose agent answers. Only between commits, when all components have told theirs. */
  readonly elect: () => void;
};

/**
 * The first agent answers for as long as a component names it: two components that name two agents for one session are
 * told so in development, and nothing changes hands from render to render.
 */
export function createSessionUsers(first: SessionSettings, name: () => string): SessionUsers {
  const users = new Set<SessionUser>();
  let agent = first.agent;
  let speaker: SessionUser | null = null;

  const callEach = (call: (settings: SessionSettings) => void): void => {
    for (const user of users) callSafely(() => call(user.settings()));
  };

  function elect(): void {
    const all = [...users];
    if (speaker === null || !users.has(speaker))
      speaker = all.find((user) => user.settings().agent === agent) ?? all[0] ?? null;
    if (speaker === null) return;
    agent = speaker.settings().agent;
    const other = all.find((user) => user.settings().agent !== agent);
    if (other === undefined) return;
    const [kept, second] = [agent, other.settings().agent];
    complainOnce(users, ({ twoAgents }) => twoAgents(name(), kept, second));
  }

  return {
    count: () => users.size,
    add: (user) => void users.add(user),
    remove: (user) => void users.delete(user),
    elect,
    settings() {
      if (speaker !== null && users.has(speaker)) agent = speaker.settings().agent;
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

/** Whether a session that has the one settings must be told of the other; callbacks are passed on as they are. */
export function differ(a: SessionSettings, b: SessionSettings): boolean {
  const keys = ['agent', 'publish', 'onBusy', 'onConflict', 'resume'] as const;
  return keys.some((key) => a[key] !== b[key]);
}

/** A callback that throws must not keep the others from being called. */
function callSafely(call: () => void): void {
  try {
    call();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
