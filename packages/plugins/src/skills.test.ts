import { AgentState, defineAgent, runAgent } from '@vitrine/core';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import fc from 'fast-check';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { skillFiles } from './skill-files.ts';
import { skillsPlugin } from './skills.ts';
import { folderOfTest } from '../../../tests/folder-of-test.ts';

const numRuns = Number(process.env['PROVE_RUNS'] ?? 60);
const pdf =
  '---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Bash(git add:*) look\n---\n# How\nRead it.\n';
const files = {
  './skills/pdf/SKILL.md': pdf,
  './skills/pdf/forms/fields.md': 'All fields',
  './skills/pdf/inner/SKILL.md': '---\nname: inner\ndescription: Another\n---\nInner.',
  './skills/secret.md': 'secret',
};
type Call = { readonly name: string; readonly input: object };

/** The ends of calls that a model makes one after the other, with the problems of the skills. */
async function callsOf(skills: Parameters<typeof skillsPlugin>[0]['skills'], calls: readonly Call[]) {
  const problems: string[] = [];
  const prompts: string[] = [];
  const plugin = skillsPlugin({ skills, onError: ({ message }) => problems.push(message) });
  const inference = scriptedInference([
    ...calls.map((call) => (request: { messages: readonly unknown[] }) => {
      prompts.push(JSON.stringify(request.messages[0]));
      return { toolCalls: [call as never] };
    }),
    { text: 'Done.' },
  ]);
  const agent = defineAgent({
    plugins: [plugin],
    tools: [fakeTool('look', 'seen'), fakeTool('pay', 'paid')],
    inference,
  });
  const { state } = await runAgent(agent, 'Do it.');
  const ends = AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions);
  return { ends, problems, prompt: prompts[0] ?? '' };
}

const read = (path: string, name = 'pdf'): Call => ({ name: 'read_skill_file', input: { name, path } });

describe('the plugin of skills', () => {
  it('names and descriptions stand in the prompt, and bodies and files come as results', async () => {
    const lazy = { ...files, './skills/pdf/SKILL.md': async () => ({ default: pdf }) };
    const { ends, prompt } = await callsOf(lazy, [
      { name: 'load_skill', input: { name: 'pdf' } },
      read('./forms/fields.md'),
    ]);
    expect(prompt).toContain('- pdf: Reads PDF files');
    expect(prompt).not.toContain('Read it.');
    expect(ends.map(({ result }) => result)).toEqual([
      { success: true, content: '# How\nRead it.' },
      { success: true, content: 'All fields' },
    ]);
  });

  it('a path stays in the folder of its skill', async () => {
    const paths = fc.oneof(
      fc.constantFrom(
        '../secret.md',
        'forms/../../secret.md',
        '/etc/passwd',
        '..\\secret.md',
        'inner/SKILL.md',
      ),
      fc.constantFrom('%2e%2e/secret.md', '__proto__', 'constructor', '', '.', 'forms//fields.md', 'a\0b'),
      fc.string({ unit: fc.constantFrom('.', '/', '\\', 's', 'forms', 'secret.md', '\0') }),
    );
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const [end] = (await callsOf(files, [read(path)])).ends;
        const result = end?.result as { success: boolean; content?: string };
        expect(end?.status).toBe('completed');
        if (result.success) expect(['All fields', pdf]).toContain(result.content);
        else expect(JSON.stringify(result)).not.toContain('"secret"');
      }),
      { numRuns },
    );
  });

  it('a bad file is named with its reason and left out, and the others stay', async () => {
    const bomb = `a: &a [x]\n${Array.from({ length: 9 }, (_none, at) => `b${at}: &b${at} [*a, *a]`).join('\n')}`;
    const bad = {
      'none/SKILL.md': '# No front matter',
      'open/SKILL.md': '---\nname: open\n',
      'name/SKILL.md': '---\nname: ../up\ndescription: x\n---\n',
      'bare/SKILL.md': '---\nname: bare\n---\n',
      'bomb/SKILL.md': `---\nname: bomb\ndescription: x\n${bomb}\n---\n`,
      'deep/SKILL.md': `---\nname: deep\ndescription: ${'['.repeat(9000)}\n---\n`,
      'long/SKILL.md': `---\nname: long\ndescription: x\nmore: ${'x'.repeat(20_000)}\n---\n`,
      'twin/SKILL.md': pdf,
      'wrong/SKILL.md': (() => Promise.resolve(1)) as never,
      'broken/SKILL.md': () => Promise.reject(new Error('offline')),
    };
    const { problems, ends } = await callsOf({ ...files, ...bad }, [
      { name: 'load_skill', input: { name: 'pdf' } },
    ]);
    expect(ends[0]?.result).toMatchObject({ success: true });
    for (const path of Object.keys(bad))
      expect(
        problems.filter((problem) => problem.startsWith(`The skill "${path}" is left out: `)),
      ).toHaveLength(1);
    expect(Math.max(...problems.map(({ length }) => length))).toBeLessThan(300);
    expect(problems).toHaveLength(Object.keys(bad).length);
  });

  it('any front matter gives a skill or a sentence', async () => {
    const texts = fc.string({
      unit: fc.constantFrom(
        'name: a',
        'description: b',
        '\n',
        '---',
        ': ',
        '&a',
        '*a',
        '[',
        '{',
        '"',
        '- ',
        '!!js ',
        '\t',
      ),
    });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { problems, prompt } = await callsOf({ 'a/SKILL.md': `---\n${text}\n---\n` }, [read('x', 'a')]);
        expect(problems.length === 1 || prompt.includes('- a: ')).toBe(true);
      }),
      { numRuns },
    );
  });

  it('a folder on a server gives its files, and a link out of it nothing', async () => {
    const folder = folderOfTest('skills');
    await mkdir(join(folder, 'skills/pdf'), { recursive: true });
    await writeFile(join(folder, 'secret.md'), 'secret');
    await writeFile(join(folder, 'skills/pdf/SKILL.md'), pdf);
    await symlink(join(folder, 'secret.md'), join(folder, 'skills/pdf/link.md'));
    const skills = await skillFiles(join(folder, 'skills'));
    const { ends } = await callsOf(skills, [read('link.md'), read('SKILL.md')]);
    expect(ends[0]?.result).toMatchObject({ success: false });
    expect(ends[1]?.result).toEqual({ success: true, content: pdf });
  });
});
