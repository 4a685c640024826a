import { type AgentDefinition, defineAgent } from '@vitrine/react';
import { type AgentOptions, commonSettings, pageInference } from '../agent-options.ts';
import { askForFollowUps, followUps } from '../follow-ups.ts';
import { notesPlugin } from './notes-plugin.ts';
import { calculator, currentTime } from './tools.ts';

/** A subagent of the assistant that looks into one question. */
const researcher = defineAgent({
  name: 'researcher',
  description: 'Looks into a question and reports back',
  systemPrompt: 'You look into one question and answer it in a few sentences.',
  inference: pageInference,
  tools: [calculator],
  budget: { maxSteps: 5 },
});

/** Creates the assistant: it calculates, keeps notes and knows the time. */
export function createAssistant(options: AgentOptions): AgentDefinition {
  return defineAgent({
    ...commonSettings(options),
    name: 'assistant',
    systemPrompt: `You are a helpful assistant. Use your tools where they help, and answer briefly in Markdown. ${askForFollowUps}`,
    tools: [calculator, currentTime],
    plugins: [notesPlugin, followUps],
    subagents: [researcher],
  });
}
