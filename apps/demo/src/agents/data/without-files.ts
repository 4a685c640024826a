import { conversationWithCurrentToolTrace, type Message, type MessageCompiler } from '@vitrine/react';

/** Compiles the messages for the model: files are only mentioned, so their bytes stay in the browser. */
export const withoutFiles: MessageCompiler = (state) => {
  const messages = conversationWithCurrentToolTrace(state);
  const known = lists.get(messages) ?? messages.map(withoutFile);
  lists.set(messages, known);
  return known;
};

const lists = new WeakMap<readonly Message[], readonly Message[]>();
const single = new WeakMap<Message, Message>();

function withoutFile(message: Message): Message {
  if (!message.parts.some(({ type }) => type === 'file')) return message;
  const known = single.get(message) ?? nameFiles(message);
  single.set(message, known);
  return known;
}

function nameFiles(message: Message): Message {
  const parts = message.parts.map((part) => {
    if (part.type !== 'file') return part;
    const name = JSON.stringify(part.filename ?? 'without a name');
    return {
      type: 'text' as const,
      text: `\n[The file ${name} is attached. It stays with the person; read_table reads it.]`,
    };
  });
  return { ...message, parts };
}
