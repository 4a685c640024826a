import type { RequestLimits } from './limits.ts';

/** Who asks: what `authorize` makes of a request. */
export type Principal = {
  /** Whose streams and quotas they are; the same for every request of one person. It is never shown to others. */
  readonly id: string;
  /** Ids of the models that this principal may use. Default: all that the proxy serves. */
  readonly models?: readonly string[];
  /** Limits that differ from those of the proxy. */
  readonly limits?: Partial<RequestLimits>;
};

/** Asks the application's own sign-in; null lets nobody in. */
export type Authorize = (request: Request) => Principal | null | Promise<Principal | null>;

/** Everybody, where nobody is asked who they are: they share streams and quotas. */
export const anyone: Principal = { id: 'anyone' };
