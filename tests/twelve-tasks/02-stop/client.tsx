import { defineAgent, useAgent } from '@vitrine/react';

const agent = defineAgent({ name: 'chat' });

export function Chat() {
  const { messages, sendMessage, canStop, stop } = useAgent(agent);
  return (
    <form action={(form) => void sendMessage(String(form.get('text')))}>
      {messages.map((m) => m.parts.map((p, i) => p.type === 'text' && <p key={m.id + i}>{p.text}</p>))}
      <input name="text" />
      {canStop && (
        <button type="button" onClick={() => stop()}>
          Stop
        </button>
      )}
    </form>
  );
}
