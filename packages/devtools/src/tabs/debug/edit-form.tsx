import type { AgentDefinition } from '@vitrine/core';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Problem } from '../../kit/notice.tsx';
import { useTexts } from '../../texts.ts';
import { type Editable, readEditable } from './editable.ts';

type CapProps = {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Default: fractions too. */
  readonly step?: '1' | 'any';
};

/** A field for an amount of 0 or more. */
export function Cap({ label, value, onValue, step = 'any' }: CapProps): ReactNode {
  return (
    <label>
      {label}{' '}
      <input
        type="number"
        min="0"
        step={step}
        value={value}
        onChange={({ target }) => onValue(target.value)}
      />
    </label>
  );
}

type EditFormProps = {
  readonly editables: readonly Editable[];
  readonly agent: AgentDefinition | null;
  readonly submit: string;
  /** Called with the edit; resolves with what went wrong, or null. */
  readonly onEdit: (edit: ReturnType<Editable['editOf']>, label: string) => Promise<string | null>;
  readonly onCancel?: () => void;
};

/** A form that changes one value of a run. Arguments that their tool does not take are not sent. */
export function EditForm({ editables, agent, submit, onEdit, onCancel }: EditFormProps): ReactNode {
  const texts = useTexts();
  const { edits } = texts;
  const id = useId();
  const [chosen, setChosen] = useState(editables[0]?.id ?? '');
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState('');
  const editable = editables.find((entry) => entry.id === chosen) ?? editables[0];
  if (editable === undefined) return null;
  const text = written[editable.id] ?? editable.text;
  const send = async (): Promise<void> => {
    const read = await readEditable(editable, text, agent, texts);
    if ('problem' in read) return setProblem(read.problem);
    setProblem((await onEdit(editable.editOf(read.value), editable.label)) ?? '');
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  return (
    <form className="edit-form stacked near" onSubmit={onSubmit}>
      <label>
        {edits.what}{' '}
        <select
          value={editable.id}
          onChange={({ target }) => {
            setChosen(target.value);
            setProblem('');
          }}
        >
          {editables.map((entry) => (
            <option key={entry.id} value={entry.id}>
              {entry.label}
            </option>
          ))}
        </select>
      </label>
      <textarea
        aria-label={edits.value}
        aria-invalid={problem !== ''}
        aria-describedby={problem === '' ? undefined : id}
        spellCheck={!editable.isJson}
        rows={Math.min(10, Math.max(2, text.split('\n').length))}
        value={text}
        onChange={({ target }) => setWritten({ ...written, [editable.id]: target.value })}
      />
      <Problem id={id} text={problem} />
      <span className="wrapping near">
        <button type="submit">{submit}</button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {edits.cancel}
          </button>
        )}
      </span>
    </form>
  );
}
