import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * The connection to the view in a frame, whose page `framePage` made. Messages come over a port that only that page has.
 * Calls `onFlood` when the page has removed the view.
 */
export function frameTransport(frame: HTMLIFrameElement, onFlood: () => void): Transport {
  let port: MessagePort | null = null;

  /** The page is there, or there again after it was loaded anew. */
  function onReady({ source, data }: MessageEvent<unknown>): void {
    if (source === null || source !== frame.contentWindow || data !== 'vitrine-view') return;
    port?.close();
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = ({ data: sent }: MessageEvent<JSONRPCMessage | null>) => {
      if (sent === null) onFlood();
      else if (sent.jsonrpc === '2.0') transport.onmessage?.(sent);
    };
    frame.contentWindow.postMessage(null, '*', [channel.port2]);
  }

  const transport: Transport = {
    async start() {
      addEventListener('message', onReady);
    },
    async send(message) {
      port?.postMessage(message);
    },
    async close() {
      removeEventListener('message', onReady);
      port?.close();
      transport.onclose?.();
    },
  };
  return transport;
}
