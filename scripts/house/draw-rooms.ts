import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { isTest } from '../lint/place.ts';
import { root } from '../root.ts';
import { type Room, roomsOf } from './rooms.ts';

// Draws the rooms of core with their sizes and imports, and lists the sizes:
//   node scripts/house/draw-rooms.ts [CHECKOUT] [--svg FILE]

/** From the top floor to the ground. */
const floors = [
  ['testing', 'inspect'],
  ['faces', 'index'],
  ['session'],
  ['run'],
  ['agent', 'model'],
  ['graph'],
  ['kit'],
];
const scale = 0.1;
const perLine = 150;
const height = 96;

const { values, positionals } = parseArgs({ options: { svg: { type: 'string' } }, allowPositionals: true });
const checkout = resolve(positionals[0] ?? root);
const rooms = roomsOf(checkout);
for (const { name, files, lines } of rooms) process.stdout.write(`${name}: ${files} files, ${lines} lines\n`);
if (values.svg !== undefined) writeFileSync(values.svg, drawing(rooms, importsOf(checkout)));

/** The imports between the rooms of core, as `session > run`, with the number of files that have one. */
function importsOf(folder: string): ReadonlyMap<string, number> {
  const source = join(folder, 'packages/core/src');
  const counts = new Map<string, Set<string>>();
  const roomOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : 'index');
  for (const path of globSync('**/*.ts', { cwd: source }).filter((file) => !isTest(file))) {
    const { module } = parseSync(path, readFileSync(join(source, path), 'utf8'));
    const specifiers = [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...module.staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
    ];
    for (const specifier of specifiers.filter((value) => value.startsWith('.'))) {
      const pair = `${roomOf(path)} > ${roomOf(posix.join(posix.dirname(path), specifier))}`;
      counts.set(pair, (counts.get(pair) ?? new Set()).add(path));
    }
  }
  return new Map([...counts].map(([pair, files]) => [pair, files.size]));
}

/** An area of a room is its lines; an arrow is as wide as the number of files that import. */
function drawing(all: readonly Room[], imports: ReadonlyMap<string, number>): string {
  const sizeOf = (name: string): Room =>
    all.find((room) => room.name === `core/${name}`) ?? { name, files: 0, lines: 0 };
  const boxes = new Map<string, { x: number; y: number; w: number }>();
  const shown = floors
    .map((floor) => floor.filter((name) => sizeOf(name).files > 0))
    .filter(({ length }) => length > 0);
  for (const [row, floor] of shown.entries()) {
    const widths = floor.map((name) => Math.max(perLine, (sizeOf(name).lines / height) * scale * 60));
    let x = (960 - widths.reduce((sum, width) => sum + width + 30, -30)) / 2;
    for (const [index, name] of floor.entries()) {
      const w = widths[index] ?? perLine;
      boxes.set(name, { x, y: 20 + row * (height / 2 + 52), w });
      x += w + 30;
    }
  }
  const arrows = [...imports].flatMap(([pair, count]) => {
    const [from = '', to = ''] = pair.split(' > ');
    const [a, b] = [boxes.get(from), boxes.get(to)];
    if (a === undefined || b === undefined || from === to) return [];
    const [x1, y1, x2, y2] = [a.x + a.w / 2, a.y + height / 2, b.x + b.w / 2, b.y];
    const bend = (y2 - y1) / 2;
    const path = `M${x1.toFixed(0)} ${y1} C${x1.toFixed(0)} ${y1 + bend} ${x2.toFixed(0)} ${y2 - bend} ${x2.toFixed(0)} ${y2}`;
    return [`  <path class="a" stroke-width="${Math.min(9, 0.6 + count / 10).toFixed(1)}" d="${path}"/>`];
  });
  const drawn = [...boxes].map(([name, { x, y, w }]) => {
    const { files, lines } = sizeOf(name);
    const text = `<text class="t" x="${(x + w / 2).toFixed(0)}" y="${y + 21}">${name}</text>`;
    const size = `<text class="s" x="${(x + w / 2).toFixed(0)}" y="${y + 38}">${files} files, ${lines} lines</text>`;
    return `  <rect x="${x.toFixed(0)}" y="${y}" width="${w.toFixed(0)}" height="${height / 2}" rx="5"/>${text}${size}`;
  });
  const total = 20 + shown.length * (height / 2 + 52);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 ${total}" width="960" height="${total}" role="img" aria-label="The rooms of core with their files and lines, and their imports">`,
    '  <style>rect { fill: #ffffff; stroke: #57606a; } .a { fill: none; stroke: #57606a; stroke-opacity: 0.35; } text { text-anchor: middle; font-family: ui-sans-serif, system-ui, sans-serif; fill: #1f2328; } .t { font-size: 14px; font-weight: 600; } .s { font-size: 11px; }</style>',
    `  <rect style="fill:#f6f8fa;stroke:none" width="960" height="${total}"/>`,
    ...arrows,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}
