import type { LanguageModel } from './language-model.ts';

/** The published rules of an API that requests have to follow. */
export type Target = {
  /** Media types of files that a message of a person may hold, beside texts, which go as text. */
  readonly accepts: readonly string[];
  /** Media types of files that a result of a tool may hold. */
  readonly inResults: readonly string[];
  /** True when answers in the history may hold the files that the model made. */
  readonly inAnswers: boolean;
  /** True for a file that the API fetches from its address. */
  readonly fetches: (mediaType: string, url: string) => boolean;
  readonly callId: RegExp;
  /** The name under which metadata come back with a part; null for any. */
  readonly metadata: string | null;
  /** True when it signs blank texts, and needs them back. Others refuse them. */
  readonly blankTexts: boolean;
  /**
   * `signed`: thoughts without metadata of the API are refused or dropped. `current`: servers with a template take the
   * thoughts of the turn in progress. `any`: thoughts go back as they are.
   */
  readonly thoughts: 'signed' | 'current' | 'any';
  /** True when the model refuses signed thoughts of another one. */
  readonly bindsThoughts: boolean;
  /** True when templates refuse a person's message right behind the results of calls. */
  readonly isStrict: boolean;
  readonly toolName: RegExp;
  readonly fieldName: RegExp;
};

const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const documents = [...pictures, 'application/pdf'];

const usual: Omit<Target, 'metadata' | 'thoughts'> = {
  accepts: documents,
  inResults: documents,
  inAnswers: false,
  blankTexts: false,
  bindsThoughts: false,
  fetches: () => true,
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  isStrict: false,
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  fieldName: /^/,
};

const anthropic: Target = {
  ...usual,
  metadata: 'anthropic',
  thoughts: 'signed',
  fieldName: /^[a-zA-Z0-9_.-]{1,64}$/,
};

const responses: Target = { ...usual, metadata: 'openai', thoughts: 'signed' };

const completions: Target = {
  ...usual,
  inResults: [],
  fetches: (mediaType) => mediaType !== 'application/pdf',
  metadata: 'openai',
  thoughts: 'signed',
};

const google: Target = {
  ...usual,
  accepts: [
    'image/png',
    'image/jpeg',
    'image/webp',
    'image/heic',
    'image/heif',
    'application/pdf',
    'audio/wav',
    'audio/mpeg',
    'audio/aiff',
    'audio/aac',
    'audio/ogg',
    'audio/flac',
    'video/mp4',
    'video/mpeg',
    'video/quicktime',
    'video/webm',
    'video/3gpp',
  ],
  inResults: [],
  inAnswers: true,
  blankTexts: true,
  metadata: 'google',
  thoughts: 'any',
  toolName: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
};

/** Gemini from version 3 on reads pictures in the results of calls. */
const gemini: Target = { ...google, inResults: ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'] };

/** Any other server, by the strictest rules that are known: those of chat templates, and of Mistral for ids. */
const server: Target = {
  ...usual,
  accepts: pictures,
  inResults: [],
  callId: /^[a-zA-Z0-9]{9}$/,
  metadata: null,
  thoughts: 'current',
  isStrict: true,
};

/** Kimi reads the names of its calls from their ids. */
const kimi: Target = { ...server, callId: /^(functions\.[\w-]{1,64}:\d{1,6}|[a-zA-Z0-9]{9})$/ };

/** The target with other accepted files. Packages send pictures and videos by their address, and no other files. */
export function withAccepted(target: Target, accepts: readonly string[] | undefined): Target {
  if (accepts === undefined) return target;
  const files = accepts.filter((type) => !type.startsWith('text/'));
  const fetches: Target['fetches'] = (type, url) =>
    /^(?:image|video)\//.test(type) && target.fetches(type, url);
  return { ...target, accepts: files, fetches };
}

/** Models of Anthropic that take the thoughts of others: those before the versions 5.1 and 5.5. */
const unbound = /claude-(?:\d|[a-z]+-(?:[1-4]|5(?:-\d{8})?$))/;

/** The rules that requests to a model have to follow, by the names that its package gives. */
export function targetOf({ provider, modelId }: LanguageModel): Target {
  if (provider.includes('anthropic')) return { ...anthropic, bindsThoughts: !unbound.test(modelId) };
  if (/^(openai|azure)\b.*\.responses$/.test(provider)) return responses;
  if (/^(openai|azure)\.chat$/.test(provider)) return completions;
  if (/^google|vertex/.test(provider)) return /gemini-[3-9]/.test(modelId) ? gemini : google;
  return /kimi/i.test(modelId) ? kimi : server;
}
