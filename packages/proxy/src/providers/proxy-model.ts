import type { InferenceClient, JsonObject, ModelPrice } from '@vitrine/core';
import { wrongSetting } from '../kit/env-record.ts';
import { nearestNames } from '../kit/text.ts';

/** The reasoning effort before an answer, as in `settings.reasoning` of a request. */
export type ReasoningLevel = 'off' | 'low' | 'medium' | 'high';

/** A model that the proxy serves. */
export type ProxyModel = {
  /** `provider:model` */
  readonly id: string;
  /** The name for people. */
  readonly name: string;
  readonly provider: string;
  readonly client: InferenceClient;
  /** The reasoning levels that pages may offer. Default: none. */
  readonly reasoning?: readonly ReasoningLevel[];
  /** Settings of requests that do not set them, e.g. `{ reasoning: 'low' }`. Default: none. */
  readonly settings?: JsonObject;
  /** Tokens for thoughts beyond `maxOutputTokens`, by level, for quotas of cost. Default: none. */
  readonly thinkingTokens?: Readonly<Partial<Record<ReasoningLevel, number>>>;
  /** The prices of its tokens, for the log, `onStreamEnd`, `costOf` and pages. Default: unknown. */
  readonly price?: ModelPrice;
  /**
   * Media types of the files that it takes, such as `image/png` and `text/*`, for message boxes, which see them in `GET
   * /v1/models`. Default: those of its client; without any, message boxes offer all files.
   */
  readonly accepts?: readonly string[];
  /**
   * The models that this one stands for, such as all models of a compatible server; the proxy asks for them when it
   * needs them, and serves this one while there are none. Never rejects. Default: only itself.
   */
  readonly list?: () => Promise<readonly ProxyModel[]>;
  /** Ids of models that are asked when this one fails before it says anything, at most two. Default: none. */
  readonly fallback?: readonly string[];
  /**
   * Fields of `providerMetadata` that go back to the provider, by the name under which it gives its metadata; `*` is
   * any name. Default: signatures and encrypted thoughts of the known providers.
   */
  readonly metadataFields?: Readonly<Record<string, readonly string[]>>;
};

/** The models with the lists that some of them stand for, each id once. */
export async function listedModels(models: readonly ProxyModel[]): Promise<readonly ProxyModel[]> {
  const lists = await Promise.all(
    models.map(async (model) => {
      const list = (await model.list?.()) ?? [];
      return list.length === 0 ? [model] : list;
    }),
  );
  const ids = new Set<string>();
  return lists.flat().filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** @throws AgentError `agent-invalid` for a fallback that is the model itself, is named twice, or is not served. */
export function checkFallbacks(models: readonly ProxyModel[]): void {
  const ids = models.map(({ id }) => id);
  const isOfList = (id: string): boolean =>
    models.some(({ id: listed, list }) => list !== undefined && id.startsWith(listed.replace(/:.*/, ':')));
  for (const { id, fallback = [] } of models)
    for (const [at, other] of fallback.entries()) {
      const [nearest] = nearestNames(other, ids, 1);
      const fault =
        other === id
          ? 'which is that model itself: remove it'
          : fallback.indexOf(other) < at
            ? 'twice: remove one'
            : ids.includes(other) || isOfList(other)
              ? null
              : `which is not served. ${nearest === undefined ? `Served are: ${ids.join(', ')}` : `Did you mean ${nearest}?`} Correct the name, or serve that model too`;
      if (fault !== null)
        throw wrongSetting(`The fallback of ${JSON.stringify(id)} names ${JSON.stringify(other)}, ${fault}.`);
    }
}
