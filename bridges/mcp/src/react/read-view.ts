import type { Client } from '@modelcontextprotocol/client';
import type { ViewOrigins } from './frame-page.ts';

/** A view as its server has it. */
export type ViewSource = { readonly html: string; readonly origins: ViewOrigins };

const mostCharacters = 5_000_000;

/** Reads a view of a server. @throws Error with a sentence when it is none, or too large. */
export async function readView(client: Client, uri: string, signal: AbortSignal): Promise<ViewSource> {
  const { contents } = await client.readResource({ uri }, { signal });
  const [content] = contents;
  if (content === undefined || !/^text\/html\b.*profile="?mcp-app\b/.test(content.mimeType ?? ''))
    throw new Error(`${uri} is of type ${content?.mimeType ?? 'unknown'}, which is no view.`);
  const html = 'text' in content ? content.text : decodeBase64(content.blob);
  if (html.length > mostCharacters)
    throw new Error(`${uri} has ${html.length} characters; at most ${mostCharacters} are shown.`);
  const ui = content._meta?.['ui'] as { readonly csp?: ViewOrigins } | undefined;
  return { html, origins: ui?.csp ?? {} };
}

function decodeBase64(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}
