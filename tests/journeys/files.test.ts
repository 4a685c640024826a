import { afterAll, describe, expect, it } from 'vitest';
import type { Wire } from '../upstream/provider-stream.ts';
import { frame, writtenStreams } from '../upstream/provider-streams.ts';
import { anthropicRules, googleRules, type RequestRules, responsesRules } from '../upstream/request-rules.ts';
import { startUpstream, type Upstream } from '../upstream/upstream.ts';
import { demoJourneys } from './demo-journeys.ts';

const photo =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The files of a person: a table of Excel on Windows, a photo, and a letter of Word. */
const files = [
  { name: 'prices.csv', mimeType: 'application/vnd.ms-excel', buffer: Buffer.from('Müll;12\r\n', 'latin1') },
  { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from(photo, 'base64') },
  { name: 'letter.docx', mimeType: '', buffer: Buffer.from('PK\x03\x04\0\0', 'latin1') },
];

const upstreams: Upstream[] = [];
afterAll(() => Promise.all(upstreams.map((upstream) => upstream.close())));

type Served = {
  readonly wire: Wire;
  readonly keep: RequestRules;
  readonly model: string;
  readonly key: string;
};

const providers: readonly Served[] = [
  { wire: 'openai', keep: responsesRules, model: 'openai:gpt-5-mini', key: 'OPENAI' },
  { wire: 'anthropic', keep: anthropicRules, model: 'anthropic:claude-sonnet-4-5', key: 'ANTHROPIC' },
  { wire: 'google', keep: googleRules, model: 'google:gemini-2.5-flash', key: 'GOOGLE_GENERATIVE_AI' },
];

describe.each(providers)('a person with files, and a model of $wire', ({ wire, keep, model, key }) => {
  const answer = writtenStreams().find(({ name }) => name === `${wire}-text`);
  const said = answer?.expected.text?.split('\n').at(-1) ?? '';
  let upstream: Upstream;
  const demo = demoJourneys(async () => {
    upstream = await startUpstream();
    upstreams.push(upstream);
    if (answer !== undefined) upstream.behave = { kind: 'answer', body: frame(answer), size: null };
    return { [`${key}_API_KEY`]: 'k', [`${key}_BASE_URL`]: upstream.url, VITRINE_MODELS: model };
  });

  it('a table and a photo reach the model, a letter of Word is refused before it is sent, and the conversation goes on', async () => {
    const { page, conversation, say } = await demo.visit();
    const field = page.getByLabel('Files to attach');
    await expect.poll(() => field.getAttribute('accept')).toMatch(/^text\/\*,image\/png,.*\.csv/);
    await field.setInputFiles(files);
    await page.getByText('letter.docx: this model cannot read this file.').waitFor();
    const attached = page.getByRole('list', { name: 'Attached files' });
    await attached.getByText('prices.csv').waitFor();
    expect(await attached.getByRole('listitem').count()).toBe(2);
    await say('What does it cost?');
    await conversation.getByText(said).waitFor();
    await say('And now?');
    await expect.poll(() => conversation.getByText(said).count()).toBe(2);
    const bodies = upstream.bodies();
    expect(bodies.length).toBeGreaterThanOrEqual(2);
    for (const body of bodies.slice(-2)) {
      expect(keep(JSON.parse(body), body)).toBeNull();
      expect(body).toContain('[The file prices.csv:]\\nMüll;12\\n\\n[End of the file.]');
      expect(body).toContain(photo);
      expect(body).not.toContain('letter.docx');
    }
  });
});
