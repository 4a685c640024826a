import { type AgentDefinition, defineAgent } from '@vitrine/core';
import { type CommonOptions, commonSettings } from '../agent-options.ts';
import { askForFollowUps, followUps } from '../follow-ups.ts';
import { reportsPlugin } from './save-report.ts';
import { type ReadGuide, searchTool } from './search-tool.ts';

type ResearcherOptions = CommonOptions & { readonly readGuide: ReadGuide };

const prompt = 'Answer the task from what your search finds, and from nothing else. Name the pages.';

/**
 * Creates the researcher: two subagents look into a question in parallel, and the report is saved after
 * approval.
 */
export function createResearcher(options: ResearcherOptions): AgentDefinition {
  const { readGuide } = options;
  const common = { ...commonSettings(options), systemPrompt: prompt, budget: { maxSteps: 5 } };
  const reader = defineAgent({
    ...common,
    name: 'reader',
    description: 'Says what the guide of Vitrine has about something',
    tools: [searchTool({ name: 'search_guide', description: 'Searches the guide of Vitrine.', readGuide })],
  });
  const sceptic = defineAgent({
    ...common,
    name: 'sceptic',
    description: 'Says what the guide of Vitrine warns of: limits, and what is not done',
    tools: [
      searchTool({
        name: 'search_warnings',
        description: 'Searches what the guide of Vitrine says about limits and about what is not done.',
        readGuide,
        keep: (text) => /\b(?:not|never|no|nothing|only|unless|without|at most|refused?|limit)\b/i.test(text),
      }),
    ],
  });
  return defineAgent({
    ...commonSettings(options),
    name: 'researcher',
    systemPrompt: `You look into questions about Vitrine. Delegate each question to the reader and to the sceptic at once, then keep what they found with save_report. Answer briefly in Markdown. ${askForFollowUps}`,
    plugins: [reportsPlugin, followUps],
    subagents: [reader, sceptic],
  });
}
