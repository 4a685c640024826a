import { AgentProvider, browserSessions, defineAgent, definePlugin, useAgent } from '@vitrine/react';
import { scriptedInference } from '@vitrine/testing';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';

/** A line of a plugin, which notes in the page what it opens and closes. Its first `failures` attempts fail. */
function agentWithLine(failures: number) {
  const { dataset } = document.body;
  let attempts = 0;
  const note = (word: string): void => void (dataset['line'] = [dataset['line'], word].join(' ').trim());
  const line = definePlugin({
    id: 'line',
    state: z.unknown(),
    async open() {
      await Promise.resolve();
      if (attempts++ < failures) throw new Error('no line');
      note('open');
      return () => note('close');
    },
  });
  const inference = scriptedInference([{ text: 'Yes' }]);
  return defineAgent({ name: 'a', systemPrompt: 'S', inference, plugins: [line] });
}

/** Two components of one session, which other tabs share. A button lets both leave. */
export function showLine(failures: number): void {
  const agent = agentWithLine(failures);
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  const root = createRoot(host);

  function Part(): ReactNode {
    const { messages, error, sendMessage } = useAgent(agent, { sessionId: 'line' });
    return (
      <p>
        <button onClick={() => void sendMessage('Is there a line?')}>Ask</button>
        {`${messages.length} messages${error === null ? '' : `, ${error.code}`}`}
      </p>
    );
  }
  root.render(
    <StrictMode>
      <AgentProvider sessions={browserSessions()}>
        <Part />
        <Part />
        <button onClick={() => root.unmount()}>Leave</button>
      </AgentProvider>
    </StrictMode>,
  );
}
