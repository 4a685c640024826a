import { render, screen } from '@testing-library/react';
import * as React from 'react';
import { expect, it, vi } from 'vitest';

// Another test may have loaded the sentences before.
vi.resetModules();
const { usePersonSentence } = await import('./use-person-sentence.ts');

function Sentence({ of }: { readonly of: string }): React.ReactNode {
  const say = usePersonSentence();
  return say && <p>{`${of}: ${say({ code: 'session-conflict', message: 'raw' })}`}</p>;
}

// React 18 cannot render a component long before its effects run.
it.runIf('Activity' in React)(
  'a component that was rendered before the sentences came, and shown after them, says them',
  async () => {
    const page = (mode: 'hidden' | 'visible'): React.ReactNode => (
      <>
        <Sentence of="first" />
        <React.Activity mode={mode}>
          <Sentence of="second" />
        </React.Activity>
      </>
    );
    const { rerender } = render(page('hidden'));
    const sentence = 'This conversation was changed in another window.';
    await screen.findByText(`first: ${sentence}`);
    expect(screen.queryByText(`second: ${sentence}`)).toBeNull();
    rerender(page('visible'));
    await screen.findByText(`second: ${sentence}`);
  },
);
