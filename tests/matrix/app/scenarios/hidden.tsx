import * as React from 'react';
import { type ReactNode, useState } from 'react';
import { answering } from '../agents.ts';
import { Chat } from '../chat.tsx';

const quick = answering('quick', ['the ', 'answer']);
const slow = answering('slow', ['one ', 'two ', 'three'], 150);

type Props = { readonly mode: 'visible' | 'hidden'; readonly children: ReactNode };
// React 18 has none; the page is not asked for there.
const { Activity } = React as unknown as { Activity: React.ComponentType<Props> };

/** Two anonymous chats that are hidden and shown, as routes that are kept are. */
export function Hidden(): ReactNode {
  const [isShown, setShown] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setShown(!isShown)}>
        {isShown ? 'hide' : 'show'}
      </button>
      <Activity mode={isShown ? 'visible' : 'hidden'}>
        <Chat name="quick" agent={quick} />
        <Chat name="slow" agent={slow} />
      </Activity>
    </>
  );
}
