import { AgentDevtools } from '@vitrine/devtools';
import type { ReactNode } from 'react';
import { Anonymous } from './anonymous.tsx';

/** A chat with the open panel beside it. */
export function Panel(): ReactNode {
  return (
    <>
      <Anonymous />
      <AgentDevtools initialIsOpen />
    </>
  );
}
