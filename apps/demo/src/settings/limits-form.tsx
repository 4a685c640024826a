import type { ServedModel } from '@vitrine/react';
import { type ReactNode, useId, useState } from 'react';
import type { Limits } from '../agents/agent-options.ts';
import { changeSettings, useSettings } from './use-settings.ts';

const rows: readonly { readonly key: keyof Limits; readonly name: string; readonly isWhole: boolean }[] = [
  { key: 'maxSteps', name: 'Steps', isWhole: true },
  { key: 'maxTokens', name: 'Tokens', isWhole: true },
  { key: 'maxSeconds', name: 'Seconds', isWhole: false },
  { key: 'maxCost', name: 'Cost in dollars', isWhole: false },
];

/** What one answer may take, and what the model costs where a limit of cost has to know it. */
export function LimitsForm({ model }: { readonly model: ServedModel | null }): ReactNode {
  const { limits, prices } = useSettings();
  const id = model?.id ?? '';
  const price = prices[id];
  const setPrice = (change: { input?: number; output?: number }): void =>
    changeSettings({ prices: { ...prices, [id]: { input: 0, output: 0, ...price, ...change } } });
  return (
    <fieldset>
      <legend>Limits of one answer</legend>
      <p className="hint">It stops when one is reached, says so, and can go on. Empty means no limit.</p>
      <div className="number-fields">
        {rows.map(({ key, name, isWhole }) => (
          <NumberField
            key={key}
            name={name}
            value={limits[key]}
            isWhole={isWhole}
            least={0}
            onChange={(value) => changeSettings({ limits: { ...limits, [key]: value } })}
          />
        ))}
      </div>
      {limits.maxCost !== null && model !== null && (
        <>
          <p className="hint">
            What <strong>{model.name}</strong> costs per million tokens. A limit of cost can only be kept when
            this is known.
          </p>
          <div className="number-fields">
            <NumberField
              name="Price of input"
              value={price?.input ?? null}
              onChange={(value) => setPrice({ input: value ?? 0 })}
            />
            <NumberField
              name="Price of output"
              value={price?.output ?? null}
              onChange={(value) => setPrice({ output: value ?? 0 })}
            />
          </div>
        </>
      )}
    </fieldset>
  );
}

type NumberFieldProps = {
  readonly name: string;
  readonly value: number | null;
  readonly isWhole?: boolean;
  /** What it has to be more than. Default: it may be 0, and not less. */
  readonly least?: number;
  readonly onChange: (value: number | null) => void;
};

/** What is typed stays as it was typed; only what is right is taken. */
function NumberField({ name, value, isWhole = false, least, onChange }: NumberFieldProps): ReactNode {
  const id = useId();
  const [text, setText] = useState(value === null ? '' : String(value));
  const problem = problemOf(text, isWhole, least);
  return (
    <div className="number-field">
      <label htmlFor={id}>{name}</label>
      <input
        id={id}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        value={text}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-problem`}
        onChange={({ target }) => {
          setText(target.value);
          if (problemOf(target.value, isWhole, least) === null)
            onChange(target.value.trim() === '' ? null : Number(target.value));
        }}
      />
      <span className="problem" id={`${id}-problem`} role="alert">
        {problem}
      </span>
    </div>
  );
}

function problemOf(text: string, isWhole: boolean, least: number | undefined): string | null {
  const value = Number(text);
  if (text.trim() === '') return null;
  if (!Number.isFinite(value)) return 'This is no number.';
  if (isWhole && !Number.isInteger(value)) return 'A whole number, please.';
  if (least === undefined ? value < 0 : value <= least)
    return least === undefined ? 'It cannot be negative.' : `It has to be more than ${least}.`;
  return null;
}
