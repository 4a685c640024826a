import { systemEnv } from '@vitrine/core';
import { foreign, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import { type Fact, type Facts, promptOf, usageOf } from './call-facts.ts';

/** An integration of `registerTelemetry` of `ai` 7 that answers the pages of watched chats. */
export type VitrineTelemetry = {
  readonly onStart: (event: unknown) => void;
  readonly onLanguageModelCallStart: (event: unknown) => void;
  readonly onLanguageModelCallEnd: (event: unknown) => void;
  /** Answers a `GET` of a watched chat with the facts that it does not have yet, as JSON. */
  readonly answer: (request: Request) => Promise<Response>;
};

const waitMs = 1000;
const most = { chats: 50, facts: 1000 } as const;

/** The last run of a chat, and the requests that wait for its facts. */
type Run = { id: string; facts: Fact[]; readonly waiting: Set<() => void> };

/** A development server may load a module once for each route. */
type Holder = { vitrineTelemetryRuns?: Map<string, Run> };

function runsOf(): Map<string, Run> {
  return ((globalThis as Holder).vitrineTelemetryRuns ??= new Map());
}

export function vitrineTelemetry(): VitrineTelemetry {
  function runOf(chat: string): Run {
    const runs = runsOf();
    const run = runs.get(chat) ?? { id: '', facts: [], waiting: new Set() };
    runs.delete(chat);
    runs.set(chat, run);
    const [oldest] = runs.keys();
    if (runs.size > most.chats && oldest !== undefined) runs.delete(oldest);
    return run;
  }

  function handle(event: unknown, fact: Fact | null): void {
    const { functionId, callId } = foreign(event);
    const run = runOf(textOf(functionId) ?? '');
    if (fact === null || run.id !== callId || run.facts.length >= most.facts) return;
    run.facts.push(fact);
    for (const wake of run.waiting) wake();
  }

  return {
    onStart(event) {
      const { functionId, callId } = foreign(event);
      Object.assign(runOf(textOf(functionId) ?? ''), { id: textOf(callId) ?? '', facts: [] });
    },
    onLanguageModelCallStart: (event) => handle(event, promptOf(event)),
    onLanguageModelCallEnd: (event) => handle(event, usageOf(event)),
    async answer(request) {
      const query = new URL(request.url).searchParams;
      // Calls without a `functionId` are those of the only chat.
      const chat = query.get('chat') ?? '';
      const run = runOf(runsOf().has(chat) ? chat : '');
      const after = (): Facts => {
        const isPast = run.id === '' || run.id === query.get('past');
        const known = query.get('run') === run.id ? Number(query.get('after')) || 0 : 0;
        return isPast ? { run: null, facts: [] } : { run: run.id, facts: run.facts.slice(known) };
      };
      if (after().facts.length === 0) await oneOf(run.waiting);
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
      return new Response(JSON.stringify(after()), { headers });
    },
  };
}

/** Resolves when the set is woken, and after `waitMs` at the latest. */
function oneOf(waiting: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      waiting.delete(wake);
      resolve();
    };
    const cancel = systemEnv.schedule(waitMs, wake);
    waiting.add(wake);
  });
}
