import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModel } from '@vitrine/ai-sdk';
import type { Provider } from './provider.ts';
import { responseFrames } from './response-frames.ts';

/** OpenAI, by its Responses API. */
export const openai: Provider = {
  id: 'openai',
  variables: { apiKey: 'OPENAI_API_KEY', baseURL: 'OPENAI_BASE_URL' },
  requires: 'apiKey',
  defaults: ['gpt-6.1-terra', 'gpt-6.1-sol'],
  thinkers: /^(gpt-[5-9]|o\d)/,
  // Nothing is stored, so the ids of thoughts name nothing that pages could ask for.
  metadataFields: { openai: ['itemId', 'reasoningEncryptedContent', 'phase'] },
  list: {
    baseURL: 'https://api.openai.com/v1',
    headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  },
  frames: () => responseFrames,
  connect(settings) {
    const provider = createOpenAI(settings);
    /** Summaries of thoughts are for verified organizations; OpenAI refuses the requests of others. */
    let showsThoughts = true;

    return (name): LanguageModel => {
      const model = provider.responses(name);
      const ask = (call: CallOptions): ReturnType<typeof model.doStream> => {
        const reasoningSummary = showsThoughts && call.reasoning !== 'none' ? 'auto' : null;
        // Nothing is stored at OpenAI: pages send the whole conversation, with the encrypted thoughts.
        return model.doStream({
          ...call,
          providerOptions: {
            openai: { ...call.providerOptions?.['openai'], store: false, reasoningSummary },
          },
        });
      };
      return {
        provider: model.provider,
        modelId: model.modelId,
        async doStream(call: CallOptions) {
          try {
            return await ask(call);
          } catch (error) {
            if (!showsThoughts || !refusesSummary(error)) throw error;
            showsThoughts = false;
            return ask(call);
          }
        },
      };
    };
  },
};

type CallOptions = Parameters<ReturnType<ReturnType<typeof createOpenAI>['responses']>['doStream']>[0];

function refusesSummary(error: unknown): boolean {
  const { statusCode, responseBody } = error as { statusCode?: unknown; responseBody?: unknown };
  return statusCode === 400 && /"param":\s*"reasoning\.summary"/.test(String(responseBody));
}
