import type { ReactNode } from 'react';
import { answering } from '../agents.ts';
import { Chat } from '../chat.tsx';

const words = Array.from({ length: 60 }, (_, index) => `${index} `);
const left = answering('left', ['left ', ...words], 2);
const right = answering('right', ['right ', ...words], 2);

/** Two anonymous chats that stream beside each other. */
export function TwoStreams(): ReactNode {
  return (
    <>
      <Left />
      <Right />
    </>
  );
}

function Left(): ReactNode {
  return <Chat name="left" agent={left} />;
}
function Right(): ReactNode {
  return <Chat name="right" agent={right} />;
}
TwoStreams.Left = Left;
TwoStreams.Right = Right;
