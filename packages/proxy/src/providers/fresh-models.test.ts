import { describe, expect, it } from 'vitest';
import {
  generationIn,
  namedModels,
  newestModels,
  packages,
  typesOf,
} from '../../../../scripts/prices/named-models.ts';
import { estimatedPrice, resolvedId } from './estimated-price.ts';
import { listedPrice } from './model-prices.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { providers } from './providers.ts';

/** The faults of defaults and prices when a package has these types. Its names are the clock: no date is read. */
function staleIn(id: string, types: string, defaults: readonly string[]): readonly string[] {
  const newest = newestModels(types);
  const generation = newest[0]?.generation ?? 0;
  return [
    ...defaults
      .filter((name) => generation - generationIn(name) >= 1)
      .map((name) => `${id}:${name} is a generation behind ${newest[0]?.name ?? ''}`),
    ...newest
      .filter(({ name }) => listedPrice(`${id}:${name}`) === undefined)
      .map(({ name }) => `${id}:${name} has no price`),
  ];
}

const served = providers.filter(({ listsModels }) => listsModels !== true);

describe('the models of the proxy', () => {
  it.each(served.map(({ id, defaults }) => [id, defaults] as const))(
    'the defaults of %s are of the newest generation that its package names, and every newest name has a price; else give new defaults, run `npm run prices`, or add to price-overrides.json',
    (id, defaults) => {
      const types = typesOf(id as keyof typeof packages);
      expect(newestModels(types).length).toBeGreaterThan(2);
      expect(staleIn(id, types, defaults)).toEqual([]);
    },
  );

  it('a package with a newer name makes the defaults and the prices stale', () => {
    const types = `${typesOf('anthropic')} | 'claude-sonnet-7' | 'claude-haiku-7-1' | 'claude-opus-7-20270101'`;
    expect(staleIn('anthropic', types, ['claude-sonnet-5-5'])).toEqual([
      'anthropic:claude-sonnet-5-5 is a generation behind claude-haiku-7-1',
      'anthropic:claude-haiku-7-1 has no price',
      'anthropic:claude-sonnet-7 has no price',
    ]);
  });

  it('names of models that do not chat, and of dated versions, are no models of a generation', () => {
    const names = Object.keys(packages).flatMap((id) => namedModels(typesOf(id as keyof typeof packages)));
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'claude-sonnet-5-5',
        'gpt-6.1-sol',
        'gpt-4o-mini',
        'o4-mini',
        'gemini-4-argon',
      ]),
    );
    for (const { name, generation } of names) {
      expect(name).not.toMatch(/\d{4}|image|audio|tts|embedding/);
      expect(generation, name).toBe(generationIn(name));
    }
  });
});

describe('the word of a family', () => {
  it('a word in VITRINE_MODELS and VITRINE_FALLBACK is the newest model of its family, under its own id', () => {
    const models = modelsFromEnv({
      ANTHROPIC_API_KEY: 'k',
      OPENAI_API_KEY: 'k',
      VITRINE_MODELS: 'anthropic:sonnet,openai:sol,anthropic:claude-sonnet-5-5',
      VITRINE_FALLBACK: 'anthropic:sonnet>openai:sol',
    });
    expect(models.map(({ id, name, fallback }) => [id, name, fallback])).toEqual([
      ['anthropic:claude-sonnet-5-5', 'claude-sonnet-5-5', ['openai:gpt-6.1-sol']],
      ['openai:gpt-6.1-sol', 'gpt-6.1-sol', undefined],
    ]);
  });

  it('any other id stays as it is', () => {
    for (const id of [
      'anthropic:claude-sonnet-4-5',
      'ollama:sonnet',
      'openai:sonnet',
      'openai:',
      'sonnet',
      '',
    ])
      expect(resolvedId(id)).toBe(id);
  });
});

describe('the estimate of a price', () => {
  it.each([
    ['anthropic:claude-sonnet-9', 'anthropic:claude-sonnet-5-5'],
    ['anthropic:claude-haiku-6-20270101', 'anthropic:claude-haiku-5-5'],
    ['anthropic:claude-zeta-9', 'anthropic:claude-opus-5-5'],
    ['openai:gpt-7-terra', 'openai:gpt-6.1-terra'],
    ['openai:gpt-7', 'openai:gpt-5.6'],
    ['google:gemini-5-neon', 'google:gemini-4-argon'],
    ['google:gemini-5-flash-lite', 'google:gemini-3.5-flash-lite'],
  ])('%s has the price of %s, which is marked as an estimate', (id, like) => {
    expect(listedPrice(id)).toBeUndefined();
    expect(estimatedPrice(id)).toEqual({ ...listedPrice(like), isEstimated: true });
  });

  it('a name of an unknown kind, and one of another provider, have no estimate', () => {
    for (const id of ['openai:b', 'ollama:gpt-9', 'anthropic:x', 'constructor', ''])
      expect(estimatedPrice(id), id).toBeUndefined();
  });

  it('a model that nobody has listed is served with an estimate, so that limits of cost work on its first day', () => {
    const [model] = modelsFromEnv({
      ANTHROPIC_API_KEY: 'k',
      VITRINE_MODELS: 'anthropic:claude-sonnet-9',
      VITRINE_PRICES: '',
    });
    expect(model?.price).toMatchObject({ input: 2, output: 10, isEstimated: true });
  });
});
