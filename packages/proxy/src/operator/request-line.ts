import type { ProxyModel } from '../providers/proxy-model.ts';
import { hintOf } from './hint-of.ts';
import type { ProxyLogEntry } from './log-entry.ts';

/** Fields of the line that become known while a request is handled. */
type Facts = Partial<Omit<ProxyLogEntry, 'requestId' | 'route' | 'hint' | 'model'>> & {
  readonly model?: ProxyModel;
};

/** The log line of a request, until it is written. */
export type RequestLine = {
  readonly requestId: string;
  readonly note: (facts: Facts) => void;
  /** Defers the line from the answer of the request to the end of its stream. */
  readonly wait: (isWaiting: boolean) => void;
  /** Writes the line, unless it waits for a stream. */
  readonly answered: (status: number) => void;
  /** Writes the line at the end of the stream. */
  readonly ended: (facts: Facts) => void;
};

/** Opens the line of a new request. */
export function openRequestLine(route: string, log: (entry: ProxyLogEntry) => void): RequestLine {
  const requestId = crypto.randomUUID();
  const startedAt = performance.now();
  let known: Facts = {};
  let isWaiting = false;

  function write(facts: Facts): void {
    const { model, status = 200, ms = performance.now() - startedAt, ...rest } = { ...known, ...facts };
    const code = rest.code ?? null;
    log({
      requestId,
      route,
      outcome: rest.outcome ?? outcomeOf(status, code),
      code,
      status,
      principal: rest.principal ?? null,
      model: model?.id ?? null,
      id: rest.id ?? null,
      inputTokens: rest.inputTokens ?? null,
      outputTokens: rest.outputTokens ?? null,
      cost: rest.cost ?? null,
      ms: Math.round(ms),
      firstEventMs: rounded(rest.firstEventMs),
      cause: rest.cause ?? null,
      hint: code === null || isWanted(code) ? null : hintOf(code, model ?? null),
    });
  }

  return {
    requestId,
    note: (facts) => void (known = { ...known, ...facts }),
    wait: (is) => void (isWaiting = is),
    answered(status) {
      if (!isWaiting) write({ status });
    },
    ended: write,
  };
}

function rounded(ms: number | null | undefined): number | null {
  return typeof ms === 'number' ? Math.round(ms) : null;
}

function outcomeOf(status: number, code: string | null): ProxyLogEntry['outcome'] {
  if (status < 400) return 'read';
  if (status === 500) return 'failed';
  return code === 'cancelled' ? 'cancelled' : 'refused';
}

/** True for codes that the caller caused on purpose, which need no remedy. */
function isWanted(code: string): boolean {
  return code === 'cancelled' || code === 'stream-cancelled';
}
