import { defineAgent, useAgent } from '@vitrine/react';
import * as z from 'zod';

const recipe = z.object({ name: z.string(), steps: z.array(z.string()) });
const agent = defineAgent({ name: 'cook', responseFormat: recipe });

export function Recipe() {
  const { output, sendMessage } = useAgent(agent);
  return (
    <form action={(form) => void sendMessage(String(form.get('text')))}>
      <h2>{output.partial?.name}</h2>
      {output.partial?.steps?.map((step, i) => (
        <li key={i}>{step}</li>
      ))}
      <input name="text" />
    </form>
  );
}
