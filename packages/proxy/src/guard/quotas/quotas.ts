import { AgentError, type Usage } from '@vitrine/core';
import type { Problem } from '../../problems/problem.ts';
import { problems } from '../../problems/problems.ts';
import { type Limiter, memoryLimiter, type Quota, toLimiter } from './limiter.ts';
import { createSlots } from './slots.ts';
import { reserve } from './spending.ts';

/** What one principal may use. Each of them is unlimited unless it is given; keys are the ids of principals. */
export type QuotaOptions = {
  /** Requests that may be made, e.g. `{ points: 60, seconds: 60 }`. */
  readonly requests?: Quota;
  /**
   * What answers may cost, in whatever `costOf` counts. What one may cost at most is set aside before a model is called,
   * with 8,192 tokens for an answer that neither page nor limits hold shorter, and settled by usage after. What may cost
   * more than all points is refused for good.
   */
  readonly cost?: Quota;
  /** The cost of an answer in points, also of one that is only expected. Default: all its tokens. */
  readonly costOf?: (usage: Usage, model: string) => number;
  /**
   * Answers that may run at once; with a limiter of one point in several processes, whose duration is the longest that
   * an answer may take.
   */
  readonly concurrent?: number | { readonly max: number; readonly limiter: Limiter };
};

/** An inference that was let in, until it is settled by what it has used, null for nothing. May be settled twice. */
export type Admission = { readonly settle: (used: Usage | null) => void };

/** The quotas of a proxy. */
export type Quotas = {
  readonly admit: (
    key: string,
    model: string,
    estimate: Usage,
  ) => Promise<Admission | { readonly problem: Problem }>;
};

type Undo = (used: Usage | null) => Promise<void>;

/** @throws AgentError `agent-invalid` for quotas that are no numbers above 0. */
export function createQuotas(options: QuotaOptions = {}): Quotas {
  const { costOf = (usage) => usage.totalTokens } = options;
  const slots = options.concurrent === undefined ? null : slotsOf(options.concurrent);
  const requests = options.requests ? toLimiter(options.requests, 'requests') : null;
  const cost = options.cost ? toLimiter(options.cost, 'cost') : null;

  async function enter(key: string, model: string, estimate: Usage, held: Undo[]): Promise<Problem | null> {
    if (slots) {
      const free = await slots.take(`slot:${key}`);
      if (!free) return problems.tooManyStreams;
      held.push(free);
    }
    if (requests) {
      const request = await reserve(requests, `request:${key}`, 1);
      if ('waitMs' in request) return problems.quotaExceeded('requests', request.waitMs);
    }
    if (cost) {
      const points = costOf(estimate, model);
      const reserved = await reserve(cost, `cost:${key}`, points);
      // No time that passes would let that in.
      if ('waitMs' in reserved && points > cost.points)
        return problems.beyondQuota(Math.ceil(points), cost.points);
      if ('waitMs' in reserved) return problems.quotaExceeded('tokens', reserved.waitMs);
      held.push((used) => reserved.settle(used === null ? 0 : costOf(used, model)));
    }
    return null;
  }

  return {
    async admit(key, model, estimate) {
      const held: Undo[] = [];
      const settle = (used: Usage | null): void => {
        // A limiter that fails now cannot be told to anybody; its own time limit gives back what it holds.
        for (const undo of held.splice(0))
          void Promise.resolve(used)
            .then(undo)
            .catch(() => undefined);
      };
      // Without its limiter nobody knows what a principal has used, so nobody is let in.
      const problem = await enter(key, model, estimate, held).catch(() => problems.quotaUnavailable);
      if (problem === null) return { settle };
      settle(null);
      return { problem };
    },
  };
}

function slotsOf(concurrent: NonNullable<QuotaOptions['concurrent']>): ReturnType<typeof createSlots> {
  const { max, limiter } =
    typeof concurrent === 'number' ? { max: concurrent, limiter: memoryLimiter(1, 0) } : concurrent;
  if (!(Number.isInteger(max) && max > 0) || limiter.points !== 1) {
    throw new AgentError(
      'agent-invalid',
      `quotas.concurrent is ${max} with a limiter of ${limiter.points} points; give a whole number above 0, and a limiter of 1 point.`,
    );
  }
  return createSlots(max, limiter);
}
