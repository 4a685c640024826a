'use client';

import { type ChangeEvent, type ReactNode, useId } from 'react';
import { jsonText } from '../kit/gist.ts';
import { visibleParts } from '../kit/hidden-characters.ts';
import { TextAround, VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import type { ArgumentDraft, ArgumentField } from './argument-fields.ts';

type ArgumentFormProps = {
  readonly fields: readonly ArgumentField[];
  readonly draft: ArgumentDraft;
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (draft: ArgumentDraft) => void;
};

/** The arguments of a call as a form; each field follows its schema. */
export function ArgumentForm({ fields, draft, problems, onChange }: ArgumentFormProps): ReactNode {
  return (
    <div className="vitrine-arguments">
      {fields.map((field, at) => (
        <Argument
          key={field.name}
          field={field}
          value={draft[field.name] ?? ''}
          problem={Object.hasOwn(problems, field.name) ? (problems[field.name] ?? null) : null}
          isFirst={at === 0}
          onChange={(value) => onChange({ ...draft, [field.name]: value })}
        />
      ))}
    </div>
  );
}

type ArgumentProps = {
  readonly field: ArgumentField;
  readonly value: string | boolean;
  readonly problem: string | null;
  readonly isFirst: boolean;
  readonly onChange: (value: string | boolean) => void;
};

function Argument({ field, value, problem, isFirst, onChange }: ArgumentProps): ReactNode {
  const id = useId();
  const texts = useTexts().approvals;
  const { label, description } = field;
  // An input would hide invisible characters, and a person must see everything that they approve.
  const hasHidden = typeof value === 'string' && visibleParts(value).some((part) => 'label' in part);
  return (
    <div className="vitrine-argument" data-kind={field.kind}>
      <label htmlFor={id}>
        <VisibleText text={label} />
        {isOptional(field) && <span className="vitrine-optional"> {texts.optional}</span>}
      </label>
      <Control
        id={id}
        field={field}
        value={value}
        isFirst={isFirst}
        describedBy={`${id}-help ${id}-problem`}
        isWrong={problem !== null}
        onChange={onChange}
      />
      <span className="vitrine-help" id={`${id}-help`}>
        <VisibleText text={description} />
        {hasHidden && (
          <>
            {' '}
            <TextAround text={texts.withInvisible}>
              <VisibleText text={value} />
            </TextAround>
          </>
        )}
      </span>
      <span className="vitrine-problem" id={`${id}-problem`} role="alert">
        <VisibleText text={problem ?? ''} />
      </span>
    </div>
  );
}

function isOptional({ isRequired, isNullable }: ArgumentField): boolean {
  return !isRequired || isNullable;
}

type ControlProps = Omit<ArgumentProps, 'problem'> & {
  readonly id: string;
  readonly describedBy: string;
  readonly isWrong: boolean;
};

function Control({ id, field, value, isFirst, describedBy, isWrong, onChange }: ControlProps): ReactNode {
  const common = {
    id,
    autoFocus: isFirst,
    'aria-describedby': describedBy,
    'aria-invalid': isWrong,
    'aria-required': !isOptional(field),
  };
  if (typeof value === 'boolean')
    return (
      <input
        {...common}
        type="checkbox"
        checked={value}
        onChange={({ target }) => onChange(target.checked)}
      />
    );
  const text = {
    ...common,
    value,
    onChange: ({ target }: ChangeEvent<{ readonly value: string } & Element>) => onChange(target.value),
  };
  const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices;
  if (field.kind === 'choice' || field.kind === 'boolean')
    return (
      <select {...text}>
        {(isOptional(field) || value === '') && <option value="" />}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  if (field.kind === 'number') return <input {...text} inputMode="decimal" />;
  return (
    <textarea
      {...text}
      dir="auto"
      spellCheck={field.kind === 'text'}
      rows={Math.min(10, value.split('\n').length + Math.floor(value.length / 80))}
    />
  );
}

/** Shows the arguments of a call read-only: a list by name, or the value itself when it is no object. */
export function ArgumentList({ input }: { readonly input: unknown }): ReactNode {
  const { noArguments } = useTexts().approvals;
  const id = useId();
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return <Value value={input} />;
  const entries = Object.entries(input);
  if (entries.length === 0) return <p className="vitrine-help">{noArguments}</p>;
  return (
    <dl className="vitrine-argument-list">
      {entries.map(([name, value], at) => (
        <div key={name}>
          <dt id={`${id}-${at}`}>
            <VisibleText text={name} />
          </dt>
          <dd>
            <Value value={value} labelId={`${id}-${at}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

type ValueProps = {
  readonly value: unknown;
  /** The id of the element with its name. Default: none, for a value that has no name. */
  readonly labelId?: string;
};

function Value({ value, labelId }: ValueProps): ReactNode {
  const texts = useTexts().common;
  const label = labelId === undefined ? { 'aria-label': texts.value } : { 'aria-labelledby': labelId };
  return (
    <pre tabIndex={0} role="group" {...label} dir="auto">
      <VisibleText text={typeof value === 'string' ? value : (jsonText(value) ?? texts.tooDeep)} />
    </pre>
  );
}
