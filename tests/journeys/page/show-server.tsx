import { Chat } from '@vitrine/react/components';
import { agentServer } from '@vitrine/react/server';
import { createRoot } from 'react-dom/client';
import { createClerk } from './clerk.ts';

type ServerProps = {
  readonly headers: Readonly<Record<string, string>>;
  readonly sessionId: string;
};

const clerk = createClerk({ deed: () => undefined, slowMs: 1200 });

/** Shows a session of a server in the place of the page that is there. */
export function showServer({ headers, sessionId }: ServerProps): void {
  const { sessions } = agentServer({ url: '/devices', headers });
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  createRoot(host).render(<Chat agent={clerk} sessions={sessions} sessionId={sessionId} list={null} />);
}
