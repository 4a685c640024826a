'use client';

import type { Plugin } from '@vitrine/core';
import { type ReactNode, useId, useRef } from 'react';
import { usePluginState } from '../../hooks/use-plugin-state.ts';
import { IconButton } from '../kit/icon-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { NewEntry, usePluginOf } from './new-entry.tsx';

type Todo = {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm: string;
};

const mostTodos = 20;
const mostCharacters = 200;

/**
 * The task list of the nearest session, which its model keeps by `todoPlugin` of `@vitrine/plugins/todo`. A person may
 * tick, add and remove tasks, also during a run: the model is told. It shows nothing while the list is empty.
 */
export function Todos(): ReactNode {
  const plugin = usePluginOf<readonly Todo[]>('tasks', 'todo_write');
  return plugin && <TodoList plugin={plugin} />;
}

function TodoList({ plugin }: { readonly plugin: Plugin<readonly Todo[]> }): ReactNode {
  const [todos = [], update] = usePluginState(plugin);
  const texts = useTexts().todos;
  const id = useId();
  const place = useRef<HTMLElement>(null);
  if (todos.length === 0) return null;
  const done = todos.filter(({ status }) => status === 'completed').length;
  /** Changes one task, unless the model has meanwhile put another in its place. */
  const change = (at: number, { content }: Todo, changed: readonly Todo[]): void =>
    void update((list = []) =>
      list[at]?.content === content
        ? list.flatMap((other, index) => (index === at ? changed : [other]))
        : list,
    );
  return (
    <section ref={place} className="vitrine-todos" tabIndex={-1} aria-labelledby={id}>
      <details open>
        <summary id={id}>{texts.title(done, todos.length)}</summary>
        <ul>
          {todos.map((todo, at) => (
            <li key={`${at} ${todo.content}`} data-status={todo.status}>
              <label>
                <input
                  type="checkbox"
                  checked={todo.status === 'completed'}
                  onChange={() =>
                    change(at, todo, [
                      { ...todo, status: todo.status === 'completed' ? 'pending' : 'completed' },
                    ])
                  }
                />
                <span dir="auto">
                  <VisibleText text={todo.status === 'in_progress' ? todo.activeForm : todo.content} />
                </span>
              </label>
              <IconButton
                icon="close"
                label={texts.remove(todo.content)}
                onClick={() => {
                  change(at, todo, []);
                  // The pressed button disappears.
                  place.current?.focus();
                }}
              />
            </li>
          ))}
        </ul>
        {todos.length < mostTodos && (
          <NewEntry
            label={texts.newTask}
            add={texts.add}
            maxLength={mostCharacters}
            onAdd={(content) =>
              void update((list = []) => [...list, { content, status: 'pending', activeForm: content }])
            }
          />
        )}
      </details>
    </section>
  );
}
