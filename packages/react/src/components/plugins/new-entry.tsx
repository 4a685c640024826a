'use client';

import type { FormEvent, ReactNode } from 'react';
import { IconButton } from '../kit/icon-button.tsx';

/** A field for a new entry of a list. */
export function NewEntry(props: {
  readonly label: string;
  readonly add: string;
  readonly maxLength: number;
  readonly onAdd: (entry: string) => void;
}): ReactNode {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const entry = String(new FormData(event.currentTarget).get('entry')).trim();
    if (entry !== '') props.onAdd(entry);
    event.currentTarget.reset();
  };
  return (
    <form onSubmit={submit}>
      <input name="entry" aria-label={props.label} placeholder={props.label} maxLength={props.maxLength} />
      <IconButton
        icon="plus"
        label={props.add}
        onClick={(target) => target.closest('form')?.requestSubmit()}
      />
    </form>
  );
}
