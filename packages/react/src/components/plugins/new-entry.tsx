'use client';

import type { Plugin } from '@vitrine/core';
import type { FormEvent, ReactNode } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { IconButton } from '../kit/icon-button.tsx';

/** The plugin with this id and tool; null for none. A plugin of the application may have that id too. */
export function usePluginOf<State>(id: string, tool: string): Plugin<State> | null {
  const { plugins } = useAgentSession().settings().agent;
  return plugins.find((one) => one.id === id && one.tools.some(({ name }) => name === tool)) ?? null;
}

/** A field for a new entry of a list. */
export function NewEntry(props: {
  readonly label: string;
  readonly add: string;
  readonly maxLength: number;
  /** Adds it. The field keeps its text when that resolves with false. */
  readonly onAdd: (entry: string) => unknown;
}): ReactNode {
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const entry = String(new FormData(form).get('entry')).trim();
    if (entry === '' || (await props.onAdd(entry)) !== false) form.reset();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <input name="entry" aria-label={props.label} placeholder={props.label} maxLength={props.maxLength} />
      <IconButton
        icon="plus"
        label={props.add}
        onClick={(target) => target.closest('form')?.requestSubmit()}
      />
    </form>
  );
}
