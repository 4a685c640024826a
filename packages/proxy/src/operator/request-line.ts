import type { ProxyModel } from '../providers/proxy-model.ts';
import type { ProxyLogEntry } from './log-entry.ts';
import { explainError } from '@vitrine/core';
import { providers } from '../providers/providers.ts';

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

/** The provider setting that an error code points at. */
const settingOf: Readonly<Record<string, 'apiKey' | 'baseURL'>> = {
  'upstream-unauthorized': 'apiKey',
  'upstream-quota-exhausted': 'apiKey',
  'upstream-rate-limited': 'apiKey',
  'upstream-unreachable': 'baseURL',
};

/**
 * The remedy for an error code: a sentence for the operator with provider, model and environment variable, where they
 * are known.
 */
function hintOf(code: string, model: Pick<ProxyModel, 'id' | 'provider'> | null): string {
  const variable = variableOf(code, model?.provider);
  const about = model === null ? {} : { provider: model.provider, model: model.id };
  return explainError({ code, data: { ...about, ...(variable === undefined ? {} : { variable }) } }).operator;
}

function variableOf(code: string, providerId: string | undefined): string | undefined {
  if (code === 'unknown-model' || code === 'upstream-unknown-model') return 'VITRINE_MODELS';
  const setting = Object.hasOwn(settingOf, code) ? settingOf[code] : undefined;
  const provider = providers.find(({ id }) => id === providerId);
  return setting === undefined ? undefined : provider?.variables[setting];
}
