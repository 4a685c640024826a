import type { ComponentType } from 'react';

export type AdapterParams = {
  /** Messages that are there before. */ readonly history: number;
  /** Where the answer comes from, without the wire in front: `http://127.0.0.1:1234`. */
  readonly origin: string;
  /** The path of the script. */ readonly path: string;
};

/** What a library has to show: a page with a history, and a stream into its last message. */
export type Adapter = (params: AdapterParams) => {
  readonly App: ComponentType;
  /** Asks for the next answer; resolves when it has ended. */ readonly send: () => Promise<void>;
};
