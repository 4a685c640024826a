import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '12' });
let visitor: Visitor;

/** A red picture of one point. */
const picture = {
  name: 'red.png',
  mimeType: 'image/png',
  buffer: Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.from('00000001000000010802000000', 'hex')),
    chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ]),
};

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

/** Resolves when the picture of the conversation is really drawn. */
async function whenDrawn({ conversation }: Visitor): Promise<void> {
  const shown = conversation.getByRole('img', { name: 'red.png' });
  await shown.waitFor();
  await expect.poll(() => shown.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
}

describe.each([
  ['localStorage', ''],
  ['IndexedDB', '?store=indexeddb'],
])('a person who attaches files, kept in %s', (_place, query) => {
  it('a person sees a picture before it is sent, in the conversation, and after a reload', async () => {
    visitor = await demo.visit({}, query);
    const { page, conversation, say } = visitor;
    await page.getByLabel('Files to attach').setInputFiles([picture]);
    await page.getByRole('list', { name: 'Attached files' }).getByRole('img', { name: 'red.png' }).waitFor();
    await say('What is 2 + 2?');
    await conversation.getByText('The result is 4.').waitFor();
    expect(await page.getByRole('list', { name: 'Attached files' }).count()).toBe(0);
    await whenDrawn(visitor);
    await page.reload();
    await whenDrawn(visitor);
  });
});

describe('a person who attaches files', () => {
  it('a person drops and pastes files, takes one away, and sends the other without text', async () => {
    visitor = await demo.visit({}, '?store=indexeddb');
    const { page, conversation } = visitor;
    const hand = (type: 'drop' | 'paste', name: string): Promise<void> =>
      page.getByLabel('Message', { exact: true }).evaluate(
        (field, [kind, called]) => {
          const data = new DataTransfer();
          data.items.add(new File(['some text'], called, { type: 'text/plain' }));
          const init = { bubbles: true, cancelable: true };
          field.dispatchEvent(
            kind === 'drop'
              ? new DragEvent('drop', { ...init, dataTransfer: data })
              : new ClipboardEvent('paste', { ...init, clipboardData: data }),
          );
        },
        [type, name] as const,
      );
    await hand('drop', 'dropped.txt');
    await hand('paste', 'pasted.txt');
    const attached = page.getByRole('list', { name: 'Attached files' });
    await attached.getByText('pasted.txt').waitFor();
    await attached.getByRole('button', { name: 'Remove dropped.txt' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await conversation.getByText('pasted.txt').waitFor();
    expect(await conversation.getByText('dropped.txt').count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      conversation.getByText('pasted.txt').click(),
    ]);
    expect(download.suggestedFilename()).toBe('pasted.txt');
  });

  it('a person is told which file localStorage has no room for, and keeps text and file', async () => {
    visitor = await demo.visit();
    const { page, say } = visitor;
    const large = { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(100_000) };
    await page.getByLabel('Files to attach').setInputFiles([large]);
    await say('Look at this');
    await page.getByRole('alert').getByText('It has 98 kB; 64 kB are allowed here.').waitFor();
    await page.getByRole('list', { name: 'Attached files' }).getByText('large.bin').waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Look at this');
  });
});
