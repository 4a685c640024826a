/** Reads server-sent events by hand, with as little code as possible. */
export async function readDeltas(
  { url, fetch }: { url: string; fetch: typeof globalThis.fetch },
  body: string,
  onDelta: (delta: string) => void,
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = JSON.parse(block.slice(block.indexOf('data: ') + 6)) as { type: string; delta: string };
      if (event.type === 'text-delta') onDelta(event.delta);
    }
  }
}
