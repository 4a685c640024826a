import type { LanguageModel } from '@vitrine/core/ai-sdk';
import { plainHeaders } from '../../plain-headers.ts';
import { capped } from '../../stream/capped.ts';
import { type ShortcutStream, shortcutStream } from './shortcut-stream.ts';

/** Tells a call of a model by its request; it does not leave this process. */
const callHeader = 'x-vitrine-call';

/** How the models of a package are connected. */
export type ShortcutOptions = {
  /** How requests are sent. */
  readonly fetch: typeof globalThis.fetch;
  /** How long an event of a provider may be, and an error page. */
  readonly frameBytes: number;
  /** Gives the models of a package by name, which send with this `fetch`. */
  readonly connect: (access: { readonly fetch: typeof globalThis.fetch }) => (name: string) => LanguageModel;
};

/**
 * The models of a package, which need not read every event of an answer: what the text of the next one says is known
 * without it, see {@link createShortcut}. They say the same as without it, cut into deltas in the same way.
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
