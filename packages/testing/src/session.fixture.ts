import type { Tool } from '@vitrine/core/internal/agent/tool';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { createDeferred, type Deferred } from '@vitrine/core/internal/kit/deferred';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { liveRecord } from '@vitrine/core/internal/session/store/live-record';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { fakeTool } from './fake-tool.ts';

/** The texts of a state, without tool results. */
export function texts(state: AgentState): string[] {
  return messages(state).flatMap((message) => (message.role === 'tool' ? [] : [text(message)]));
}

/** The texts that a session shows. */
export function shownTexts(session: AgentSession): string[] {
  return texts(session.store.getState().state);
}

/** The stored state of a session, with the events after its snapshot. */
export async function storedState(sessions: SessionStore, id = 'a'): Promise<AgentState> {
  const record = loadedSession(await sessions.load(id));
  if (record === null) throw new Error(`Nothing is stored of session ${id}`);
  return liveRecord(record).state;
}

/** A tool that runs until the test releases it; `runs` lists its inputs. */
export function heldTool(name: string, init: Partial<Tool> = {}): HeldTool {
  const runs: JsonValue[] = [];
  let open: Deferred<JsonValue>[] = [];
  const tool = fakeTool(name, (input) => {
    runs.push(input);
    const deferred = createDeferred<JsonValue>();
    open.push(deferred);
    return deferred.promise;
  });
  return {
    tool: { ...tool, ...init },
    runs,
    end(value = 'done') {
      const ended = open;
      open = [];
      for (const deferred of ended) deferred.resolve(value);
    },
  };
}
export type HeldTool = {
  readonly tool: Tool<JsonValue, JsonValue>;
  readonly runs: readonly JsonValue[];
  readonly end: (value?: JsonValue) => void;
};

/** A tool that asks for approval and then answers at once. */
export function askingTool(name: string): HeldTool {
  const runs: JsonValue[] = [];
  const tool = fakeTool(name, (input) => {
    runs.push(input);
    return `${name} ran`;
  });
  return { tool: { ...tool, needsApproval: () => true }, runs, end: () => undefined };
}

/** A store whose loads and writes (`save`) wait for `release` after `hold` is called. */
export function gatedSessions(
  store: SessionStore,
): SessionStore & { hold: (...what: ('load' | 'save')[]) => void; release: () => void } {
  let held: readonly string[] = [];
  let gate = createDeferred<void>();
  const pass = async (what: string): Promise<void> => {
    if (held.includes(what)) await gate.promise;
  };
  const gated =
    (append: SessionStore['append']): typeof append =>
    async (id, written) => {
      await pass('save');
      return append(id, written);
    };
  return {
    ...store,
    hold(...what) {
      held = what;
      gate = createDeferred<void>();
    },
    release() {
      held = [];
      gate.resolve();
    },
    async load(id) {
      await pass('load');
      return store.load(id);
    },
    async save(record, options) {
      await pass('save');
      return store.save(record, options);
    },
    append: gated(store.append),
  };
}

/** A browser Storage with a limit. */
export function fakeStorage(limit: number = Infinity): Storage & {
  readonly items: Map<string, string>;
  limit: number;
} {
  const items = new Map<string, string>();
  return {
    items,
    limit,
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, value) {
      const used = [...items].reduce((sum, [name, stored]) => sum + (name === key ? 0 : stored.length), 0);
      if (used + value.length > this.limit) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, value);
    },
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}
