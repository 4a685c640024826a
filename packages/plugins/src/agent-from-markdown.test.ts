import { defineAgent } from '@vitrine/core';
import { fakeTool } from '@vitrine/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentFromMarkdown, describeAgent } from './agent-from-markdown.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 60);
const tools = [fakeTool('look', 'seen'), fakeTool('pay', 'paid')];
const subagents = [defineAgent({ name: 'reader', description: 'Reads' })];
const text = `---
name: helper
description: Helps
model: anthropic:claude-sonnet-5
tools: look
subagents: [reader]
budget: { maxSteps: 5 }
---
Be brief.
`;

describe('agents from Markdown', () => {
  it('a text gives an agent with the tools and subagents that it names, and JSON gives the same', () => {
    const agent = agentFromMarkdown(text, { tools, subagents });
    const described = describeAgent(agent);
    expect(described).toMatchObject({
      name: 'helper',
      description: 'Helps',
      prompt: 'Be brief.',
      model: 'anthropic:claude-sonnet-5',
      budget: { maxSteps: 5 },
      tools: [{ name: 'look' }],
      subagents: [{ name: 'reader' }],
    });
    const { name, description, prompt, model } = described;
    const json = {
      name,
      description,
      prompt,
      model,
      tools: ['look'],
      subagents: 'reader',
      budget: { maxSteps: 5 },
    };
    expect(describeAgent(agentFromMarkdown(JSON.stringify(json), { tools, subagents }))).toEqual(described);
  });

  it('a text without lists gets no tools of those that are given', () => {
    expect(agentFromMarkdown('---\nname: a\n---\n', { tools, subagents })).toMatchObject({
      tools: [],
      subagents: [],
    });
  });

  it.each([
    ['no front matter', 'it has no front matter'],
    ['---\nname: a\ntool: look\n---\n', 'tool'],
    ['---\nname: a\ntools: erase\n---\n', 'there is no tool "erase"; given are: look, pay'],
    ['---\nname: a\nsubagents: other\n---\n', 'there is no subagent "other"'],
    ['---\nname: a\nbudget: { maxSteps: -1 }\n---\n', 'budget.maxSteps'],
    ['---\ndescription: a\n---\n', 'name'],
    ['{"name": 1}', 'name'],
    ['{"name"', 'cannot be read'],
    ['---\nname: &a a\ndescription: *a\n---\n', 'cannot be read'],
  ])('the text %j is refused with the words %j', (bad, words) => {
    expect(() => agentFromMarkdown(bad, { tools })).toThrow(words);
  });

  it('any text gives an agent or a sentence', () => {
    const unit = fc.constantFrom(
      'name: a',
      '\n',
      '---',
      'tools: look',
      ': ',
      '&a',
      '*a',
      '{',
      '[',
      '"',
      '__proto__: ',
      '!!js ',
    );
    fc.assert(
      fc.property(fc.string({ unit }), (given) => {
        try {
          expect(agentFromMarkdown(`---\n${given}\n---\n`, { tools }).name).not.toBe('');
        } catch (thrown) {
          expect((thrown as Error).message).toMatch(/^agentFromMarkdown: /);
        }
      }),
      { numRuns },
    );
  });
});
