'use client';

import type { ReactNode } from 'react';
import { nameOf } from '../kit/attachment.tsx';
import { gist } from '../kit/gist.ts';
import { visibleText } from '../kit/hidden-characters.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { useChatStatus } from '../kit/use-chat-status.ts';

/** The queued messages, each with a button that cancels it. */
export function Waiting(): ReactNode {
  const { queue, cancelQueued } = useChatStatus();
  if (queue.length === 0) return null;
  return (
    <ul className="vitrine-queue" aria-label="Waiting messages">
      {queue.map(({ id, text, files = [], data = {} }) => {
        const beside = [...files.map(nameOf), ...Object.keys(data)];
        const said = gist(text.trim() === '' ? beside.join(', ') : text);
        return (
          <li key={id}>
            <span className="vitrine-gist" dir="auto">
              Waiting: <VisibleText text={said} />
            </span>
            <button
              type="button"
              className="vitrine-button vitrine-quiet"
              aria-label={`Cancel ${visibleText(said)}`}
              onClick={() => cancelQueued(id)}
            >
              Cancel
            </button>
          </li>
        );
      })}
    </ul>
  );
}
