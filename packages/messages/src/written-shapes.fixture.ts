import * as fc from 'fast-check';

/** A piece of a random message. Every text in it is a mark that is found again after an import. */
export type Piece =
  | { readonly kind: 'text'; readonly mark: string }
  | { readonly kind: 'reasoning'; readonly mark: string }
  | { readonly kind: 'unknown'; readonly mark: string }
  | { readonly kind: 'source'; readonly mark: string }
  | { readonly kind: 'file'; readonly mark: string; readonly where: 'bytes' | 'address' | 'away' }
  | {
      readonly kind: 'call';
      readonly mark: string;
      readonly id: string;
      readonly end: 'result' | 'error' | 'open';
      readonly isText: boolean;
    };

/** A random message. Only answers have reasoning, calls and sources. */
export type Said = {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly at: number;
  readonly pieces: readonly Piece[];
  /** The message before it, in a tree: its distance, 1 for the one written before. */
  readonly back: number;
};

type Block = { readonly [key: string]: unknown };
type Write = (conversation: readonly Said[]) => unknown;

const marks = { count: 0 };
const mark = fc.constant(null).map(() => `mark${(marks.count += 1)}end`);
const plain = mark.map((text): Piece => ({ kind: 'text', mark: text }));
const unknown = mark.map((text): Piece => ({ kind: 'unknown', mark: text }));
const file = fc
  .tuple(mark, fc.constantFrom('bytes', 'address', 'away'))
  .map(([text, where]): Piece => ({ kind: 'file', mark: text, where: where as 'bytes' }));
const call = fc
  .tuple(mark, fc.constantFrom('result', 'error', 'open'), fc.boolean())
  .map(([text, end, isText]): Piece => ({
    kind: 'call',
    mark: text,
    id: `call-${text}`,
    end: end as 'open',
    isText,
  }));
const answer = fc.oneof(
  plain,
  unknown,
  file,
  call,
  mark.map((text): Piece => ({ kind: 'reasoning', mark: text })),
  mark.map((text): Piece => ({ kind: 'source', mark: text })),
);
const said = fc
  .record({
    role: fc.constantFrom('system', 'user', 'user', 'assistant', 'assistant', 'assistant'),
    question: fc.array(fc.oneof(plain, plain, file, unknown), { minLength: 1, maxLength: 3 }),
    answer: fc.array(answer, { minLength: 1, maxLength: 4 }),
    back: fc.constantFrom(1, 1, 1, 2, 3),
    id: mark,
  })
  .map(({ role, question, answer: answered, back, id }): Said => {
    const pieces =
      role === 'system'
        ? [{ kind: 'text', mark: `${id}orders` } as Piece]
        : role === 'user'
          ? question
          : answered;
    return { id, role: role as 'user', at: 1_700_000_000_000 + marks.count * 1000, pieces, back };
  });

/** A random conversation. */
export const conversation = fc.array(said, { minLength: 1, maxLength: 8 });

const address = (text: string): string => `https://a.example/${text}`;
const iso = (at: number): string => new Date(at).toISOString();
const resultOf = (text: string, isText: boolean): unknown => (isText ? `${text}out` : { out: `${text}out` });
const resultText = (text: string, isText: boolean): string =>
  isText ? `${text}out` : `{"out":"${text}out"}`;
const strange = (text: string): Block => ({ type: 'hologram', hologram: { text } });

/** The pieces of one kind. */
function piecesOf<Kind extends Piece['kind']>(
  pieces: readonly Piece[],
  kind: Kind,
): readonly Extract<Piece, { kind: Kind }>[] {
  return pieces.filter((piece): piece is Extract<Piece, { kind: Kind }> => piece.kind === kind);
}

/** Writers of a conversation in each shape, as its library or service stores it. */
export const writers: Readonly<Record<string, Write>> = {
  'ui of ai 4.0': (list) =>
    list.map(({ id, role, at, pieces }) => ({
      id,
      role,
      createdAt: iso(at),
      content: piecesOf(pieces, 'text')
        .map((one) => one.mark)
        .join(''),
      ...(piecesOf(pieces, 'reasoning').length === 0
        ? {}
        : {
            reasoning: piecesOf(pieces, 'reasoning')
              .map((one) => one.mark)
              .join(''),
          }),
      ...(piecesOf(pieces, 'file').length === 0
        ? {}
        : {
            experimental_attachments: piecesOf(pieces, 'file').map(({ mark: text, where }) => ({
              name: `${text}.png`,
              contentType: 'image/png',
              url: uiAddress(text, where),
            })),
          }),
      toolInvocations: piecesOf(pieces, 'call').map(invocation),
    })),
  'ui of ai 4.2': (list) =>
    list.map(({ id, role, at, pieces }) => ({
      id,
      role,
      createdAt: iso(at),
      content: piecesOf(pieces, 'text')
        .map((one) => one.mark)
        .join(''),
      parts: pieces.flatMap((piece): readonly Block[] => {
        const { mark: text } = piece;
        if (piece.kind === 'text') return [{ type: 'text', text }];
        if (piece.kind === 'reasoning')
          return [
            { type: 'reasoning', reasoning: text, details: [{ type: 'text', text, signature: 'sig' }] },
          ];
        if (piece.kind === 'call')
          return [{ type: 'step-start' }, { type: 'tool-invocation', toolInvocation: invocation(piece) }];
        if (piece.kind === 'source')
          return [{ type: 'source', source: { sourceType: 'url', id: text, url: address(text) } }];
        if (piece.kind === 'file')
          return [{ type: 'file', mimeType: 'image/png', data: piece.where === 'bytes' ? text : '' }];
        return [strange(text)];
      }),
    })),
  'ui of ai 5 to 7': (list) =>
    list.map(({ id, role, pieces }) => ({
      id,
      role,
      metadata: { mine: true },
      parts: pieces.flatMap((piece): readonly Block[] => {
        const { mark: text } = piece;
        if (piece.kind === 'text' || piece.kind === 'reasoning')
          return [{ type: piece.kind, text, state: 'done' }];
        if (piece.kind === 'source') return [{ type: 'source-url', sourceId: text, url: address(text) }];
        if (piece.kind === 'file')
          return [{ type: 'file', mediaType: 'image/png', url: uiAddress(text, piece.where) }];
        if (piece.kind === 'unknown')
          return [{ type: 'custom', kind: 'a.b', providerMetadata: { a: { text } } }];
        const ended = { output: resultOf(text, piece.isText), state: 'output-available' };
        const failed = { errorText: `${text}out`, state: 'output-error' };
        const state =
          piece.end === 'open' ? { state: 'input-available' } : piece.end === 'error' ? failed : ended;
        return [
          { type: 'step-start' },
          { type: 'tool-look', toolCallId: piece.id, input: { in: text }, ...state },
        ];
      }),
    })),
  'ui as messages for a model': (list) =>
    list.flatMap(({ role, pieces }): readonly Block[] => [
      {
        role,
        content: pieces.map((piece): Block => {
          const { mark: text } = piece;
          if (piece.kind === 'text' || piece.kind === 'source') return { type: 'text', text };
          if (piece.kind === 'reasoning') return { type: 'reasoning', text };
          if (piece.kind === 'unknown') return strange(text);
          if (piece.kind === 'call')
            return { type: 'tool-call', toolCallId: piece.id, toolName: 'look', input: { in: text } };
          if (piece.where === 'bytes') return { type: 'image', image: text };
          return { type: 'file', mediaType: 'image/png', data: uiAddress(text, piece.where) };
        }),
      },
      ...piecesOf(pieces, 'call').flatMap(({ id, mark: text, end, isText }) =>
        end === 'open'
          ? []
          : [
              {
                role: 'tool',
                content: [
                  {
                    type: 'tool-result',
                    toolCallId: id,
                    toolName: 'look',
                    output:
                      end === 'error'
                        ? { type: 'error-text', value: `${text}out` }
                        : { type: isText ? 'text' : 'json', value: resultOf(text, isText) },
                  },
                ],
              },
            ],
      ),
    ]),
  openai: (list) =>
    list.flatMap(({ role, pieces }): readonly Block[] => [
      {
        role,
        content: pieces.flatMap((piece): readonly Block[] => {
          const { mark: text } = piece;
          if (piece.kind === 'text') return [{ type: 'text', text }];
          if (piece.kind === 'unknown') return [strange(text)];
          if (piece.kind !== 'file') return [];
          if (piece.where === 'away') return [{ type: 'file', file: { file_id: text } }];
          return [{ type: 'image_url', image_url: { url: uiAddress(text, piece.where) } }];
        }),
        ...(piecesOf(pieces, 'reasoning').length === 0
          ? {}
          : {
              reasoning_content: piecesOf(pieces, 'reasoning')
                .map((one) => one.mark)
                .join(''),
            }),
        ...(piecesOf(pieces, 'call').length === 0
          ? {}
          : { tool_calls: piecesOf(pieces, 'call').map(openAiCall) }),
        annotations: piecesOf(pieces, 'source').map(({ mark: text }) => ({
          type: 'url_citation',
          url_citation: { url: address(text), title: 'A' },
        })),
      },
      ...piecesOf(pieces, 'call').flatMap(({ id, mark: text, isText, end }) =>
        end === 'open' ? [] : [{ role: 'tool', tool_call_id: id, content: resultText(text, isText) }],
      ),
    ]),
  'openai-responses': (list) =>
    list.flatMap(({ id, role, pieces }): readonly Block[] =>
      pieces.flatMap((piece, index): readonly Block[] => {
        const { mark: text } = piece;
        const said_ = (content: Block): Block => ({
          type: 'message',
          id: `${id}${index}`,
          role,
          content: [content],
        });
        if (piece.kind === 'text')
          return [said_({ type: role === 'assistant' ? 'output_text' : 'input_text', text })];
        if (piece.kind === 'file' && piece.where === 'away')
          return [said_({ type: 'input_file', file_id: text })];
        if (piece.kind === 'file')
          return [said_({ type: 'input_image', image_url: uiAddress(text, piece.where) })];
        if (piece.kind === 'source')
          return [
            said_({
              type: 'output_text',
              text: 'Cited',
              annotations: [{ type: 'url_citation', url: address(text), title: 'A' }],
            }),
          ];
        if (piece.kind === 'reasoning')
          return [{ type: 'reasoning', id: text, summary: [{ type: 'summary_text', text }] }];
        if (piece.kind === 'unknown') return [{ type: 'web_search_call', id: text, action: { query: text } }];
        const started = {
          type: 'function_call',
          call_id: piece.id,
          name: 'look',
          arguments: `{"in":"${text}"}`,
        };
        const output = resultText(text, piece.isText);
        return piece.end === 'open'
          ? [started]
          : [started, { type: 'function_call_output', call_id: piece.id, output }];
      }),
    ),
  anthropic: (list) => ({
    model: 'a-model',
    system: piecesOf(
      list.flatMap(({ role, pieces }) => (role === 'system' ? pieces : [])),
      'text',
    )
      .map((one) => one.mark)
      .join(' '),
    messages: list
      .filter(({ role }) => role !== 'system')
      .flatMap(({ role, pieces }): readonly Block[] => [
        {
          role,
          content: pieces.map((piece): Block => {
            const { mark: text } = piece;
            if (piece.kind === 'text') return { type: 'text', text };
            if (piece.kind === 'reasoning') return { type: 'thinking', thinking: text, signature: 'sig' };
            if (piece.kind === 'call')
              return { type: 'tool_use', id: piece.id, name: 'look', input: { in: text } };
            if (piece.kind === 'source')
              return {
                type: 'text',
                text: 'Cited',
                citations: [{ type: 'web_search_result_location', url: address(text), title: 'A' }],
              };
            if (piece.kind === 'unknown') return { type: 'container_upload', file_id: text };
            const source = {
              bytes: { type: 'base64', media_type: 'image/png', data: text },
              address: { type: 'url', url: address(text) },
              away: { type: 'file', file_id: text },
            };
            return { type: 'image', source: source[piece.where] };
          }),
        },
        ...piecesOf(pieces, 'call').flatMap(({ id, mark: text, end, isText }) =>
          end === 'open'
            ? []
            : [
                {
                  role: 'user',
                  content: [
                    {
                      type: 'tool_result',
                      tool_use_id: id,
                      is_error: end === 'error',
                      content: isText ? resultText(text, true) : [{ type: 'text', text: `${text}out` }],
                    },
                  ],
                },
              ],
        ),
      ]),
  }),
  'langchain, plain': (list) => list.flatMap(langChain),
  'langchain, stored': (list) => list.flatMap(langChain).map(({ type, ...data }) => ({ type, data })),
  'langchain, serialised': (list) =>
    list.flatMap(langChain).map(({ type, ...kwargs }) => ({
      lc: 1,
      type: 'constructor',
      id: [
        'langchain_core',
        'messages',
        { human: 'HumanMessage', ai: 'AIMessage', system: 'SystemMessage', tool: 'ToolMessage' }[
          type as 'ai'
        ],
      ],
      kwargs,
    })),
  'ag-ui': (list) =>
    list.flatMap(({ id, role, pieces }): readonly Block[] => [
      ...piecesOf(pieces, 'reasoning').map(({ mark: text }) => ({
        id: `${text}r`,
        role: 'reasoning',
        content: text,
      })),
      ...piecesOf(pieces, 'unknown').map(({ mark: text }) => ({
        id: `${text}u`,
        role: 'activity',
        activityType: 'PLAN',
        content: { text },
      })),
      {
        id,
        role,
        content:
          role === 'user'
            ? pieces.flatMap((piece): readonly Block[] => {
                const { mark: text } = piece;
                if (piece.kind === 'text') return [{ type: 'text', text }];
                if (piece.kind !== 'file') return [];
                if (piece.where === 'away') return [{ type: 'binary', mimeType: 'image/png', id: text }];
                const source =
                  piece.where === 'bytes'
                    ? { type: 'data', value: text, mimeType: 'image/png' }
                    : { type: 'url', value: address(text) };
                return [{ type: 'image', source }];
              })
            : piecesOf(pieces, 'text')
                .map((one) => one.mark)
                .join(''),
        ...(role === 'assistant' ? { toolCalls: piecesOf(pieces, 'call').map(openAiCall) } : {}),
      },
      ...piecesOf(pieces, 'call').flatMap(({ id: callId, mark: text, end, isText }) =>
        end === 'open'
          ? []
          : [
              {
                id: `${text}t`,
                role: 'tool',
                toolCallId: callId,
                content: resultText(text, isText),
                ...(end === 'error' ? { error: 'x' } : {}),
              },
            ],
      ),
    ]),
  gemini: (list) => ({
    systemInstruction: {
      parts: piecesOf(
        list.flatMap(({ role, pieces }) => (role === 'system' ? pieces : [])),
        'text',
      ).map((one) => ({ text: one.mark })),
    },
    contents: list
      .filter(({ role }) => role !== 'system')
      .flatMap(({ role, pieces }): readonly Block[] => [
        {
          role: role === 'assistant' ? 'model' : 'user',
          parts: pieces.map((piece): Block => {
            const { mark: text } = piece;
            if (piece.kind === 'text' || piece.kind === 'source') return { text };
            if (piece.kind === 'reasoning') return { text, thought: true, thoughtSignature: 'sig' };
            if (piece.kind === 'call') return { functionCall: { name: 'look', args: { in: text } } };
            if (piece.kind === 'unknown') return { videoMetadata: { text } };
            if (piece.where === 'bytes') return { inlineData: { mimeType: 'image/png', data: text } };
            return piece.where === 'address'
              ? { fileData: { mimeType: 'image/png', fileUri: address(text) } }
              : { inline_data: { mime_type: 'image/png', name: text } };
          }),
        },
        ...(piecesOf(pieces, 'call').length === 0
          ? []
          : [
              {
                role: 'user',
                parts: piecesOf(pieces, 'call').map(({ mark: text }) => ({
                  functionResponse: { name: 'look', response: { out: `${text}out` } },
                })),
              },
            ]),
      ]),
  }),
  chatgpt: (list) => [chatGpt(list)],
  claude: (list) => [
    {
      uuid: 'c0a80101-0000-4000-8000-000000000001',
      name: 'A talk',
      created_at: iso(1_700_000_000_000),
      updated_at: iso(1_700_000_900_000),
      chat_messages: list
        .filter(({ role }) => role !== 'system')
        .map(({ id, role, at, pieces, back }, index, all) => ({
          uuid: id,
          sender: role === 'user' ? 'human' : 'assistant',
          text: '',
          created_at: iso(at),
          parent_message_uuid: all[index - back]?.id ?? '00000000-0000-4000-8000-000000000000',
          content: pieces.flatMap((piece): readonly Block[] => {
            const { mark: text } = piece;
            if (piece.kind === 'text' || piece.kind === 'source') return [{ type: 'text', text }];
            if (piece.kind === 'reasoning') return [{ type: 'thinking', thinking: text }];
            if (piece.kind === 'unknown') return [{ type: 'token_budget', text: { text } }];
            if (piece.kind === 'file') return [];
            const started = { type: 'tool_use', name: 'look', input: { in: text } };
            return piece.end === 'open'
              ? [started]
              : [
                  started,
                  { type: 'tool_result', name: 'look', content: [{ type: 'text', text: `${text}out` }] },
                ];
          }),
          attachments: piecesOf(pieces, 'file').flatMap(({ mark: text, where }) =>
            where === 'bytes' ? [] : [{ file_name: `${text}.txt`, file_type: 'txt' }],
          ),
          files: piecesOf(pieces, 'file').flatMap(({ mark: text, where }) =>
            where === 'bytes' ? [{ file_name: `${text}.png` }] : [],
          ),
        })),
    },
  ],
};

function uiAddress(text: string, where: 'bytes' | 'address' | 'away'): string {
  if (where === 'away') return '';
  return where === 'bytes' ? `data:image/png;base64,${text}` : address(text);
}

function invocation({ id, mark: text, end, isText }: Extract<Piece, { kind: 'call' }>): Block {
  const started = { toolCallId: id, toolName: 'look', args: { in: text } };
  return end === 'open'
    ? { state: 'call', ...started }
    : { state: 'result', ...started, result: resultOf(text, isText) };
}

function openAiCall({ id, mark: text }: { readonly id: string; readonly mark: string }): Block {
  return { id, type: 'function', function: { name: 'look', arguments: `{"in":"${text}"}` } };
}

function langChain({ id, role, pieces }: Said): readonly Block[] {
  const type = { system: 'system', user: 'human', assistant: 'ai' }[role];
  return [
    {
      type,
      id,
      content: pieces.flatMap((piece): readonly Block[] => {
        const { mark: text } = piece;
        if (piece.kind === 'text' || piece.kind === 'source') return [{ type: 'text', text }];
        if (piece.kind === 'reasoning') return [{ type: 'reasoning', reasoning: text }];
        if (piece.kind === 'unknown') return [{ type: 'non_standard', value: { text } }];
        if (piece.kind === 'call') return [];
        if (piece.where === 'away') return [{ type: 'image', fileId: text }];
        return piece.where === 'bytes'
          ? [{ type: 'image', source_type: 'base64', mime_type: 'image/png', data: text }]
          : [{ type: 'image_url', image_url: { url: address(text) } }];
      }),
      ...(role === 'assistant'
        ? {
            tool_calls: piecesOf(pieces, 'call').map((one) => ({
              type: 'tool_call',
              id: one.id,
              name: 'look',
              args: { in: one.mark },
            })),
          }
        : {}),
    },
    ...piecesOf(pieces, 'call').flatMap(({ id: callId, mark: text, end, isText }) =>
      end === 'open'
        ? []
        : [
            {
              type: 'tool',
              id: `${text}t`,
              name: 'look',
              tool_call_id: callId,
              status: end === 'error' ? 'error' : 'success',
              content: resultText(text, isText),
            },
          ],
    ),
  ];
}

/** A conversation of an export of ChatGPT: each piece is a node, and edits are branches. */
function chatGpt(list: readonly Said[]): Block {
  const mapping: Record<
    string,
    { id: string; message: Block | null; parent: string | null; children: string[] }
  > = {
    root: { id: 'root', message: null, parent: null, children: [] },
  };
  const ends: string[] = ['root'];
  const add = (id: string, parent: string, message: Block): string => {
    mapping[id] = {
      id,
      message: { id, status: 'finished_successfully', metadata: {}, recipient: 'all', ...message },
      parent,
      children: [],
    };
    mapping[parent]?.children.push(id);
    return id;
  };
  for (const { id, role, at, pieces, back } of list) {
    let end = ends.at(-back) ?? 'root';
    const written = (text: string, content: Block, more: Block = {}): void => {
      end = add(text, end, { author: { role, name: null }, create_time: at / 1000, content, ...more });
    };
    if (role !== 'assistant') {
      const parts = pieces.map((piece): unknown => {
        if (piece.kind === 'file')
          return { content_type: 'image_asset_pointer', asset_pointer: `file-service://${piece.mark}` };
        return piece.kind === 'unknown' ? { content_type: 'hologram', hologram: piece.mark } : piece.mark;
      });
      written(id, { content_type: 'multimodal_text', parts });
    } else
      for (const piece of pieces) {
        const { mark: text } = piece;
        if (piece.kind === 'reasoning')
          written(text, { content_type: 'thoughts', thoughts: [{ summary: 'Hm', content: text }] });
        else if (piece.kind === 'unknown') written(text, { content_type: 'hologram', hologram: text });
        else if (piece.kind === 'source')
          written(
            text,
            { content_type: 'text', parts: ['Cited'] },
            { metadata: { content_references: [{ url: address(text), title: 'A' }] } },
          );
        else if (piece.kind === 'file')
          written(
            text,
            { content_type: 'text', parts: ['File'] },
            { metadata: { attachments: [{ id: text, name: `${text}.pdf` }] } },
          );
        else if (piece.kind === 'call') {
          written(
            text,
            { content_type: 'code', language: 'python', text: `print("${text}")` },
            { recipient: 'python' },
          );
          if (piece.end !== 'open')
            end = add(`${text}out`, end, {
              author: { role: 'tool', name: 'python' },
              content: { content_type: 'execution_output', text: `${text}out` },
            });
        } else
          written(text, { content_type: 'text', parts: [text] }, { metadata: { model_slug: 'a-model' } });
      }
    ends.push(end);
  }
  return {
    title: 'A talk',
    create_time: 1_700_000_000.5,
    update_time: 1_700_000_900.25,
    conversation_id: 'c0a80101-0000-4000-8000-000000000001',
    current_node: ends.at(-1),
    mapping,
  };
}
