import type { JsonObject } from '../../kit/json.ts';

/** A part of a message of AG-UI: a text, or a file by its bytes or its address. */
export type AgUiContentPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio' | 'video' | 'document';
      readonly source:
        | { readonly type: 'data'; readonly value: string; readonly mimeType: string }
        | { readonly type: 'url'; readonly value: string; readonly mimeType?: string };
    };

/** A tool call in a message of AG-UI; the arguments are the text of a JSON. */
export type AgUiToolCall = {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
};

type Named = { readonly id: string; readonly metadata?: JsonObject };

/** A message of AG-UI 1.0 in the shape that this bridge writes; 0.0.59 reads it too. */
export type AgUiMessage =
  | (Named & { readonly role: 'system'; readonly content: string })
  | (Named & { readonly role: 'user'; readonly content: string | readonly AgUiContentPart[] })
  | (Named & { readonly role: 'reasoning'; readonly content: string })
  | (Named & {
      readonly role: 'assistant';
      readonly content?: string;
      readonly toolCalls?: readonly AgUiToolCall[];
    })
  | (Named & {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string;
      readonly error?: string;
    });
