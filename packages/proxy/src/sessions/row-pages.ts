import type { RowStorage, StoredHead, StoredRows } from '@vitrine/persist';

/** A page of an owner's heads, in the order of their ids. */
export type HeadsPage = {
  readonly heads: readonly (readonly [id: string, head: StoredHead])[];
  /** The id after which the next page begins; null for the last page. */
  readonly next: string | null;
};

/** The place in a session where its next page begins. */
export type SessionCursor = {
  /** The stamp of the last write that changed the session's rows; a page of another one is `changed`. */
  readonly stamp: string;
  /** The number of records when the first page was read. */
  readonly records: number;
  /** The row after which the page begins, or the number of its first record. */
  readonly at: string | number;
};

/** A part of a session: rows first, then records in their order, without archived rows. */
export type SessionPage = {
  /** The head at the time of the first page. */
  readonly head: StoredHead;
  readonly rows: readonly (readonly [name: string, text: string])[];
  readonly tail: readonly string[];
  /** Null for the last page. */
  readonly next: SessionCursor | null;
};

/** Some of the requested rows. */
export type NamedRows = {
  readonly rows: readonly (readonly [name: string, text: string])[];
  /** The names that were not read yet. */
  readonly rest: readonly string[];
};

/** Reads rows in pages of about 256 KiB, so that no session has to fit into memory. All show the same moment. */
export type RowPages = {
  readonly headsPage: (after: string | null) => Promise<HeadsPage>;
  /** A page, null for an unknown session, or `changed` when it was rewritten since the first page. */
  readonly sessionPage: (id: string, at: SessionCursor | null) => Promise<SessionPage | 'changed' | null>;
  readonly rowsPage: (id: string, names: readonly string[]) => Promise<NamedRows>;
};

/** The most that one owner may keep. A larger write is refused in its transaction. */
export type OwnerLimits = {
  /** Sessions with any content. */
  readonly sessions: number;
  /** Bytes of heads, rows, records and files, with 1,024 for each head, 256 for each row or record, 512 for each file. */
  readonly bytes: number;
};

/** The rows of one owner on a server. */
export type ServerRows = RowStorage & RowPages;

export const pageSize = 256 * 1024;

export const pageHeads = 200;

/** The most attempts to read a session that is rewritten meanwhile. */
const attempts = 100;

/** The methods of {@link RowStorage} that read much, made of pages. */
export function readByPages(pages: RowPages): Pick<RowStorage, 'heads' | 'read' | 'rows'> {
  return {
    async heads() {
      const all = new Map<string, StoredHead>();
      for (let after: string | null | undefined; after !== null;) {
        const { heads, next } = await pages.headsPage(after ?? null);
        for (const [id, head] of heads) all.set(id, head);
        after = next;
      }
      return all;
    },
    async read(id) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const found = await readOnce(pages, id);
        if (found !== 'changed') return found;
      }
      throw new Error('It is written anew again and again while it is read.');
    },
    async rows(id, names) {
      const all = new Map<string, string>();
      for (let left = names; left.length > 0;) {
        const { rows, rest } = await pages.rowsPage(id, left);
        for (const [name, text] of rows) all.set(name, text);
        left = rest;
      }
      return all;
    },
  };
}

async function readOnce(pages: RowPages, id: string): Promise<StoredRows | 'changed' | null> {
  const rows = new Map<string, string>();
  const tail: string[] = [];
  let head: StoredHead | null = null;
  for (let at: SessionCursor | null = null; ;) {
    const page = await pages.sessionPage(id, at);
    if (page === null) return at === null ? null : 'changed';
    if (page === 'changed') return page;
    // An append may have changed the head since the first page, and the records are those of the first.
    head ??= page.head;
    for (const [name, text] of page.rows) rows.set(name, text);
    for (const text of page.tail) tail.push(text);
    if (page.next === null) return { ...head, rows, tail };
    at = page.next;
  }
}

/** The pages of any rows. A storage without pages gives everything in one. */
export function pagesOf(storage: RowStorage & Partial<RowPages>): RowPages {
  const { headsPage, sessionPage, rowsPage } = storage;
  return {
    headsPage:
      headsPage ??
      (async (after) => {
        const ids = [...(await storage.heads())].toSorted(([one], [two]) => (one < two ? -1 : 1));
        const heads = ids.filter(([id]) => after === null || id > after).slice(0, pageHeads);
        return { heads, next: heads.length < pageHeads ? null : (heads.at(-1)?.[0] ?? null) };
      }),
    sessionPage:
      sessionPage ??
      (async (id) => {
        const found = await storage.read(id);
        if (found === null) return null;
        const { text, records, rows, tail } = found;
        return { head: { text, records }, rows: [...rows], tail, next: null };
      }),
    rowsPage: rowsPage ?? (async (id, names) => ({ rows: [...(await storage.rows(id, names))], rest: [] })),
  };
}

/** A write exceeded a limit of its owner; nothing was written. */
export class SessionQuotaError extends Error {
  override readonly name = 'SessionQuotaError';
  readonly limit: 'sessions' | 'bytes';

  constructor(limit: 'sessions' | 'bytes', options?: ErrorOptions) {
    super(`The owner may keep no more ${limit}.`, options);
    this.limit = limit;
  }
}

/** Bytes that are counted beyond the texts, so that many small things are bounded as well. */
export const overhead = { head: 1024, row: 256, file: 512 } as const;
