'use client';

import type { ReactNode } from 'react';
import { VisibleText } from '../kit/visible-text.tsx';
import { useChatStatus } from '../kit/use-chat-status.ts';

/** What was sent and has not begun; each can be taken back. */
export function Waiting(): ReactNode {
  const { queue, cancelQueued } = useChatStatus();
  if (queue.length === 0) return null;
  return (
    <ul className="vitrine-queue" aria-label="Waiting messages">
      {queue.map((message) => (
        <li key={message.id}>
          <span className="vitrine-gist" dir="auto">
            Waiting: <VisibleText text={message.text} />
          </span>
          <button
            type="button"
            className="vitrine-button vitrine-quiet"
            aria-label={`Cancel ${message.text}`}
            onClick={() => cancelQueued(message.id)}
          >
            Cancel
          </button>
        </li>
      ))}
    </ul>
  );
}
