'use client';

import { type ReactNode, useContext } from 'react';
import { SessionStoreContext } from '../agent-context.ts';
import { useChatStatus } from './kit/use-chat-status.ts';
import { useTexts } from './texts-provider.tsx';

/**
 * A mark that says whether the nearest session runs on its server, or the connection to it is lost. It shows nothing for
 * sessions that run in the page. Default place: beside the title of a `Chat`.
 */
export function PlaceMark(): ReactNode {
  const store = useContext(SessionStoreContext);
  const { where } = useChatStatus();
  const { place } = useTexts();
  const tabs = store?.tabs ?? null;
  if (tabs === null || typeof tabs === 'string' || tabs.where !== 'server') return null;
  const isThere = where === 'server';
  return (
    <span
      className="vitrine-place"
      data-where={where}
      role="status"
      title={isThere ? place.goesOn : place.waits}
    >
      {isThere ? place.onServer : place.notConnected}
    </span>
  );
}
