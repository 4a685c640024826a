import type { Limiter, LimiterState } from './limiter.ts';

/** The remaining points of a principal, for the headers of an answer. */
export type Standing = {
  readonly note: (name: string, limiter: Limiter, state: LimiterState) => void;
  /**
   * The headers `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers); none when nothing is known.
   */
  readonly headers: () => Readonly<Record<string, string>>;
};

/** Creates a standing without any figures. */
export function createStanding(): Standing {
  const policies = new Map<string, string>();
  const limits = new Map<string, string>();
  return {
    note(name, { points, duration = 0 }, { remainingPoints, msBeforeNext }) {
      policies.set(
        name,
        `"${name}";q=${Math.floor(points)}${duration > 0 ? `;w=${Math.ceil(duration)}` : ''}`,
      );
      if (remainingPoints === undefined) return;
      const resets = msBeforeNext >= 0 ? `;t=${Math.ceil(msBeforeNext / 1000)}` : '';
      limits.set(name, `"${name}";r=${Math.floor(remainingPoints)}${resets}`);
    },
    headers: () => ({
      ...(policies.size > 0 && { 'ratelimit-policy': [...policies.values()].join(', ') }),
      ...(limits.size > 0 && { ratelimit: [...limits.values()].join(', ') }),
    }),
  };
}
