import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { wrongSetting } from '../kit/env-record.ts';
import { chatFrames } from './chat-frames.ts';
import type { Provider, ProviderSettings } from './provider.ts';
import { createOpenThoughts } from './think-tags.ts';

/** Any server with OpenAI's chat completions: Ollama, LM Studio, vLLM, gateways. A key is optional. */
export const openaiCompatible: Provider = {
  id: 'openai-compatible',
  variables: {
    baseURL: 'OPENAI_COMPATIBLE_BASE_URL',
    apiKey: 'OPENAI_COMPATIBLE_API_KEY',
    name: 'OPENAI_COMPATIBLE_NAME',
    think: 'OPENAI_COMPATIBLE_THINK',
    accepts: 'OPENAI_COMPATIBLE_ACCEPTS',
  },
  requires: 'baseURL',
  defaults: ['llama3.3'],
  listsModels: true,
  list: {
    baseURL: '',
    headers: (apiKey): Record<string, string> => (apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
  },
  accepts: ({ accepts }) => (accepts === undefined ? undefined : acceptedTypes(accepts)),
  frames(settings) {
    const thoughts = leavesTags(settings) ? createOpenThoughts(settings.think === 'open') : null;
    return (request) => chatFrames(thoughts, request());
  },
  connect({ baseURL = '', name = 'openai-compatible', think, accepts: _accepts, ...settings }) {
    checkThink(think);
    const provider = createOpenAICompatible({
      ...settings,
      baseURL,
      name,
      includeUsage: true,
      transformRequestBody: withMarksInParts,
    });
    return (model) => provider.chatModel(model);
  },
};

type Body = { readonly messages?: readonly { readonly [field: string]: unknown }[] };

/** The body with the marks for a prompt cache in the content, where gateways read them, and not beside its text. */
function withMarksInParts(body: Body): Body {
  const messages = body.messages?.map((message) => {
    const { cache_control, content, ...rest } = message;
    if (cache_control === undefined || typeof content !== 'string') return message;
    return { ...rest, content: [{ type: 'text', text: content, cache_control }] };
  });
  return messages === undefined ? body : { ...body, messages };
}

/** Addresses of one's own machine or network, and names of servers that run models there. */
const local =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[|host\.docker\.internal$|[^.]+$)|\.local$/i;
const servers = /ollama|lm[-_ ]?studio|llama/i;

/** True for a server whose thoughts stand in tags: Ollama, LM Studio and llama.cpp, unless the environment says otherwise. */
function leavesTags({ think, baseURL = '', name = '' }: ProviderSettings): boolean {
  if (think !== undefined) return think !== 'off';
  return servers.test(name) || servers.test(baseURL) || local.test(new URL(baseURL).hostname);
}

function checkThink(think: string | undefined): void {
  if (think === undefined || ['tag', 'open', 'off'].includes(think)) return;
  throw wrongSetting(
    `OPENAI_COMPATIBLE_THINK is ${JSON.stringify(think)}; give tag for a server that leaves thoughts in tags like <think>, open for models that write only the last of the tags, or off.`,
  );
}

/** Media types of files that chat completions can hold. */
const sendable = /^(?:text|image|video)\/[\w.+*-]+$|^application\/pdf$|^audio\/(?:wav|mpeg)$/;

/** The media types of the setting. @throws AgentError `agent-invalid` for one that no request can hold. */
function acceptedTypes(list: string): readonly string[] {
  const types = list.split(',').map((type) => type.trim().toLowerCase());
  const wrong = types.find((type) => !sendable.test(type));
  if (wrong === undefined) return types;
  throw wrongSetting(
    `OPENAI_COMPATIBLE_ACCEPTS has ${JSON.stringify(wrong)}; give media types of files that chat completions can hold, comma-separated: image/*, image/png and the like, video/*, audio/wav, audio/mpeg, application/pdf, or text/* alone for a model without files.`,
  );
}
