import type { CallToolResult, Client, Tool as McpTool } from '@modelcontextprotocol/client';
import type { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { ChatToolCall, JsonValue } from '@vitrine/core';
import { isVisibleTo, type McpView } from '../views.ts';
import { framePage } from './frame-page.ts';
import { frameTransport } from './frame-transport.ts';
import type { ViewSource } from './read-view.ts';

/** A request of a view that a person has to allow. */
export type ViewRequest =
  | { readonly type: 'call'; readonly toolName: string; readonly input: unknown }
  | { readonly type: 'link'; readonly url: string }
  | { readonly type: 'message'; readonly text: string };

export type RunningView = {
  /** Tells the view of its call, at once or as soon as it can be told. */
  readonly show: (call: ChatToolCall) => void;
  readonly close: () => void;
};

export type ViewOptions = {
  readonly client: Client;
  readonly view: McpView;
  readonly source: ViewSource;
  readonly theme: 'light' | 'dark';
  /** Asks the person. One request waits at a time; the others are refused. */
  readonly ask: (request: ViewRequest) => Promise<boolean>;
  readonly send: (text: string) => void;
  readonly onHeight: (pixels: number) => void;
  readonly onFlood: () => void;
  /** Called when the code of the bridge cannot be loaded. */
  readonly onFail: (thrown: unknown) => void;
};

const heights = { least: 40, most: 600 };
const most = { calls: 8, message: 20_000, timeoutMs: 60_000 };

/** Starts a view in a frame. The code of the bridge is loaded with the first view. */
export function startView(frame: HTMLIFrameElement, options: ViewOptions): RunningView {
  const ending = new AbortController();
  let call: ChatToolCall | null = null;
  let send: ((call: ChatToolCall) => void) | null = null;
  let bridge: AppBridge | null = null;

  async function start(): Promise<void> {
    const { AppBridge } = await import('@modelcontextprotocol/ext-apps/app-bridge');
    if (ending.signal.aborted) return;
    bridge = new AppBridge(null, { name: 'vitrine', version: '0.1.0' }, capabilities, {
      hostContext: {
        theme: options.theme,
        displayMode: 'inline',
        availableDisplayModes: ['inline'],
        containerDimensions: { maxHeight: heights.most },
        locale: navigator.language,
        platform: 'web',
        toolInfo: { tool: options.view.tool },
      },
    });
    answer(bridge, options, ending.signal);
    bridge.addEventListener('initialized', () => {
      send = createSender(bridge as AppBridge, options.view);
      if (call !== null) send(call);
    });
    await bridge.connect(frameTransport(frame, options.onFlood));
    frame.srcdoc = framePage(options.source.html, options.source.origins);
  }

  start().catch(options.onFail);
  return {
    show(next) {
      call = next;
      send?.(next);
    },
    close() {
      ending.abort();
      void bridge?.close();
    },
  };
}

const capabilities = { serverTools: {}, openLinks: {}, message: { text: {} } };

/** Answers the requests of a view. What is not answered here is refused by the bridge. */
function answer(bridge: AppBridge, options: ViewOptions, signal: AbortSignal): void {
  let isAsking = false;
  let calls = 0;
  async function mayDo(request: ViewRequest): Promise<boolean> {
    if (isAsking) return false;
    isAsking = true;
    return options.ask(request).finally(() => (isAsking = false));
  }
  bridge.oncalltool = async ({ name, arguments: input = {} }) => {
    if (calls >= most.calls) return refuseCall(`More than ${most.calls} calls of the view are in flight.`);
    calls++;
    try {
      const why = await reasonAgainst(options.client, { name, input, signal, mayDo });
      if (why !== null) return refuseCall(why);
      return await options.client.callTool({ name, arguments: input }, { signal, timeout: most.timeoutMs });
    } finally {
      calls--;
    }
  };
  bridge.onopenlink = async ({ url }) => {
    const isPage = /^https?:\/\//i.test(url) && url.length <= 2_000;
    if (!isPage || !(await mayDo({ type: 'link', url }))) return { isError: true };
    open(url, '_blank', 'noopener,noreferrer');
    return {};
  };
  bridge.onmessage = async ({ content }) => {
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const isShort = text.trim() !== '' && text.length <= most.message;
    if (!isShort || !(await mayDo({ type: 'message', text }))) return { isError: true };
    options.send(text);
    return {};
  };
  bridge.onrequestdisplaymode = async () => ({ mode: 'inline' });
  bridge.addEventListener('sizechange', ({ height }) => {
    if (typeof height === 'number' && Number.isFinite(height))
      options.onHeight(Math.min(heights.most, Math.max(heights.least, Math.ceil(height))));
  });
}

type WantedCall = {
  readonly name: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly mayDo: (request: ViewRequest) => Promise<boolean>;
};

/** The reason why a view may not call a tool; null when it may. */
async function reasonAgainst(
  client: Client,
  { name, input, signal, mayDo }: WantedCall,
): Promise<string | null> {
  const { tools } = await client.listTools(undefined, { signal });
  const tool = tools.find((other) => other.name === name);
  if (tool === undefined) return `The server has no tool ${JSON.stringify(name.slice(0, 128))}.`;
  if (!isVisibleTo(tool, 'app')) return `The tool ${JSON.stringify(name)} is not for views.`;
  const isAllowed = !asks(tool) || (await mayDo({ type: 'call', toolName: name, input }));
  return isAllowed ? null : 'The person did not allow the call.';
}

/** True for a tool whose calls a person has to allow: the default rule of `mcpTools`. */
function asks({ annotations }: McpTool): boolean {
  return annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false;
}

function refuseCall(sentence: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: sentence }] };
}

/** Tells a view of its call: the input once, and the end once. */
function createSender(bridge: AppBridge, view: McpView): (call: ChatToolCall) => void {
  let sent: 'nothing' | 'input' | 'end' = 'nothing';
  return (call) => {
    if (sent === 'nothing') {
      sent = 'input';
      void bridge.sendToolInput({ arguments: (call.input ?? {}) as Record<string, unknown> });
    }
    const isOpen = ['requested', 'awaiting-approval', 'awaiting-output', 'running'].includes(call.status);
    if (sent === 'end' || isOpen) return;
    sent = 'end';
    const { status, error } = call;
    if (status === 'completed')
      void bridge.sendToolResult(view.resultOf(call.toolCallId) ?? storedResult(call.output as JsonValue));
    else if (status === 'failed') void bridge.sendToolResult(refuseCall(error?.message ?? status));
    else void bridge.sendToolCancelled({ reason: error?.message ?? status });
  };
}

function storedResult(output: JsonValue): CallToolResult {
  const isStructured = typeof output === 'object' && output !== null && !Array.isArray(output);
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return {
    content: [{ type: 'text', text }],
    ...(isStructured ? { structuredContent: output as Record<string, unknown> } : {}),
  };
}
