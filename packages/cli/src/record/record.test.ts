import { execFileSync } from 'node:child_process';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { createSessionHub, type SessionHub } from '@vitrine/core/internal/session/hub';
import { createRecorder, eventsOf, localChannel, runsOf, watchSessions } from '@vitrine/inspect';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { frame, writtenStreams } from '../../../../tests/upstream/provider-streams.ts';
import {
  chatAnswer,
  chatStream,
  programFile,
  send,
  start,
  startRecording,
  startUpstream,
  startVitrine,
} from './recorded-programs.fixture.ts';
import { batchOf, tell } from './spans/told-programs.fixture.ts';

/** The number of random answers; more in `npm run prove`. */
const runs = Number(process.env['PROVE_RUNS'] ?? 60);
const canary = 'sk-canary-abcdefghijklmnop123456';
const json = { 'content-type': 'application/json' };
const stream = { 'content-type': 'text/event-stream' };

/** A loop of a call and its result, in plain JavaScript. */
const loop = `
const url = process.env.OPENAI_BASE_URL + '/chat/completions';
const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY };
const messages = [{ role: 'system', content: 'You are Looper.' }, { role: 'user', content: 'Weather?' }];
for (;;) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ model: 'm', messages }) });
  const { choices: [{ message }] } = await response.json();
  messages.push(message);
  process.stdout.write(JSON.stringify(message) + '\\n');
  if (!message.tool_calls) break;
  for (const { id } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content: 'key: ${canary}' });
}
process.exitCode = 3;
`;

const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"city":"Oslo"}' } };

/** Answers the loop: a call first, then a text. */
function loopUpstream() {
  return startUpstream(({ body }, response) => {
    const isFirst = !body.includes('"tool"');
    response.writeHead(200, json);
    if (isFirst) response.end(chatAnswer({ content: null, tool_calls: [call] }, 'tool_calls'));
    else response.end(chatAnswer({ content: 'Cold.' }));
  });
}

/** Watches the sessions of a recording as its page does, and all that the page is sent. */
function watch(page: string): { readonly hub: SessionHub; readonly sent: () => string } {
  const hub = createSessionHub();
  let sent = '';
  const channel = localChannel(page);
  const leave = watchSessions(
    {
      open: (onMessage) =>
        channel.open((message) => {
          sent += JSON.stringify(message);
          onMessage(message);
        }),
    },
    { hub },
  );
  onTestFinished(leave);
  return { hub, sent: () => sent };
}

async function until(isTrue: () => boolean): Promise<void> {
  await expect.poll(isTrue, { timeout: 60_000 }).toBe(true);
}

describe('vitrine record', { timeout: 120_000 }, () => {
  it('a program runs as it does without, and its page shows its run', async () => {
    const upstream = await loopUpstream();
    const file = await programFile('agent.mjs', loop);
    const env = { OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_API_KEY: canary };
    const direct = await start(process.execPath, [file], { env }).ended;
    const bodies = upstream.seen.map(({ body }) => body);
    const recorded = startVitrine(['record', '--no-open', '--', process.execPath, file], { env });
    const { code, out, err } = await recorded.ended;
    expect({ code, out }).toEqual({ code: 3, out: direct.out });
    expect(upstream.seen.slice(2).map(({ body }) => body)).toEqual(bodies);
    expect(upstream.seen.at(-1)).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: `Bearer ${canary}`, host: new URL(upstream.url).host },
    });
    expect(err).toContain('Requests: 2, answers of models that were read: 2, conversations: 1.');
    expect(err).not.toContain('canary');
  });

  it('the page is told runs, steps, calls and results, and no key', async () => {
    const upstream = await loopUpstream();
    const recording = await startRecording(['--to', `openai=${upstream.url}/v1`]);
    const { hub, sent } = watch(recording.page);
    await until(() => sent().includes('Start a program with these variables'));
    const env = { OPENAI_BASE_URL: recording.base('openai'), OPENAI_API_KEY: canary };
    await start(process.execPath, [await programFile('agent.mjs', loop)], { env }).ended;
    await send(`${recording.base('gemini')}/none?key=${canary}`, { headers: { cookie: `a=${canary}` } });
    const recorder = createRecorder({ hub });
    await until(() => hub.sources()[0]?.journal.state().execution?.status === 'completed');
    const [source] = hub.sources();
    const record = recorder.read(source!);
    expect(source!.name).toBe('≈ Looper');
    expect(runsOf(record).map(({ request }) => request)).toEqual(['Weather?']);
    expect(source!.journal.state().execution!.stepExecutions).toHaveLength(2);
    expect(eventsOf(record).map(({ event }) => event.type)).toContain('tool-end');
    recorder.dispose();
    recording.child.kill('SIGTERM');
    const { err, code } = await recording.ended;
    expect(code).toBe(0);
    expect(sent()).toContain('Recorded from requests');
    expect(sent() + err).not.toContain('canary');
  });

  it('recorded streams of providers pass with their bytes, and are read', async () => {
    const streams = writtenStreams().filter(({ wire }) => wire !== 'google');
    const upstream = await startUpstream(({ url }, response) => {
      const found = streams[Number(/case=(\d+)/.exec(url)?.[1])]!;
      response.writeHead(200, stream).end(frame(found));
    });
    const recording = await startRecording([
      '--to',
      `openai=${upstream.url}`,
      '--to',
      `anthropic=${upstream.url}`,
    ]);
    const { sent } = watch(recording.page);
    for (const [index, { wire, ...found }] of streams.entries()) {
      const [provider, path] =
        wire === 'anthropic'
          ? ['anthropic', '/messages']
          : ['openai', wire === 'openai' ? '/responses' : '/chat/completions'];
      const body = JSON.stringify({ messages: [], input: `case ${index}` });
      const got = await send(`${recording.base(provider)}${path}?case=${index}`, { headers: json, body });
      expect(got.body.toString()).toBe(frame({ wire, ...found }));
    }
    // The address of Anthropic has its version where a client left it out.
    expect(upstream.seen.some(({ url }) => url.startsWith('/v1/messages?'))).toBe(true);
    await until(() =>
      sent().includes(`Requests: ${streams.length}, answers of models that were read: ${streams.length},`),
    );
    expect(sent()).not.toContain('Not readable');
  });

  it('bytes are equal at both ends, whatever is sent, also zipped and cut', async () => {
    let answer = { body: Buffer.alloc(0), cuts: [0], isBroken: false, headers: {} };
    const upstream = await startUpstream((_seen, response) => {
      response.writeHead(200, answer.headers);
      let from = 0;
      for (const cut of answer.cuts.toSorted((a, b) => a - b)) {
        const end = cut % (answer.body.length + 1);
        if (end > from) response.write(answer.body.subarray(from, (from = end)));
      }
      if (answer.isBroken) response.write(answer.body.subarray(from), () => response.destroy());
      else response.end(answer.body.subarray(from));
    });
    const recording = await startRecording(['--to', `openai=${upstream.url}`]);
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary' }).map((content) => Buffer.from(chatStream({ content }))),
      fc.string().map((text) => Buffer.from(`data: ${text}\n\ndata: {"choices": 3}\n\n`)),
    );
    const cases = fc.record({
      body: bodies,
      isZipped: fc.boolean(),
      isBroken: fc.boolean(),
      cuts: fc.array(fc.nat(5_000), { maxLength: 4 }),
      sent: fc.oneof(fc.json(), fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ body, isZipped, isBroken, cuts, sent }) => {
        const bytes = isZipped ? gzipSync(body) : body;
        answer = {
          body: bytes,
          cuts,
          isBroken,
          headers: { ...stream, ...(isZipped && { 'content-encoding': 'gzip' }) },
        };
        const got = await send(`${recording.base('openai')}/chat/completions`, { headers: json, body: sent });
        expect(got.isWhole).toBe(!isBroken);
        expect(got.body.equals(isBroken ? bytes.subarray(0, got.body.length) : bytes)).toBe(true);
        expect(upstream.seen.at(-1)!.body).toBe(sent);
      }),
      { numRuns: runs },
    );
    recording.child.kill('SIGINT');
    expect(await recording.ended).toMatchObject({ code: 0 });
    expect(recording.err()).not.toContain('reader has stopped');
  });

  it('the output of a program is the same when the reader dies in mid stream', async () => {
    const upstream = await startUpstream((_seen, response) => {
      response.writeHead(200, stream);
      for (let index = 0; index < 20; index++)
        setTimeout(() => response.write(`data: {"part":${index}}\n\n`), index * 100);
      setTimeout(() => response.end(), 2_100);
    });
    const file = await programFile(
      'agent.mjs',
      `const { body } = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: '{"messages":[]}' });
      for await (const chunk of body) process.stdout.write(chunk);`,
    );
    const mortal = `import { isMainThread } from 'node:worker_threads'; if (!isMainThread) setTimeout(() => process.exit(1), 900);`;
    const env = { OPENAI_BASE_URL: upstream.url };
    const direct = await start(process.execPath, [file], { env }).ended;
    const { code, out, err } = await startVitrine(['record', '--no-open', '--', process.execPath, file], {
      env,
      load: [`data:text/javascript,${encodeURIComponent(mortal)}`],
    }).ended;
    expect({ code, out }).toEqual({ code: 0, out: direct.out });
    expect(err).toContain('The reader has stopped: nothing more is recorded.');
  });

  it('an answer in zstd passes where Node cannot unpack it, and the page says so', async () => {
    const bytes = zstdCompressSync(chatAnswer({ content: 'Cold.' }));
    const upstream = await startUpstream((_seen, response) => {
      response.writeHead(200, { ...json, 'content-encoding': 'zstd' }).end(bytes);
    });
    const older = `import zlib from 'node:zlib'; import { syncBuiltinESMExports } from 'node:module'; delete zlib.zstdDecompressSync; syncBuiltinESMExports();`;
    const load = [`data:text/javascript,${encodeURIComponent(older)}`];
    for (const [options, says] of [
      [{ load }, 'It is packed with zstd, which Node'],
      [{}, 'Cold.'],
    ] as const) {
      const recording = await startRecording(['--to', `openai=${upstream.url}`], options);
      const { sent } = watch(recording.page);
      const got = await send(`${recording.base('openai')}/chat/completions`, { headers: json, body: '{}' });
      expect(got.body.equals(bytes)).toBe(true);
      await until(() => sent().includes('Requests: 1,'));
      recording.child.kill('SIGTERM');
      await recording.ended;
      expect(sent()).toContain(says);
    }
  });

  it('other pages, other names of the machine and wrong tokens are refused, and nothing is sent on', async () => {
    const upstream = await loopUpstream();
    const recording = await startRecording(['--to', `openai=${upstream.url}`]);
    const url = `${recording.base('openai')}/chat/completions`;
    const { origin, hash } = new URL(recording.page);
    const statuses = await Promise.all([
      send(url, { headers: { origin: 'https://evil.example' } }),
      send(url, { headers: { host: 'evil.example' } }),
      send(url.replace(/\/r\/\w/, '/r/')),
      send(`${origin}/r/`),
      send(origin, { body: '{}' }),
      send(origin, { method: 'GET', headers: { authorization: `Bearer ${hash.slice(1)}0` } }),
      send(origin, { method: 'GET', headers: { origin: 'null' } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([403, 421, 404, 404, 401, 401, 403]);
    expect(upstream.seen).toEqual([]);
    const page = await send(origin, { method: 'GET' });
    expect(page.headers['content-security-policy']).toContain("connect-src 'self'");
    expect(page.headers['access-control-allow-origin']).toBeUndefined();
    expect(page.body.toString()).not.toContain(hash.slice(1));
  });

  it('spans of a program are read, and a broken batch is told and answered as a good one', async () => {
    const { spans } = tell([{ agent: { name: 1, isCut: false, steps: [] }, at: 0 }], 'gen_ai');
    const bytes = batchOf(spans, false);
    const contentType = 'application/x-protobuf';
    const file = await programFile(
      'agent.mjs',
      `import { gzipSync } from 'node:zlib';
      const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_SEMCONV_STABILITY_OPT_IN: words } = process.env;
      const batch = Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64');
      const zipped = { 'content-type': '${contentType}', 'content-encoding': 'gzip' };
      const sent = [['traces', '${contentType}', 'junk'], ['traces', '${contentType}', gzipSync(batch), zipped], ['metrics', 'application/json', '{}']];
      console.log(protocol, words);
      for (const [path, type, body, headers] of sent) {
        const response = await fetch(base + '/v1/' + path, { method: 'POST', body, headers: headers ?? { 'content-type': type } });
        console.log(response.status, (await response.arrayBuffer()).byteLength);
      }`,
    );
    const { out, err } = await startVitrine(['record', '--no-open', '--', process.execPath, file]).ended;
    expect(out).toBe('http/protobuf gen_ai_latest_experimental\n200 0\n200 0\n200 0\n');
    expect(err).toContain('conversations: 1. Not readable: 1. Spans: 2.');
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const print = await programFile('print.mjs', 'console.log(process.env.OTEL_EXPORTER_OTLP_ENDPOINT)');
    const kept = await startVitrine(['record', '--no-open', '--', process.execPath, print], { env }).ended;
    expect(kept.out).toBe('http://127.0.0.1:9\n');
    expect(kept.err).toContain('Spans are not read: OTEL_EXPORTER_OTLP_ENDPOINT is set, and stays.');
  });

  it('a provider that is away is a 502 with its reason, and a taken port a reason to not begin', async () => {
    const recording = await startRecording(['--to', 'openai=http://127.0.0.1:9/v1']);
    const { status, body } = await send(`${recording.base('openai')}/chat/completions`, { body: '{}' });
    expect([status, body.toString()]).toEqual([502, expect.stringContaining('ECONNREFUSED')]);
    const port = new URL(recording.page).port;
    expect(await startVitrine(['record', '--no-open', '--port', port]).ended).toMatchObject({
      code: 129,
      err: expect.stringContaining(`Port ${port} is taken`) as string,
    });
    expect(await startVitrine(['record', 'agent.py']).ended).toMatchObject({ code: 129 });
    expect(await startVitrine(['record', '--to', 'other=http://x']).ended).toMatchObject({ code: 129 });
    expect(await startVitrine(['record', '--no-open', '--', 'no-such-program']).ended).toMatchObject({
      code: 127,
    });
  });

  it('a signal reaches the program, and its end is that of the command', async () => {
    const file = await programFile(
      'agent.mjs',
      `process.on('SIGTERM', () => process.exit(7)); console.log('here'); setInterval(() => {}, 1000);`,
    );
    const recorded = startVitrine(['record', '--no-open', '--quiet', '--', process.execPath, file]);
    await new Promise((resolve) => recorded.child.stdout!.once('data', resolve));
    recorded.child.kill('SIGTERM');
    expect(await recorded.ended).toEqual({ code: 7, out: 'here\n', err: '' });
  });

  it.skipIf(!hasPython())('a program in Python needs no change', async () => {
    const upstream = await loopUpstream();
    const file = await programFile(
      'agent.py',
      `import json, os, urllib.request
m = [{'role': 'system', 'content': 'You are Snake.'}, {'role': 'user', 'content': 'Weather?'}]
for _ in range(2):
    r = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', json.dumps({'model': 'm', 'messages': m}).encode(), {'content-type': 'application/json'})
    a = json.load(urllib.request.urlopen(r))['choices'][0]['message']
    m.append(a)
    for c in a.get('tool_calls') or []: m.append({'role': 'tool', 'tool_call_id': c['id'], 'content': '3'})
print(a['content'])
`,
    );
    // A proxy of the environment is not asked for addresses of this machine.
    const env = {
      OPENAI_BASE_URL: upstream.url,
      HTTP_PROXY: 'http://127.0.0.1:9',
      http_proxy: 'http://127.0.0.1:9',
    };
    const { out, err, code } = await startVitrine(['record', '--no-open', '--', 'python3', file], { env })
      .ended;
    expect([code, out]).toEqual([0, 'Cold.\n']);
    expect(err).toContain('were read: 2, conversations: 1.');
  });
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
