import type { EnvRecord } from '../kit/env-record.ts';
import { nearestNames } from '../kit/text.ts';
import { askForModels } from './model-list.ts';
import type { Provider } from './provider.ts';
import { providers } from './providers.ts';
import type { ProxyModel } from './proxy-model.ts';
import { upstreamFetch } from './upstream-fetch.ts';

/**
 * Asks every configured provider once, for 3 s at most, for its list of models. Reports each fault in a sentence: a
 * refused key, an unreachable provider, or a model of `models` that it does not list, with the nearest names. It never
 * rejects, and no sentence contains a key.
 */
export async function checkProviders(env: EnvRecord, models: readonly ProxyModel[]): Promise<string[]> {
  const served = providers.filter(({ id }) => models.some(({ provider }) => provider === id));
  const found = await Promise.all(
    served.map((provider) => {
      // A model that stands for the list of its server may not be there.
      const named = models.filter((model) => model.provider === provider.id && model.list === undefined);
      const names = named.map(({ name }) => name);
      return check(provider, env, names);
    }),
  );
  return found.flat();
}

async function check(provider: Provider, env: EnvRecord, names: readonly string[]): Promise<string[]> {
  const { id, variables } = provider;
  const answer = await askForModels(provider, env, upstreamFetch).catch(() => null);
  if (answer === null)
    return [
      `${id} cannot be reached: see that this machine may reach it${lookAt(' and that its address is right', variables.baseURL)}.`,
    ];
  const { status, body } = answer;
  if (status === 401 || status === 403 || (status === 400 && /api.?key/i.test(body)))
    return [
      `${id} refuses the key of this server (status ${status})${lookAt(': set a valid one', variables.apiKey)}.`,
    ];
  // Not every gateway lists its models.
  if (status === 404 || status === 405 || status === 501) {
    return id === 'openai-compatible'
      ? []
      : [`${id} has nothing at this address${lookAt(': see its base URL', variables.baseURL)}.`];
  }
  if (status !== 200) return [`${id} answers with status ${status}, so its key could not be checked.`];
  return unknownModels(id, names, answer.names);
}

function lookAt(what: string, variable: string | undefined): string {
  return variable === undefined ? what : `${what} (${variable})`;
}

/** A name may stand for the newest of several versions: `claude-sonnet-4-5` for `claude-sonnet-4-5-20250929`. */
function unknownModels(id: string, names: readonly string[], listed: readonly string[]): string[] {
  if (listed.length === 0) return [];
  return names
    .filter(
      (name) =>
        !listed.some(
          (one) => one === name || (/^[-:@]/.test(one.slice(name.length)) && one.startsWith(name)),
        ),
    )
    .map((name) => {
      const nearest = nearestNames(name, listed);
      const instead = nearest.length === 0 ? '' : ` The nearest: ${nearest.join(', ')}.`;
      return `${id} does not list the model ${JSON.stringify(name)}: correct VITRINE_MODELS.${instead}`;
    });
}
