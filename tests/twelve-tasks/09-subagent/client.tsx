import { Conversation, defineAgent, Message, useAgent } from '@vitrine/react';

const researcher = defineAgent({ name: 'researcher', systemPrompt: 'You look things up.' });
const agent = defineAgent({ name: 'chat', subagents: [researcher] });

export function Chat() {
  const { messages, sendMessage } = useAgent(agent);
  return (
    <form action={(form) => void sendMessage(String(form.get('text')))}>
      {messages.map((m) =>
        m.parts.map((p, i) => {
          if (p.type === 'text') return <p key={m.id + i}>{p.text}</p>;
          if (p.type !== 'tool-call' || !p.childState) return null;
          return Conversation.messages(p.childState).map((said) => (
            <li key={said.id}>{Message.text(said)}</li>
          ));
        }),
      )}
      <input name="text" />
    </form>
  );
}
