import { pageHeads, pageSize, type RowPages, type SessionPage } from '../row-pages.ts';
import type { SessionQuery } from './prepared-queries.ts';

type Found = Readonly<Record<string, unknown>>;

/** The most rows or records that one statement reads. */
const pageEntries = 1000;

/** The pages of one owner in PostgreSQL. */
export function postgresPages(query: SessionQuery, owner: string): RowPages {
  return {
    async headsPage(after) {
      const found = await query('heads', owner, after ?? '', pageSize, pageHeads);
      const heads = found.map(({ id, head, records }) => {
        return [String(id), { text: String(head), records: Number(records) }] as const;
      });
      const isLast = heads.length === Number(found[0]?.['count'] ?? 0) && heads.length < pageHeads;
      return { heads, next: isLast ? null : (heads.at(-1)?.[0] ?? null) };
    },
    async sessionPage(id, cursor) {
      const isOfRows = cursor === null || typeof cursor.at === 'string';
      const at = cursor?.at ?? '';
      const found = isOfRows
        ? await query('pageRows', owner, id, at, pageSize, pageEntries)
        : await query('pageRecords', owner, id, at, pageSize, pageEntries, cursor.records);
      const [first, ...entries] = found;
      if (first === undefined) return cursor === null ? null : 'changed';
      const from = cursor ?? { stamp: String(first['name']), records: Number(first['number']), at };
      if (from.stamp !== first['name']) return 'changed';
      const head = { text: String(first['text']), records: from.records };
      const hasMore = entries.length < Number(first['count']) || entries.length === pageEntries;
      const page: SessionPage = {
        head,
        rows: isOfRows ? entries.map(({ name, text }) => [String(name), String(text)] as const) : [],
        tail: isOfRows ? [] : entries.map(({ text }) => String(text)),
        next: null,
      };
      const next = isOfRows ? (hasMore ? String(entries.at(-1)?.['name']) : 0) : Number(at) + entries.length;
      if (isOfRows ? !hasMore && from.records === 0 : !hasMore) return page;
      return { ...page, next: { ...from, at: next } };
    },
    async rowsPage(id, names) {
      const asked = names.slice(0, pageEntries);
      const found = await query('rows', owner, id, asked, pageSize);
      const isWhole = found.length === Number(found[0]?.['count'] ?? 0);
      return {
        rows: found.map(({ name, text }: Found) => [String(name), String(text)] as const),
        rest: names.slice(isWhole ? asked.length : Number(found.at(-1)?.['at'])),
      };
    },
  };
}
