import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { type FilePart, type SessionStore } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { StrictMode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AgentProvider } from '../agent-provider.tsx';
import { useAttachment } from './use-attachment.ts';

const live = new Map<string, Blob>();
let made = 0;
beforeEach(() => {
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    const url = `blob:${++made}`;
    live.set(url, blob as Blob);
    return url;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void live.delete(url));
});
afterEach(() => {
  cleanup();
  live.clear();
  vi.restoreAllMocks();
});

const hash = 'ab'.repeat(32);
const stored: FilePart = { type: 'file', mediaType: 'image/png', filename: 'a.png', blob: { hash, size: 2 } };
const inline: FilePart = { type: 'file', mediaType: 'image/png', filename: null, data: btoa('hi') };

/** A store that holds one file. */
function storeWith(blob: Blob): SessionStore {
  const blobs: SessionStore['blobs'] = {
    put: () => Promise.reject(new Error('nothing is put here')),
    get: async (wanted) => (wanted === hash ? blob : null),
  };
  return { ...memorySessions(), blobs };
}

function Show({ file }: { readonly file: FilePart | Blob }): string {
  const { url, status } = useAttachment(file);
  return `${status} ${url ?? ''}`;
}

const draw = (file: FilePart | Blob): ReturnType<typeof render> =>
  render(
    <StrictMode>
      <AgentProvider sessions={storeWith(new Blob(['hi']))}>
        <Show file={file} />
      </AgentProvider>
    </StrictMode>,
  );

const shown = async (): Promise<string> =>
  (await screen.findByText(/ready|missing/)).textContent.replace('ready ', '');

it('useAttachment shows stored files, inline files and files that are not sent yet', async () => {
  for (const file of [stored, inline, new Blob(['hi'], { type: 'image/png' })]) {
    const { unmount } = draw(file);
    const url = await shown();
    expect(await live.get(url)?.text()).toBe('hi');
    expect(live.get(url)?.type).toBe('image/png');
    unmount();
  }
});

it('useAttachment holds one object URL while the file is shown, and revokes it afterwards', async () => {
  const { unmount, rerender } = draw(stored);
  await shown();
  await waitFor(() => expect(live.size).toBe(1));
  rerender(<p>gone</p>);
  expect(live.size).toBe(0);
  unmount();
});

it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'image/png;x=<svg>'])(
  'useAttachment gives a file of type %s a URL that only downloads',
  async (mediaType) => {
    draw({ ...inline, mediaType });
    expect(live.get(await shown())?.type).toBe('application/octet-stream');
  },
);

it('useAttachment reports a missing file, and returns only http(s) URLs', async () => {
  const gone: FilePart = { ...stored, blob: { hash: '00'.repeat(32), size: 2 } };
  const place = { type: 'file', mediaType: 'image/png', filename: null } as const;
  for (const file of [gone, { ...place, url: 'javascript:alert(1)' }]) {
    const { unmount } = draw(file);
    expect(await shown()).toBe('missing ');
    unmount();
  }
  draw({ ...place, url: 'https://example.com/a.png' });
  expect(await shown()).toBe('https://example.com/a.png');
});
