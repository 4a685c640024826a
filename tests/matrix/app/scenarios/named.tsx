import { localStorageSessions } from '@vitrine/persist';
import { type ReactNode, useState } from 'react';
import { answering } from '../agents.ts';
import { Chat } from '../chat.tsx';

const sessions = localStorageSessions({ prefix: 'matrix' });
const slow = answering('scribe', ['one ', 'two ', 'three'], 400);

/** Two views of one stored session, and a way to leave them and come back. */
export function Named(): ReactNode {
  const [isShown, setShown] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setShown(!isShown)}>
        {isShown ? 'leave' : 'come back'}
      </button>
      {isShown && <Chat name="first" agent={slow} options={{ sessionId: 'one', sessions }} />}
      {isShown && <Chat name="second" agent={slow} options={{ sessionId: 'one', sessions }} />}
    </>
  );
}
