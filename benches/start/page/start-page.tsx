import { type ReactNode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';

/** The moments of a start, in milliseconds since the navigation. */
export type StartTimes = { readonly typedMs: number; readonly deltaMs: number };

type Chat = {
  readonly messages: readonly {
    readonly id: string;
    readonly role: string;
    readonly parts: readonly object[];
  }[];
  readonly sendMessage: (text: string) => unknown;
};

declare global {
  interface Window {
    /** Resolves when the first text of an answer is in the page. */
    started: Promise<StartTimes>;
  }
}

/** Shows a chat, types its first message as soon as the box is there, and notes when its answer begins. */
export function startPage(useChat: () => Chat): void {
  let typedMs: number | null = null;
  let resolve: (times: StartTimes) => void;
  window.started = new Promise((begun) => {
    resolve = begun;
  });

  function Page(): ReactNode {
    const { messages, sendMessage } = useChat();
    const texts = messages.map(({ id, role, parts }) => ({ id, role, text: JSON.stringify(parts) }));
    const isAnswered = messages.some(({ role, parts }) => role === 'assistant' && parts.length > 0);
    useEffect(() => {
      if (typedMs !== null) return;
      const box = document.querySelector('textarea') as HTMLTextAreaElement;
      box.value = 'Hello';
      typedMs = performance.now();
      sendMessage(box.value);
    });
    useEffect(() => {
      if (isAnswered) resolve({ typedMs: typedMs ?? NaN, deltaMs: performance.now() });
    }, [isAnswered]);
    return (
      <>
        {texts.map(({ id, role, text }) => (
          <p key={id}>
            {role}: {text}
          </p>
        ))}
        <textarea />
      </>
    );
  }

  createRoot(document.getElementById('root') ?? document.body).render(<Page />);
}
