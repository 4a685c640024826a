import { agentDevtoolsPlugin } from '@vitrine/devtools';
import { TanStackDevtools } from '@tanstack/react-devtools';
import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../../journeys/panel-page/client.ts';

/** Shows the panel as a plugin of the real TanStack Devtools, in StrictMode. */
function showInTanStack(): void {
  const other = { id: 'other', name: 'Other', render: createElement('p', null, 'Another plugin') };
  createRoot(document.body.appendChild(document.createElement('div'))).render(
    createElement(
      StrictMode,
      null,
      createElement(TanStackDevtools, {
        config: { defaultOpen: true, theme: 'dark' },
        plugins: [{ ...agentDevtoolsPlugin(), defaultOpen: true }, other],
      }),
    ),
  );
}

Object.assign(globalThis, { showInTanStack });
