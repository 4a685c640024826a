'use client';

import type { ReactNode } from 'react';
import { Notes } from './notes.tsx';
import { Todos } from './todos.tsx';

/** The views of the plugins that show something above the message box. */
export function PluginViews(): ReactNode {
  return (
    <>
      <Notes />
      <Todos />
    </>
  );
}
