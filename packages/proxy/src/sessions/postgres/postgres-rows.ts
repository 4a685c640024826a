import type { RowStorage, StoredHead, StoredRows } from '@vitrine/core/stores';
import { postgresFiles } from './postgres-files.ts';
import type { PostgresDurability, SessionQuery } from './prepared-queries.ts';

type Found = Readonly<Record<string, unknown>>;

/** The rows of one owner in PostgreSQL, one statement a write. */
export function postgresRows(query: SessionQuery, owner: string, durability: PostgresDurability): RowStorage {
  return {
    durability,
    blobs: postgresFiles(query, owner),
    async heads() {
      const found = await query('heads', owner);
      return new Map(found.map((row) => [String(row['id']), headOf(row['head'], row['records'])]));
    },
    async head(id) {
      const [found] = await query('head', owner, id);
      return found === undefined ? null : headOf(found['head'], found['records']);
    },
    read: async (id) => sessionOf(await query('read', owner, id)),
    rows: async (id, names) => new Map((await query('rows', owner, id, names)).map(nameAndText)),
    async write(id, { expected, head, put, drop, blobs = [] }) {
      const sent = [owner, id, head, [...put.keys()], [...put.values()], blobs];
      const written =
        expected === null
          ? await query('create', ...sent)
          : await query('replace', ...sent, expected.text, expected.records, drop === 'rest' ? null : drop);
      return written.length === 1;
    },
    async append(id, { expected, record, head, blobs = [] }) {
      const { text, records } = expected;
      return (await query('append', owner, id, head, record, text, records, blobs)).length === 1;
    },
    async remove(id, expected) {
      const removed = await query('remove', owner, id, expected?.text ?? null, expected?.records ?? null);
      return expected === undefined || removed.length === 1;
    },
  };
}

/** The head comes first, then rows, which have names, and records in their order. */
function sessionOf([first, ...rest]: readonly Found[]): StoredRows | null {
  if (first === undefined) return null;
  const rows = rest.filter(({ name }) => name !== null).map(nameAndText);
  const tail = rest.filter(({ name }) => name === null).map(({ text }) => String(text));
  return { ...headOf(first['text'], first['number']), rows: new Map(rows), tail };
}

function headOf(text: unknown, records: unknown): StoredHead {
  return { text: String(text), records: Number(records) };
}

function nameAndText({ name, text }: Found): readonly [string, string] {
  return [String(name), String(text)];
}
