import { type AgentDefinition, type AgentSession, useAgentSession } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import { agentServer } from '@vitrine/react/server';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterPaints, pause } from './probe.ts';

export type DeviceParams = {
  /** The server of agents. */ readonly url: string;
  readonly sessionId: string;
  /** True for the device that asks. */ readonly isAsking: boolean;
  /** The number of times that the agent says. */ readonly words: number;
};

/** The type of a server with the agent that says the time. */
type Server = { readonly '~agents'?: { readonly clock: AgentDefinition } };

/**
 * Shows a session of a server in a chat. The run ends when all times that the agent says have been painted.
 * @returns the milliseconds from each of them to its paint
 */
export async function runDevice(
  _name: string,
  { url, sessionId, isAsking, words }: DeviceParams,
): Promise<() => Promise<readonly number[]>> {
  await import('@vitrine/react/theme.css');
  const { agents, sessions } = agentServer<Server>({ url });
  let session: AgentSession | null = null;
  const Session = (): ReactNode => {
    session = useAgentSession();
    return null;
  };
  const root = document.getElementById('root') ?? document.body;
  createRoot(root).render(
    <Chat agent={agents.clock} sessions={sessions} sessionId={sessionId} header={<Session />} list={null} />,
  );
  const shown = (): AgentSession | null => session;
  while (shown()?.store.getState().where !== 'server') await pause(20);
  return async () => {
    const delays = new Map<string, number>();
    const stop = afterPaints(() => {
      for (const [word] of (root.textContent ?? '').matchAll(/\d{13}/g))
        if (!delays.has(word)) delays.set(word, Date.now() - Number(word));
    });
    if (isAsking) void shown()?.sendMessage('What time is it?');
    while (delays.size < words) await pause(20);
    stop();
    return [...delays.values()];
  };
}
