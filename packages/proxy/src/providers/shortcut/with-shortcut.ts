import type { LanguageModel } from '@vitrine/core/ai-sdk';
import { plainHeaders } from '../../kit/plain-headers.ts';
import { capped } from '../../stream/capped.ts';
import { type ShortcutStream, shortcutStream } from './shortcut-stream.ts';

/** Links a model call to its request; the header does not leave this process. */
const callHeader = 'x-vitrine-call';

/** Settings that connect the models of a package. */
export type ShortcutOptions = {
  /** Sends the requests. */
  readonly fetch: typeof globalThis.fetch;
  /** The longest event or error page of a provider, in bytes. */
  readonly frameBytes: number;
  /** Returns the models of a package by name, which send with this `fetch`. */
  readonly connect: (access: { readonly fetch: typeof globalThis.fetch }) => (name: string) => LanguageModel;
};

/**
 * The models of a package that need not read every event of an answer: the text of similar events is predicted, see
 * {@link createShortcut}. The parts are the same as without it, with the same deltas.
 */
export function withShortcut(options: ShortcutOptions): (name: string) => LanguageModel {
  const { frameBytes } = options;
  const answers = new Map<string, ShortcutStream>();

  async function fetch(...[input, init]: Parameters<typeof globalThis.fetch>): Promise<Response> {
    const { [callHeader]: call, ...headers } = plainHeaders(init?.headers);
    const response = await options.fetch(input, { ...init, headers });
    if (call === undefined || !response.ok || response.body === null) return capped(response, frameBytes);
    const answer = shortcutStream(response.body, frameBytes);
    answers.set(call, answer);
    return new Response(answer.body, response);
  }

  const modelOf = options.connect({ fetch });
  return (name) => {
    const model = modelOf(name);
    return {
      provider: model.provider,
      modelId: model.modelId,
      async doStream(call: { headers?: Record<string, string> }) {
        const id = crypto.randomUUID();
        try {
          const headers = { ...call.headers, [callHeader]: id };
          const { stream } = await model.doStream({ ...call, headers, includeRawChunks: true });
          return { stream: answers.get(id)?.parts(stream as ReadableStream) ?? stream };
        } finally {
          answers.delete(id);
        }
      },
    };
  };
}
