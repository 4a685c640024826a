import { type AgentDefinition, defineAgent, proxyInference } from '@vitrine/react';
import { notesPlugin } from './notes-plugin.ts';
import { calculator, currentTime } from './tools.ts';

const inference = proxyInference({ url: '/api' });

/** Works things out for the assistant, in a conversation of its own. */
const researcher = defineAgent({
  name: 'researcher',
  description: 'Looks into a question and reports back',
  systemPrompt: 'You look into one question and answer it in a few sentences.',
  inference,
  tools: [calculator],
  budget: { maxSteps: 5 },
});

/** What the person wants to be answered by, and how much it is to think; null leaves it to the server. */
export type ModelChoice = { readonly model: string | null; readonly reasoning: string | null };

/** The agent of the demo, with the model that the user has chosen, and how much it is to think. */
export function createAssistant({ model, reasoning }: ModelChoice): AgentDefinition {
  return defineAgent({
    name: 'assistant',
    systemPrompt:
      'You are a helpful assistant. Use your tools where they help, and answer briefly in Markdown.',
    inference,
    tools: [calculator, currentTime],
    plugins: [notesPlugin],
    subagents: [researcher],
    budget: { maxSteps: 12, maxTokens: 200_000, maxSeconds: 300 },
    llmConfig: { model, settings: reasoning === null ? {} : { reasoning } },
  });
}
