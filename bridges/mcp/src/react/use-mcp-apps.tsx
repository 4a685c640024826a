'use client';

import type { Client } from '@modelcontextprotocol/client';
import { type McpView, mcpViews } from '../views.ts';
import { useEffect, useMemo, useState } from 'react';
import { type ToolView, toolView } from '@vitrine/react/internal/components/messages/tool-view';
import { McpAppView } from './mcp-app-view.tsx';
import { type McpAppTexts, mcpAppTexts } from './texts.ts';

/** Options of `useMcpApps`. */
export type McpAppsOptions = {
  /** The name that `mcpTools` has for the server. Default: none. */
  readonly name?: string;
  /** The texts around the views. Default: English. */
  readonly texts?: McpAppTexts;
};

type Listed = { readonly client: Client; readonly views: readonly McpView[] };

/**
 * The views that an MCP server has for its tools (MCP Apps), for `<Chat tools={…}>`. Each runs in a frame without access
 * to the page. A view may call tools that the server has for views, open pages and send messages; a person is asked
 * before that, unless the tool only reads or destroys nothing.
 *
 * Until the server has listed its tools, and when it cannot, calls look like those of any other tool.
 * @example
 * const views = useMcpApps(client);
 * return <Chat agent={agent} tools={views} />;
 */
export function useMcpApps(client: Client, options: McpAppsOptions = {}): readonly ToolView[] {
  const { name = '', texts = mcpAppTexts } = options;
  const [listed, setListed] = useState<Listed | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    mcpViews(client, { name, signal }).then(
      (views) => signal.aborted || setListed({ client, views }),
      // The plugin of the tools tells of a server that does not answer.
      () => undefined,
    );
    return () => ending.abort();
  }, [client, name]);
  return useMemo(
    () =>
      (listed?.views ?? []).map((view) =>
        toolView(view.toolName, (call) => (
          <McpAppView call={call} client={(listed as Listed).client} view={view} texts={texts} />
        )),
      ),
    [listed, texts],
  );
}
