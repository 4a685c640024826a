import type { ReactNode } from 'react';
import type { ModelsAndChoice } from './use-model-choice.ts';

/** The names of the reasoning levels. */
const levelNames: Readonly<Record<string, string>> = {
  off: 'No thinking',
  low: 'Think a little',
  medium: 'Think',
  high: 'Think hard',
};

/** The choice of a model if there are several, and of its reasoning level if it has any. */
export function ModelSelect({ models, current, choice, choose }: ModelsAndChoice): ReactNode {
  if (current === null) return null;
  return (
    <>
      {models.length === 1 ? (
        <span className="badge">{current.name}</span>
      ) : (
        <select
          aria-label="Model"
          className="model-select"
          value={current.id}
          onChange={(event) => choose({ model: event.target.value })}
        >
          {models.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {current.reasoning.length > 0 && (
        <select
          aria-label="Thinking"
          className="model-select"
          value={choice.reasoning ?? ''}
          onChange={(event) => choose({ reasoning: event.target.value || null })}
        >
          <option value="">Usual thinking</option>
          {current.reasoning.map((level) => (
            <option key={level} value={level}>
              {levelNames[level] ?? level}
            </option>
          ))}
        </select>
      )}
    </>
  );
}
