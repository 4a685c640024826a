'use client';

import type { ReactNode } from 'react';
import { nameOf } from '../kit/attachment.tsx';
import { gist } from '../kit/gist.ts';
import { visibleText } from '../kit/hidden-characters.ts';
import { TextAround } from '../kit/text-around.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { useChatStatus } from '../kit/use-chat-status.ts';

/** The queued messages, each with a button that cancels it. */
export function Waiting(): ReactNode {
  const { queue, cancelQueued } = useChatStatus();
  const { common, composer, hiddenCharacters } = useTexts();
  if (queue.length === 0) return null;
  return (
    <ul className="vitrine-queue" aria-label={composer.waitingMessages}>
      {queue.map(({ id, text, files = [], data = {} }) => {
        const beside = [...files.map((file) => nameOf(file, common)), ...Object.keys(data)];
        const said = gist(text.trim() === '' ? beside.join(', ') : text);
        return (
          <li key={id}>
            <span className="vitrine-gist" dir="auto">
              <TextAround text={composer.waiting}>
                <VisibleText text={said} />
              </TextAround>
            </span>
            <button
              type="button"
              className="vitrine-button vitrine-quiet"
              aria-label={composer.cancelWaiting(visibleText(said, hiddenCharacters))}
              onClick={() => cancelQueued(id)}
            >
              {common.cancel}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
