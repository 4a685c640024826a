'use client';

import { type ReactNode, useContext } from 'react';
import { SessionStoreContext } from '../agent-context.ts';
import { useActivity } from '../field-hooks.ts';
import { useChatStatus } from './kit/use-chat-status.ts';
import { useTexts } from './texts-provider.tsx';

/**
 * A mark that says whether the nearest session runs on its server, this device is offline, or the connection is lost and
 * made again. It shows nothing for sessions that run in the page. Default place: beside the title of a `Chat`.
 */
export function PlaceMark(): ReactNode {
  const { where } = useChatStatus();
  const { type } = useActivity();
  const { place } = useTexts();
  const tabs = useContext(SessionStoreContext)?.tabs ?? null;
  if (tabs === null || typeof tabs === 'string' || tabs.where !== 'server') return null;
  const isThere = where === 'server';
  const lost = type === 'offline' || type === 'reconnecting' ? place[type] : place.notConnected;
  return (
    <span
      className="vitrine-place"
      data-where={where}
      role="status"
      title={isThere ? place.goesOn : place.waits}
    >
      {isThere ? place.onServer : lost}
    </span>
  );
}
