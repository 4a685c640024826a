import type { RequestLimits } from './limits.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';

/** The caller that `authorize` finds for a request. */
export type Principal = {
  /** The owner of streams and quotas; the same for every request of one person. It is never shown to others. */
  readonly id: string;
  /** Ids of the models that this principal may use. Default: all that the proxy serves. */
  readonly models?: readonly string[];
  /** Limits that differ from those of the proxy. */
  readonly limits?: Partial<RequestLimits>;
};

/** Asks the application's own sign-in; null lets nobody in. */
export type Authorize = (request: Request) => Principal | null | Promise<Principal | null>;

/** The principal of all callers when no sign-in is configured. They share streams and quotas. */
export const anyone: Principal = { id: 'anyone' };

/** The models that a principal may use. The default is the proxy's default, if allowed, otherwise the first of them. */
export function modelsOf(
  principal: Principal,
  { models, defaultModel }: { readonly models: readonly ProxyModel[]; readonly defaultModel: ProxyModel },
): { readonly models: readonly ProxyModel[]; readonly defaultModel: ProxyModel | undefined } {
  const own = principal.models;
  if (own === undefined) return { models, defaultModel };
  const allowed = models.filter(({ id }) => own.includes(id));
  return { models: allowed, defaultModel: allowed.includes(defaultModel) ? defaultModel : allowed[0] };
}
