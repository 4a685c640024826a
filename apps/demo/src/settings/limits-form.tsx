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

/** The limits of one answer, and the prices of the model if there is a cost limit. */
export function LimitsForm({ model }: { readonly model: ServedModel | null }): ReactNode {
  const { limits, prices } = useSettings();
  const id = model?.id ?? '';
  const price = prices[id];
  const setPrice = (change: { input?: number; output?: number }): void =>
    changeSettings({ prices: { ...prices, [id]: { input: 0, output: 0, ...price, ...change } } });
  return (
    <fieldset>
      <legend>Limits of one answer</legend>
      <p className="hint">An answer stops at a limit, and you can let it go on. Empty means no limit.</p>
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
            The price of <strong>{model.name}</strong> per million tokens. Left empty, it is the price that
            the server has.
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
  /** The value must be greater than this. Default: 0 or more is allowed. */
  readonly least?: number;
  readonly onChange: (value: number | null) => void;
};

/** A number field that keeps the text as typed and accepts only valid numbers. */
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
  if (!Number.isFinite(value)) return 'Enter a number.';
  if (isWhole && !Number.isInteger(value)) return 'Enter a whole number.';
  if (least === undefined ? value < 0 : value <= least)
    return least === undefined ? 'Enter 0 or more.' : `Enter a number above ${least}.`;
  return null;
}
