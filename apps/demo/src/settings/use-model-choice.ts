import type { ServedModel } from '@vitrine/react';
import { useState } from 'react';
import type { ModelChoice } from '../agents/agent-options.ts';
import { keep, readKept } from '../kit/kept.ts';

const key = 'vitrine-demo:model';

/** The models of the server, and the chosen one. */
export type ModelsAndChoice = {
  readonly models: readonly ServedModel[];
  /** Null until the models have loaded. */
  readonly current: ServedModel | null;
  readonly choice: ModelChoice;
  /** Changes the choice. A model without reasoning levels keeps the level that was chosen for others. */
  readonly choose: (change: Partial<ModelChoice>) => void;
};

/**
 * Keeps the chosen model across reloads; a model that the server no longer has is ignored. The stored
 * choice also applies before the models have loaded.
 */
export function useModelChoice(served: readonly ServedModel[] | null): ModelsAndChoice {
  const [kept, setKept] = useState<ModelChoice>(readChoice);
  const models = served ?? none;
  const chosen = models.find(({ id }) => id === kept.model);
  const current = chosen ?? models.find((model) => model.default) ?? models[0] ?? null;
  const model = chosen?.id ?? null;
  const reasoning = current?.reasoning.includes(kept.reasoning ?? '') ? kept.reasoning : null;
  return {
    models,
    current,
    choice: served === null ? kept : { model, reasoning },
    choose(change) {
      const next = { ...kept, ...change };
      setKept(next);
      keep(key, next);
    },
  };
}

const none: readonly ServedModel[] = [];

function readChoice(): ModelChoice {
  const { model, reasoning } = readKept<ModelChoice>(key);
  return {
    model: typeof model === 'string' ? model : null,
    reasoning: typeof reasoning === 'string' ? reasoning : null,
  };
}
