const repeated =
  (piece: string) =>
  (size: number): string =>
    piece.repeat(Math.ceil(size / piece.length));

/** Texts that have brought readers down, by what they are made of; each in any length. */
export const hostileTexts: Readonly<Record<string, (size: number) => string>> = {
  'opening brackets': repeated('['),
  'opening objects': repeated('{"a":'),
  'closed brackets': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'quotation marks': repeated('"'),
  'escaped quotation marks': (size) => `"${repeated('\\"')(size)}\\`,
  'a fence and newlines': (size) => `\`\`\`${'\n'.repeat(size)}x`,
  fences: repeated('```\n'),
  blanks: (size) => `${' '.repeat(size)}x`,
  digits: repeated('1'),
  sums: repeated('1+('),
  addresses: repeated('://a?'),
  'addresses with passwords': repeated('://a:b'),
  'beginnings of tokens': repeated('-eyJaaaa'),
  'names of secrets': repeated('password: "a\\'),
  'beginnings of keys': repeated('-----BEGIN PRIVATE KEY-----'),
  'names of files': (size) => `${'a'.repeat(size)}.csv"`,
  'stops and slashes': repeated('./'),
  'capital letters': repeated('aB'),
  'invisible characters': repeated('\u202e\u200d'),
  'halves of characters': repeated('\ud800'),
  'words of rules': repeated('note save research '),
  'data events': repeated('data: {}\n\n'),
};

function nested(levels: number): unknown {
  let value: unknown = 'a';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const list = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));

/** JSON that has brought walkers down, in any size. */
export const hostileValues: Readonly<Record<string, (size: number) => unknown>> = {
  'a deep value': (size) => nested(size),
  'a long list': (size) => list(size, (at) => at),
  'an object of many names': (size) => Object.fromEntries(list(size, (at) => [`name${at}`, at])),
  'a list of messages': (size) =>
    list(size / 10, (at) => ({ id: `m${at}`, role: 'user', parts: [{ type: 'text', text: 'a' }] })),
  'a message of many parts': (size) => ({
    role: 'assistant',
    parts: list(size / 5, () => ({ type: 'text', text: 'a' })),
  }),
  'a document of many messages': (size) => ({
    $schema: 'vitrine/agent-state',
    version: 1,
    messages: list(size / 10, (at) => ({ id: `m${at}`, role: 'user', parts: [], createdAt: 0 })),
  }),
  'a long text': (size) => ({
    type: 'text',
    text: 'a'.repeat(size),
    name: 'a'.repeat(size),
    message: '['.repeat(size),
  }),
  nothing: () => null,
};
