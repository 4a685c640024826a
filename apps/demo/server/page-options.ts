import type { RequestListener, Server } from 'node:http';

/** Serves the page until it is closed. */
export type PageHandler = { readonly handle: RequestListener; readonly close: () => Promise<void> };

export type PageOptions = {
  readonly root: string;
  readonly server: Server;
  /** Host names of the page besides `localhost` and IP addresses. */
  readonly allowedHosts: readonly string[];
};
