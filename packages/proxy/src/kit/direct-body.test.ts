import { expect, it, vi } from 'vitest';
import { bodyOf, createHandover, directFrom, type DirectBody, directOf } from './direct-body.ts';

/** A body that the test fills. */
function filled(): DirectBody<string> & {
  readonly piece: (piece: string | null) => void;
  readonly error: (error: unknown) => void;
  readonly left: () => unknown;
} {
  const handover = createHandover<string | null>();
  const cancel = vi.fn<(reason?: unknown) => void>();
  return {
    read: handover.wait,
    cancel,
    piece: handover.give,
    error: handover.fail,
    left: () => cancel.mock.lastCall?.[0],
  };
}

it('a direct body can be read as a web stream', async () => {
  const direct = filled();
  const read = new Response(bodyOf(direct)).text();
  for (const piece of ['one ', 'zwölf', null]) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    direct.piece(piece);
  }
  expect(await read).toBe('one zwölf');
});

it('a direct body is found again in the body of a response, and only there', () => {
  const direct = filled();
  expect(directOf(new Response(bodyOf(direct)).body)).toBe(direct);
  expect(directOf(new Response('plain').body)).toBeNull();
  expect(directOf(null)).toBeNull();
});

it('a source that fails makes the web stream fail', async () => {
  const direct = filled();
  const read = new Response(bodyOf(direct)).text();
  await new Promise((resolve) => setTimeout(resolve, 1));
  direct.error(new Error('away'));
  await expect(read).rejects.toThrow('away');
});

it('cancelling the web stream cancels the source, and later pieces are ignored', async () => {
  const direct = filled();
  const reader = bodyOf(direct).getReader();
  const read = reader.read();
  await new Promise((resolve) => setTimeout(resolve, 1));
  await reader.cancel('enough');
  expect([direct.left(), (await read).done]).toEqual(['enough', true]);
  expect(() => direct.piece('late')).not.toThrow();
});

it('a direct source can be made of any web stream', async () => {
  const told: unknown[] = [];
  const direct = directFrom(new Blob(['one']).stream());
  const readAll = new Promise<void>((resolve, reject) => {
    const next = (): void =>
      direct.read((piece) => {
        told.push(piece && new TextDecoder().decode(piece as Uint8Array));
        if (piece === null) resolve();
        else next();
      }, reject);
    next();
  });
  await readAll;
  expect(told).toEqual(['one', null]);
});
