import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mediaTypeFilter, fileText, fileType, headBytes } from './text-file.ts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const latin = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe('the text of a file', () => {
  it.each([
    ['UTF-8', 'text/plain', 'a.txt', bytes('Grüße 😀'), 'Grüße 😀'],
    ['UTF-8 with a mark', 'text/plain', 'a.txt', bytes('\uFEFFa'), 'a'],
    ['UTF-16 of Windows', 'text/plain', 'a.txt', latin('\xff\xfea\0\xfc\0'), 'aü'],
    ['UTF-16 in the other order', '', null, latin('\xfe\xff\0a'), 'a'],
    ['Windows-1252 of Excel', 'application/vnd.ms-excel', 'a.csv', latin('M\xfcll;\x80 5\r\n'), 'Müll;€ 5\n'],
    ['a type of iOS', 'public.comma-separated-values-text', null, latin('\xfc'), 'ü'],
    ['a type with parameters', 'Application/JSON; charset=latin1', null, latin('"\xfc"'), '"ü"'],
    ['no name and no type', '', null, bytes('plain'), 'plain'],
    ['a log with colours', '', 'a.log', bytes('\x1b[31mred\x1b[0m'), '\x1b[31mred\x1b[0m'],
    ['nothing', '', 'a.bin', bytes(''), ''],
  ])('%s is read', (_what, mediaType, filename, content, expected) => {
    expect(fileText(content, { mediaType, filename })).toBe(expected);
  });

  it.each([
    ['a ZIP', 'text/csv', 'really-an-xlsx.csv', latin('PK\x03\x04\0\0')],
    ['Latin letters without a name of text', 'application/octet-stream', 'a.bin', latin('\xfc\xdf')],
    ['a text with a NUL', 'text/plain', 'a.txt', bytes('a\0b')],
  ])('%s is no text', (_what, mediaType, filename, content) => {
    expect(fileText(content, { mediaType, filename })).toBeNull();
  });

  it('a beginning that divides a character is read up to it', () => {
    const content = bytes('ab😀');
    for (let length = 2; length < content.length; length++)
      expect(fileText(content.subarray(0, length), { mediaType: '', filename: null, isCut: true })).toBe(
        'ab',
      );
  });

  it('any text without control characters comes back from its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/\p{Cc}/u.test(text) && !text.startsWith('\uFEFF'));
        expect(fileText(bytes(text), { mediaType: '', filename: null })).toBe(text);
      }),
    );
  });
});

it('the first bytes of a file tell its type, whatever its name says', () => {
  const heic = '\0\0\0\x18ftypheic\0\0\0\0';
  expect(fileType('image/jpeg', '\x89PNG\r\n\x1a\n')).toBe('image/png');
  expect(fileType('image/jpeg', heic.slice(0, headBytes))).toBe('image/heic');
  expect(fileType('', '%PDF-1.7')).toBe('application/pdf');
  expect(fileType('image/JPG', '')).toBe('image/jpeg');
  expect(fileType('video/mp2t', 'export const a')).toBe('video/mp2t');
});

describe('the filter of a file field', () => {
  const { accept, takes } = mediaTypeFilter(['text/*', 'image/png', 'application/pdf']);
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const file = (content: BlobPart, name: string, type = ''): File => new File([content], name, { type });

  it('the field offers the types, and the endings of texts that systems have no type for', () => {
    const offered = accept.split(',');
    expect(offered).toEqual(
      expect.arrayContaining(['text/*', 'image/png', '.csv', '.json', '.md', '.yaml', '.log', '.ts']),
    );
    expect(offered).not.toContain('image/heic');
    expect(mediaTypeFilter(['image/png']).accept).toBe('image/png');
  });

  it.each([
    ['a picture', file(png, 'a.png', 'image/png'), true],
    ['a picture without a type', file(png, 'a'), true],
    ['a CSV of Windows', file('a;b', 'a.csv', 'application/vnd.ms-excel'), true],
    ['TypeScript that is called a video', file('let a', 'a.ts', 'video/mp2t'), true],
    ['a long log', file('line\n'.repeat(100_000), 'a.log'), true],
    [
      'a Word document',
      file(
        'PK\x03\x04\0\0',
        'a.docx',
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      ),
      false,
    ],
    ['an Excel file that is called CSV', file('PK\x03\x04\0\0', 'a.csv', 'text/csv'), false],
    ['a photo of a phone', file('\0\0\0\x18ftypheic\0\0\0\0', 'a.heic', 'image/heic'), false],
    [
      'a photo of a phone that is called JPEG',
      file('\0\0\0\x18ftypheic\0\0\0\0', 'a.jpg', 'image/jpeg'),
      false,
    ],
  ])('%s is taken: %#', async (_what, given, isTaken) => {
    expect(await takes(given)).toBe(isTaken);
  });

  it('a PDF of letters alone is no text, where PDFs are not taken', async () => {
    const onlyTexts = mediaTypeFilter(['text/*']);
    expect(await onlyTexts.takes(file('%PDF-1.4\n%%EOF', 'a.pdf', 'application/pdf'))).toBe(false);
  });
});
