import { defineAgent, defineTool, useAgent } from '@vitrine/react';
import * as z from 'zod';

const transfer = defineTool({
  name: 'transfer',
  description: 'Transfers money',
  input: z.object({ to: z.string(), amount: z.number() }),
  needsApproval: true,
  execute: ({ to, amount }) => `Sent ${amount} to ${to}`,
});
const agent = defineAgent({ name: 'chat', tools: [transfer] });

export function Chat() {
  const { messages, sendMessage, approve, reject } = useAgent(agent);
  return (
    <form action={(form) => void sendMessage(String(form.get('text')))}>
      {messages.map((m) =>
        m.parts.map((p, i) => {
          if (p.type === 'text') return <p key={m.id + i}>{p.text}</p>;
          if (p.type !== 'tool-call' || p.status !== 'awaiting-approval') return null;
          const { toolCallId: id, input } = p;
          const edit = () => ({
            input: { ...input, amount: Number(prompt('Amount', String(input.amount))) },
          });
          return (
            <div key={id}>
              Send {input.amount} to {input.to}?
              <button type="button" onClick={() => approve(id)}>
                Approve
              </button>
              <button type="button" onClick={() => approve(id, edit())}>
                Edit
              </button>
              <button type="button" onClick={() => reject(id)}>
                Deny
              </button>
            </div>
          );
        }),
      )}
      <input name="text" />
    </form>
  );
}
