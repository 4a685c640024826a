import { wrongSetting } from '../kit/env-record.ts';
import type { Usage } from '@vitrine/core';
import { type Problem, problems } from './problems.ts';
import {
  inTime,
  type Limiter,
  type LimiterState,
  memoryLimiter,
  type Quota,
  stateOf,
  toLimiter,
} from './limiter.ts';

/** Quotas of one principal. Each one is unlimited unless it is given; keys are the ids of principals. */
export type QuotaOptions = {
  /** Requests in a window, as `{ points: 60, seconds: 60 }`; one that is refused for its body counts as well. */
  readonly requests?: Quota;
  /**
   * The cost of answers, in points of `costOf`. Before a model is called, the most that the answer may cost is
   * reserved: a token for every byte of the request and its files, and the output limit. An answer that neither page
   * nor limits bound gets at most 8,192 tokens. The usage that the provider reports settles the reservation; without a
   * report all of it is spent. A request that may cost more than all points is refused for good.
   */
  readonly cost?: Quota;
  /** The actual or expected cost of an answer in points. Default: all its tokens. */
  readonly costOf?: (usage: Usage, model: string) => number;
  /**
   * Answers that may run at once, including the upload of their requests. For several processes give a limiter of one
   * point, whose duration is the longest time of an answer.
   */
  readonly concurrent?: number | { readonly max: number; readonly limiter: Limiter };
};

/** The kind of a place: that of a stream of events, or of a request. Each kind has as many. */
type Place = 'stream' | 'request';

type MostOfCall = { readonly model: string; readonly most: Usage };

/** An admitted request, until it is settled. */
export type Admission = {
  /** Reserves the most that any of these calls may cost. Returns a problem when too few points are left. */
  readonly reserve: (calls: readonly MostOfCall[]) => Promise<Problem | null>;
  /** Frees the place and returns the unused points; null for no answer. `model` answered. Default: the first one. */
  readonly settle: (used: Usage | null, model?: string) => void;
};

export type Quotas = {
  /** True when costs are counted, so every answer needs a limit. */
  readonly boundsCost: boolean;
  /**
   * Admits a request before its body is read: takes a place, counts the request and holds one point of the cost. A
   * caller without points therefore cannot upload. `standing` collects the remaining points.
   */
  readonly enter: (
    key: string,
    standing: Standing,
    /** Default: `stream`. */
    kind?: Place,
  ) => Promise<Admission | { readonly problem: Problem }>;
  /** Counts the cost of an answer that was not admitted here, and of a call that another one replaced. */
  readonly charge: (key: string, used: Usage, model?: string) => void;
};

type Undo = (used: Usage | null, model?: string) => Promise<void>;

/** Creates the quotas of a proxy. @throws AgentError `agent-invalid` for quotas that are no numbers above 0. */
export function createQuotas(options: QuotaOptions = {}): Quotas {
  const { costOf = (usage) => usage.totalTokens } = options;
  const slots = options.concurrent === undefined ? null : checkedSlots(options.concurrent);
  const requests = options.requests ? toLimiter(options.requests, 'requests') : null;
  const cost = options.cost ? toLimiter(options.cost, 'cost') : null;

  async function enter(key: string, standing: Standing, held: Undo[], kind: Place): Promise<Problem | null> {
    if (slots) {
      const free = await takeSlot(slots, `${kind === 'stream' ? 'slot' : 'reading'}:${key}`);
      if (!free) return problems.tooManyStreams;
      held.push(free);
    }
    if (requests) {
      const request = await reserve(requests, `request:${key}`, 1);
      if ('refused' in request) return refusal('requests', requests, request.refused, standing);
      standing.note('requests', requests, request.state);
    }
    return null;
  }

  /** Reserves points of the cost; `settle` receives the points that were spent. */
  async function hold(
    key: string,
    points: number,
    standing: Standing,
  ): Promise<Reservation['settle'] | { readonly problem: Problem }> {
    if (!cost) return async () => undefined;
    const reserved = await reserve(cost, `cost:${key}`, points);
    if ('refused' in reserved) return { problem: refusal('cost', cost, reserved.refused, standing) };
    standing.note('cost', cost, reserved.state);
    return reserved.settle;
  }

  function admission(key: string, held: Undo[], first: Reservation['settle'], standing: Standing): Admission {
    let settleCost = first;
    let model = '';

    async function setAside(calls: readonly MostOfCall[]): Promise<Problem | null> {
      const points = Math.max(...calls.map((call) => costOf(call.most, call.model)));
      if (!(points >= 0 && points < Infinity)) throw new RangeError('A cost has to be a number from 0 on.');
      // No waiting time would let such a request in.
      if (cost && points > cost.points) return problems.beyondQuota(Math.ceil(points), cost.points);
      const rest = await hold(key, Math.max(0, Math.ceil(points) - 1), standing);
      if ('problem' in rest) return rest.problem;
      settleCost = async (spent) => {
        await Promise.all([first(Math.min(spent, 1)), rest(Math.max(0, spent - 1))]);
      };
      return null;
    }

    held.push(async (used, by = model) => settleCost(used === null ? 0 : costOf(used, by)));
    return {
      async reserve(calls) {
        model = calls[0]?.model ?? '';
        if (!cost) return null;
        return setAside(calls).catch(() => problems.quotaUnavailable);
      },
      settle: (used, by) => settleAll(held, used, by),
    };
  }

  return {
    boundsCost: cost !== null,
    async enter(key, standing, kind = 'stream') {
      const held: Undo[] = [];
      // The proxy does not know the usage without its limiter, so it refuses the request.
      try {
        const problem = await enter(key, standing, held, kind);
        const first = problem === null ? await hold(key, 1, standing) : { problem };
        if (!('problem' in first)) return admission(key, held, first, standing);
        settleAll(held, null);
        return first;
      } catch {
        settleAll(held, null);
        return { problem: problems.quotaUnavailable };
      }
    },
    charge: (key, used, model = '') => charge(cost, key, () => costOf(used, model)),
  };
}

/** Takes the points of an answer that has ended, whatever is left. */
function charge(cost: Limiter | null, key: string, points: () => number): void {
  const take = async (): Promise<unknown> => cost?.penalty(`cost:${key}`, Math.ceil(points()));
  void take().catch(() => undefined);
}

/** Settles all reservations. A limiter that fails here cannot be reported; its own time limit returns its points. */
function settleAll(held: Undo[], used: Usage | null, model?: string): void {
  for (const undo of held.splice(0))
    void Promise.resolve()
      .then(() => undo(used, model))
      .catch(() => undefined);
}

function refusal(
  name: 'requests' | 'cost',
  limiter: Limiter,
  state: LimiterState,
  standing: Standing,
): Problem {
  standing.note(name, limiter, state);
  return problems.quotaExceeded(name === 'cost' ? 'tokens' : name, Math.max(0, state.msBeforeNext));
}

/** As many places for each key, each with a limiter key of one point: the caller that gets the point has the place. */
type Slots = { readonly max: number; readonly limiter: Limiter };

function checkedSlots(concurrent: NonNullable<QuotaOptions['concurrent']>): Slots {
  const { max, limiter } =
    typeof concurrent === 'number' ? { max: concurrent, limiter: memoryLimiter(1, 0) } : concurrent;
  if (!(Number.isInteger(max) && max > 0) || limiter.points !== 1) {
    throw wrongSetting(
      `quotas.concurrent is ${max} with a limiter of ${limiter.points} points; give a whole number above 0, and a limiter of 1 point.`,
    );
  }
  return { max, limiter };
}

/** Points that are reserved before the real cost is known. */
type Reservation = { readonly settle: (spent: number) => Promise<void>; readonly state: LimiterState };

/**
 * Takes `points` at once, so that requests cannot pass the limit together; settling returns unused points or takes the
 * missing ones. @returns the state of a limiter with too few. Rejects when it fails or is late.
 */
export async function reserve(
  limiter: Limiter,
  key: string,
  points: number,
): Promise<Reservation | { readonly refused: LimiterState }> {
  const amount = Math.ceil(points);
  try {
    const taken = await inTime(limiter.consume(key, amount), (late) => {
      // Limiters count refused points as well.
      if (late.status === 'fulfilled' || stateOf(late.reason) !== null)
        void giveBack(limiter, key, amount).catch(() => undefined);
    });
    const endsAt = performance.now() + taken.msBeforeNext;
    return {
      state: taken,
      async settle(spent) {
        // An unknown cost counts as all reserved points.
        const rest = Number.isFinite(spent) ? amount - Math.ceil(spent) : 0;
        // Points must not return into a later window, which would then exceed its limit.
        if (rest > 0 && (taken.msBeforeNext <= 0 || performance.now() < endsAt))
          await giveBack(limiter, key, rest);
        else if (rest < 0) await limiter.penalty(key, -rest);
      },
    };
  } catch (rejection) {
    const state = stateOf(rejection);
    if (state === null) throw rejection;
    void giveBack(limiter, key, amount).catch(() => undefined);
    const { msBeforeNext, consumedPoints } = state;
    if (consumedPoints === undefined) return { refused: state };
    const remainingPoints = Math.max(0, limiter.points + amount - consumedPoints);
    return { refused: { msBeforeNext, remainingPoints } };
  }
}

/** Returns points. A window that began in between must not exceed its points, so the surplus is taken again. */
async function giveBack(limiter: Limiter, key: string, points: number): Promise<void> {
  const used = stateOf(await limiter.reward(key, points))?.consumedPoints ?? 0;
  if (used < 0) await limiter.penalty(key, -used);
}

/**
 * Takes a place and returns the function that frees it; null when all are taken. Rejects when the limiter fails. With a
 * limiter that has a duration a place is a lease, so the places of a dead process become free.
 */
async function takeSlot({ max, limiter }: Slots, key: string): Promise<(() => Promise<void>) | null> {
  for (let place = 0; place < max; place++) {
    const free = await tryTake(`${key}:${place}`, limiter);
    if (free) return free;
  }
  return null;
}

async function tryTake(name: string, limiter: Limiter): Promise<(() => Promise<void>) | null> {
  try {
    const { msBeforeNext } = await inTime(limiter.consume(name), (late) => {
      if (late.status === 'fulfilled') void limiter.delete(name).catch(() => undefined);
    });
    const endsAt = msBeforeNext > 0 ? performance.now() + msBeforeNext : Infinity;
    return async () => {
      // After the lease another request may have the place.
      if (performance.now() < endsAt) await limiter.delete(name);
    };
  } catch (rejection) {
    if (stateOf(rejection) === null) throw rejection;
    return null;
  }
}

/** The remaining points of a principal, for the headers of an answer. */
export type Standing = ReturnType<typeof createStanding>;

export function createStanding() {
  const policies = new Map<string, string>();
  const limits = new Map<string, string>();
  return {
    note(
      name: string,
      { points, duration = 0 }: Limiter,
      { remainingPoints, msBeforeNext }: LimiterState,
    ): void {
      policies.set(
        name,
        `"${name}";q=${Math.floor(points)}${duration > 0 ? `;w=${Math.ceil(duration)}` : ''}`,
      );
      if (remainingPoints === undefined) return;
      // A clock that was set back makes the rest of a window longer than the window.
      const rest = Math.ceil(Math.min(msBeforeNext / 1000, duration || Infinity));
      limits.set(name, `"${name}";r=${Math.floor(remainingPoints)}${rest >= 0 ? `;t=${rest}` : ''}`);
    },
    /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers); none when nothing is known. */
    headers: (): Readonly<Record<string, string>> => ({
      ...(policies.size > 0 && { 'ratelimit-policy': [...policies.values()].join(', ') }),
      ...(limits.size > 0 && { ratelimit: [...limits.values()].join(', ') }),
    }),
  };
}
