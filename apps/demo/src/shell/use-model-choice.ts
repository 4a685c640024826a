import type { ServedModel } from '@vitrine/react';
import { useState } from 'react';
import type { ModelChoice } from '../agents/agent-options.ts';

const key = 'vitrine-demo:model';
const nothing: ModelChoice = { model: null, reasoning: null };

/** The models that the server has, and the one that was chosen. */
export type ModelsAndChoice = {
  readonly models: readonly ServedModel[];
  /** Null until the models are known. */
  readonly current: ServedModel | null;
  readonly choice: ModelChoice;
  /** A model that cannot be told how much to think leaves alone what was chosen for others. */
  readonly choose: (change: Partial<ModelChoice>) => void;
};

/**
 * What was chosen is kept across reloads; a choice that the server does not have any more is none. It holds as well before
 * it is known which models there are.
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
      keep(next);
    },
  };
}

const none: readonly ServedModel[] = [];

function keep(choice: ModelChoice): void {
  try {
    localStorage.setItem(key, JSON.stringify(choice));
  } catch {
    // Not remembered then.
  }
}

function readChoice(): ModelChoice {
  try {
    const { model, reasoning } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<ModelChoice>;
    return {
      model: typeof model === 'string' ? model : null,
      reasoning: typeof reasoning === 'string' ? reasoning : null,
    };
  } catch {
    return nothing;
  }
}
