import type { ProxyModel } from '../providers/proxy-model.ts';
import type { Principal } from './principal.ts';

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
