import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemEnv } from '@vitrine/core';
import { createRecorder, eventsOf, localChannel, watchSessions } from '@vitrine/inspect';
import { parsedJson } from '../../packages/inspect/src/foreign/foreign-values.ts';
import { Lines } from '../../packages/cli/src/record/lines.ts';
import { isSoundState, sentRequest, shownRequest } from '../../packages/cli/src/record/programs.fixture.ts';
import {
  start,
  startRecording,
  startUpstream,
  startVitrine,
} from '../../packages/cli/src/record/recorded-programs.fixture.ts';
import { readTape } from '../../packages/cli/src/record/tape.ts';
import type { WireRequest } from '../../packages/cli/src/record/wire/api.ts';
import { apiOf, readAnswer } from '../../packages/cli/src/record/wire/apis.ts';
import { createSessionHub } from '../../packages/core/src/session/hub.ts';
import { folderOfTest } from '../folder-of-test.ts';
import { answerByScript } from './scripted-upstream.ts';

// Agents of other libraries, unchanged, against a scripted provider: the recording shows the script. The pages of
// docs/gallery are made here: npx vitest run --project peers recorded-agents -u. Claude Code is left out: its binary has
// 400 MB. Its page was written by hand.

const weather = ['Oslo', 'Rome'].map((city) => `getWeather {"city":"${city}"}`);
const degrees = ['{"city":"Oslo","degrees":3}', '{"city":"Rome","degrees":21}'];
const model = 'answer 100/20';
/** A question with two calls, and another one, as the script has them. */
const twoRuns = [
  'run',
  ...weather,
  `${model} tool-calls`,
  ...degrees,
  `${model} stop`,
  'completed',
  'run',
  `${model} stop`,
  'completed',
];
const inner = [
  'run',
  'search {"q":"Mont Blanc"}',
  `${model} tool-calls`,
  '"4808 m, says the page on Mont Blanc"',
  `${model} stop`,
  'completed',
].map((line) => `> ${line}`);
const delegated = [
  'run',
  'research {"input":"Find the height of Mont Blanc"}',
  `${model} tool-calls`,
  ...inner,
  '"4808 m"',
  `${model} stop`,
  'completed',
];
const shell = [
  'run',
  'bash {"command":"echo hello"}',
  `${model} tool-calls`,
  '"hello\\n"',
  `${model} stop`,
  'completed',
];

const [warmer, height] = ['Rome is warmer.', 'It is 4808 m high.'];
const cases = [
  { page: 'ai-sdk', file: 'ai-sdk.mjs', api: 'chat', name: '≈ Helper', out: warmer, lines: twoRuns },
  { page: 'ai-sdk', file: 'ai-sdk.mjs', api: 'responses', name: '≈ Helper', out: warmer, lines: twoRuns },
  { page: 'ai-sdk', file: 'ai-sdk.mjs', api: 'messages', name: '≈ Helper', out: warmer, lines: twoRuns },
  {
    page: 'openai-agents',
    file: 'openai-agents.mjs',
    api: 'responses',
    name: '≈ Boss',
    out: height,
    lines: delegated,
  },
  {
    page: 'openai-agents',
    file: 'openai-agents.mjs',
    api: 'chat_completions',
    name: '≈ Boss',
    out: height,
    lines: delegated,
  },
  { page: 'langgraph', file: 'langgraph.mjs', api: '', name: '≈ Helper', out: warmer, lines: twoRuns },
  { page: 'python', file: 'weather.py', api: '', name: '≈ Helper', out: warmer, lines: twoRuns },
  {
    page: 'pi',
    file: 'pi.mjs',
    api: '',
    name: expect.any(String) as string,
    out: 'It printed hello.',
    lines: shell,
  },
];

/** The titles and remarks of the pages in docs/gallery. */
const pages: Readonly<Record<string, readonly [title: string, remark: string]>> = {
  'ai-sdk': [
    'the AI SDK',
    '`API` chooses one of three APIs: chat completions, responses, or messages. `@ai-sdk/anthropic` wants the version in the address, so it is given `$ANTHROPIC_BASE_URL/v1`. `@ai-sdk/google` and `@ai-sdk/openai-compatible` read no variable: give them the address by hand.',
  ],
  'openai-agents': [
    '`@openai/agents`',
    'The agent `Searcher` works inside the call `research`. That is a guess from its task, and the panel marks it (≈) until the result confirms it. `API` is `responses` or `chat_completions`.',
  ],
  langgraph: ['LangGraph.js', 'Both questions are in one thread, so they are two runs of one session.'],
  python: ['plain Python', 'No library is needed: `urllib` reads the address from the environment.'],
  pi: [
    'pi',
    'pi reads no variable, so a small program writes the address into its list of models. Its system prompt names folders: run it again in the same one, or a copy of it, since the folder and the home are compared by their names.',
  ],
};

/** The page of an agent: its command, its program, and what the recording shows. */
function pageOf(page: string, { file, lines, out }: (typeof cases)[number], program: string): string {
  const [title = '', remark = ''] = pages[page] ?? [];
  const [language, run] = file.endsWith('.py') ? ['python', `python ${file}`] : ['js', `node ${file}`];
  const block = (name: string, text: string): string => `\`\`\`${name}\n${text.trimEnd()}\n\`\`\``;
  return `${[
    `# Recorded: ${title}`,
    block(
      'sh',
      `npx @vitrine/cli record --save run.tape -- ${run}\nnpx @vitrine/cli rerun run.tape -- ${run}`,
    ),
    remark,
    'The program, unchanged:',
    block(language, program),
    `Against a scripted model it prints “${out}”, and the recording shows one session. In words, with tokens as input/output; lines of a subagent begin with \`>\`:`,
    block('text', lines.join('\n')),
    'The prompts in it equal the requests, and `rerun` ends with 0: `tests/peers/recorded-agents.test.ts`. [See any agent](../guide/see-any-agent.md) says what is known and what is guessed.',
  ].join('\n\n')}\n`;
}

/** The events of a session in words: runs, calls, answers with their usage, results; those of a subagent behind a mark. */
function wordsOf(record: Parameters<typeof eventsOf>[0]): readonly string[] {
  return eventsOf(record).flatMap(({ event }) => {
    const mark = event.path.length > 0 ? '> ' : '';
    switch (event.type) {
      case 'execution-start':
        return [`${mark}run`];
      case 'tool-call':
        return [`${mark}${event.toolName} ${JSON.stringify(event.input)}`];
      case 'inference-end': {
        const { usage, finishReason } = event.response!;
        return [`${mark}answer ${usage.inputTokens}/${usage.outputTokens} ${finishReason}`];
      }
      case 'tool-end':
        return [`${mark}${JSON.stringify(event.result)}`];
      case 'execution-end':
        return [`${mark}${event.status}`];
      default:
        return [];
    }
  });
}

/** A message in words; the journal has a result as its value, without the spaces of its JSON. */
function formOf(line: string): string {
  if (!line.startsWith('tool|')) return line;
  return JSON.stringify(parsedJson(line.slice('tool|'.length).trim()));
}

describe('agents of other libraries, recorded', { timeout: 300_000 }, () => {
  it.each(cases)(
    '$file ($api) is shown as it is scripted, with its exact prompts, and runs again without a model',
    async (agent) => {
      const { page, file, api, name, out, lines } = agent;
      const upstream = await startUpstream(answerByScript);
      const folder = folderOfTest('agents');
      const home = join(folder, 'home');
      mkdirSync(home, { recursive: true });
      const tape = join(folder, 'run.tape');
      const to = [`openai=${upstream.url}/v1`, `anthropic=${upstream.url}`].flatMap((one) => ['--to', one]);
      const own = {
        API: api,
        HOME: home,
        OPENAI_API_KEY: 'none',
        ANTHROPIC_API_KEY: 'none',
        OPENAI_AGENTS_DISABLE_TRACING: '1',
      };
      const recording = await startRecording(['--save', tape, ...to], { env: own, cwd: home });
      const hub = createSessionHub();
      const recorder = createRecorder({ hub });
      onTestFinished(watchSessions(localChannel(recording.page), { hub }));
      const path = fileURLToPath(new URL(`agents/${file}`, import.meta.url));
      const program = [file.endsWith('.py') ? 'python3' : process.execPath, path] as const;
      const env = {
        ...own,
        OPENAI_BASE_URL: recording.base('openai'),
        // The AI SDK wants the version in the address.
        ANTHROPIC_BASE_URL: `${recording.base('anthropic')}/v1`,
      };
      const ran = await start(program[0], [path], { env, cwd: home }).ended;
      expect([ran.code, ran.out.trim()], ran.err).toEqual([0, out]);
      await expect
        .poll(() => hub.sources().map((source) => wordsOf(recorder.read(source))), { timeout: 20_000 })
        .toEqual([lines]);
      const [source] = hub.sources();
      expect(source!.name).toEqual(name);
      expect(isSoundState(source!.journal.state())).toBe(true);
      recorder.dispose();
      recording.child.kill('SIGTERM');
      expect((await recording.ended).err).not.toContain('Not readable');

      const kept = new Lines(createSessionHub(), systemEnv);
      const { entries } = readTape(tape);
      expect(entries.length).toBeGreaterThan(1);
      for (const entry of entries) {
        const request = entry.request as WireRequest;
        const exchange = kept.ask(request, 'test', 1);
        expect(shownRequest(exchange.line).map(formOf)).toEqual(sentRequest(request.messages).map(formOf));
        kept.take(exchange, readAnswer(apiOf(entry.method, entry.path)!, entry).answer);
        kept.end(exchange, false, 1);
      }

      const folderOfPages = '../../docs/gallery';
      const text = pageOf(page, agent, readFileSync(path, 'utf8'));
      await expect(text).toMatchFileSnapshot(`${folderOfPages}/recorded-${page}.md`);

      const again = await startVitrine(['rerun', tape, '--', ...program], { env: own, cwd: home }).ended;
      expect([again.code, again.out.trim()], again.err).toEqual([0, out]);
    },
  );
});

describe('agents that tell spans, recorded', { timeout: 300_000 }, () => {
  const load = ['--import', fileURLToPath(new URL('agents/spans.mjs', import.meta.url))];
  it.each(
    cases
      .filter(({ file, api }) => /^(ai-sdk.mjs chat|openai-agents.mjs responses)$/.test(`${file} ${api}`))
      .flatMap((agent) => [
        { ...agent, seen: 'its requests and spans' },
        // Those of OpenAI Agents tell the name.
        { ...agent, seen: 'its spans alone', name: agent.page === 'openai-agents' ? 'Boss' : agent.name },
      ]),
  )('$file ($api) is shown once by $seen', async ({ file, api, name, out, lines, seen }) => {
    const upstream = await startUpstream(answerByScript);
    const home = folderOfTest('spans');
    const to = [`openai=${upstream.url}/v1`, `anthropic=${upstream.url}`].flatMap((one) => ['--to', one]);
    const own = { API: api, HOME: home, OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none' };
    const recording = await startRecording(to, { env: own, cwd: home });
    const hub = createSessionHub();
    const recorder = createRecorder({ hub });
    onTestFinished(watchSessions(localChannel(recording.page), { hub }));
    const isAlone = seen === 'its spans alone';
    const env = {
      ...own,
      OPENAI_BASE_URL: isAlone ? `${upstream.url}/v1` : recording.base('openai'),
      ANTHROPIC_BASE_URL: `${isAlone ? upstream.url : recording.base('anthropic')}/v1`,
      OTEL_EXPORTER_OTLP_ENDPOINT: recording.base('otlp'),
      OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
      // OpenAI Agents trace nothing in tests.
      NODE_ENV: '',
    };
    const path = fileURLToPath(new URL(`agents/${file}`, import.meta.url));
    const ran = await start(process.execPath, [...load, path], { env, cwd: home }).ended;
    expect([ran.code, ran.out.trim()], ran.err).toEqual([0, out]);
    // Spans tell which of two tools has ended first.
    await expect
      .poll(() => hub.sources().map((source) => wordsOf(recorder.read(source)).toSorted()), {
        timeout: 20_000,
      })
      .toEqual([lines.toSorted()]);
    const [source] = hub.sources();
    expect(source!.name).toEqual(name);
    expect(isSoundState(source!.journal.state())).toBe(true);
    recorder.dispose();
    recording.child.kill('SIGTERM');
    const { err } = await recording.ended;
    expect(err).not.toContain('Not readable');
    expect(err).toMatch(/Spans: [1-9]/);
  });
});
